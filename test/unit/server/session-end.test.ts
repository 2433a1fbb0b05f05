import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { openHttpServer } from '../../../src/server/http/http-server.js';
import { serveStdio } from '../../../src/server/stdio/stdio-server.js';
import { createFakeGateway, type FakeGateway, type FakeGatewayOptions } from '../../support/fake-gateway.js';
import { callMessage, MODERN_META, modernHeaders, openSession, sendHttp } from '../../support/raw-http.js';
import { SERVER_INFO } from '../../support/server-clients.js';

const observe = (): void => undefined;

/** A server, and a promise of the next session that ends. */
async function open(options: FakeGatewayOptions = {}) {
  let tell = (_sessionId: string): void => undefined;
  const fake = createFakeGateway(options);
  const gateway: FakeGateway = {
    ...fake,
    endSession(sessionId) {
      fake.endSession(sessionId);
      tell(sessionId);
    },
  };
  const gatewayServer = await openHttpServer(gateway, { observe, serverInfo: SERVER_INFO });
  const nextEnd = new Promise<string>((resolve) => {
    tell = resolve;
  });
  return { gateway, gatewayServer, url: gatewayServer.url, nextEnd };
}

const modernCall = {
  ...callMessage(1),
  params: { name: 'mcp_aql_read', arguments: {}, _meta: MODERN_META },
};

it('ends a legacy session once when it is deleted', async () => {
  const { gateway, gatewayServer, url } = await open();
  const headers = await openSession(url);
  await sendHttp(url, { headers, body: callMessage(1) });
  for (const status of [200, 404]) expect((await sendHttp(url, { method: 'DELETE', headers })).status).toBe(status);
  await gatewayServer.close();
  expect(gateway.endedSessions).toEqual([gateway.calls[0]?.caller.sessionId]);
});

it('ends a legacy session once when it expires', async () => {
  const { gateway, gatewayServer, url, nextEnd } = await open({ server: { sessionIdleMs: 20 } });
  await openSession(url);
  const sessionId = await nextEnd;
  await gatewayServer.close();
  expect(gateway.endedSessions).toEqual([sessionId]);
});

it('ends each legacy session once when the server closes', async () => {
  const { gateway, gatewayServer, url } = await open();
  for (let count = 0; count < 2; count += 1) {
    await sendHttp(url, { headers: await openSession(url), body: callMessage(1) });
  }
  await gatewayServer.close();
  expect(gateway.endedSessions).toEqual(gateway.calls.map(({ caller }) => caller.sessionId));
});

it('ends the session of a modern client once when it is idle for too long', async () => {
  const clients = [{ name: 'ci', token: 'ci-token' }];
  const { gateway, gatewayServer, url, nextEnd } = await open({ server: { sessionIdleMs: 20 }, clients });
  const headers = { authorization: 'Bearer ci-token', ...modernHeaders('tools/call', 'mcp_aql_read') };
  await sendHttp(url, { headers, body: modernCall });
  expect(await nextEnd).toBe('client:ci');
  await gatewayServer.close();
  expect(gateway.endedSessions).toEqual(['client:ci']);
});

it.each(['the client disconnects', 'the server closes'])('ends a stdio session once when %s', async (how) => {
  const gateway = createFakeGateway();
  const input = new PassThrough();
  const gatewayServer = serveStdio(gateway, { input, output: new PassThrough(), observe, serverInfo: SERVER_INFO });
  const called = gateway.nextCall();
  input.write(`${JSON.stringify(modernCall)}\n`);
  const { caller } = await called;
  if (how === 'the client disconnects') input.end();
  else await gatewayServer.close();
  await gatewayServer.done;
  await gatewayServer.close();
  expect(gateway.endedSessions).toEqual([caller.sessionId]);
});
