import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openLiveGateway } from '../support/live-gateway.js';
import { initializeMessage, sendHttp } from '../support/raw-http.js';

const STATIC = 'a-static-token-of-a-client';

/** An authorization server that takes questions about tokens, and never answers. */
async function startSilentIssuer() {
  const asked: string[] = [];
  const server = createServer((request) => {
    asked.push(request.url ?? '');
    server.emit('asked');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    firstAsked: once(server, 'asked'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('a client whose token cannot be asked about hears when to try again, and holds up nobody else', async () => {
  await using silent = await startSilentIssuer();
  const introspection = {
    endpoint: `${silent.issuer}/introspect`,
    clientId: 'gateway',
    clientSecret: 'a-secret-of-the-gateway',
  };
  const resource = 'http://127.0.0.1/mcp';
  await using live = await openLiveGateway({
    server: { port: 0, oauth: { resource, issuers: [{ name: 'corp', issuer: silent.issuer, introspection }] } },
    clients: { robot: { token: STATIC } },
    mcpServers: {},
  });
  const enter = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return await sendHttp(live.url, { headers, body: initializeMessage() });
  };
  const settled: string[] = [];
  const waiting = ['opaque-1', 'opaque-2'].map(async (token) => {
    const answer = await enter(token);
    settled.push(token);
    return answer;
  });
  await silent.firstAsked;
  expect([(await enter(STATIC)).status, settled]).toEqual([200, []]);
  for (const { status, headers } of await Promise.all(waiting)) {
    expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^[1-9]\d?$/)]);
  }
  // It is not asked again at once, so that the next ones do not wait.
  const before = silent.asked.length;
  expect([(await enter('opaque-3')).status, silent.asked.length]).toEqual([503, before]);
  expect((await enter(STATIC)).status).toBe(200);
});
