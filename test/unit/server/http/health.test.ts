import type { IncomingMessage } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { type HttpGatewayServer, openHttpServer } from '../../../../src/server/http/http-server.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { sendHttp } from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

let server: HttpGatewayServer;
afterEach(() => server.close());

const UPSTREAM = {
  name: 'files',
  slug: 'files',
  transport: 'stdio',
  tools: 3,
  restarts: 0,
  calls: { inFlight: 0, waiting: 0 },
} as const;

const OPERATOR = 'the-token-of-an-operator';

async function ask(path: string, ready: boolean, headers: Record<string, string> = {}) {
  const waiting = { ...UPSTREAM, state: 'waiting', problem: 'exited at once' } as const;
  const upstreams = [{ ...UPSTREAM, state: 'ready' } as const, ...(ready ? [] : [waiting])];
  const gateway = createFakeGateway({ status: { ready, upstreams, operations: 4 } });
  const mount = () => (request: IncomingMessage) => request.headers.authorization === `Bearer ${OPERATOR}`;
  server = await openHttpServer(gateway, { observe: () => undefined, serverInfo: SERVER_INFO, mount });
  return sendHttp(server.url.replace('/mcp', path), { method: 'GET', headers });
}

it('answers /healthz with 200 in every state of the upstreams', async () => {
  expect(await ask('/healthz', false)).toMatchObject({ status: 200, json: { status: 'ok' } });
});

it('answers /readyz with 200 when the gateway is ready', async () => {
  const { status, json } = await ask('/readyz', true);
  expect([status, json]).toEqual([
    200,
    {
      status: 'ready',
      operations: 4,
      store: 'ok',
      audit: 'ok',
      servers: { ready: 1 },
      upstreams: [{ name: 'files', state: 'ready' }],
    },
  ]);
});

it('tells at /readyz how many servers there are to all, and their names on this machine and to operators alone', async () => {
  const through = { 'x-forwarded-for': '203.0.113.7' };
  const { status, json, text } = await ask('/readyz', false, through);
  expect([status, json.servers]).toEqual([503, { ready: 1, waiting: 1 }]);
  expect(text).not.toContain('files');
  await server.close();
  const toOperator = await ask('/readyz', false, { ...through, authorization: `Bearer ${OPERATOR}` });
  expect(toOperator.json.upstreams).toHaveLength(2);
});

it('says at /readyz that the store or the journal fails, without why, and goes on serving', async () => {
  const state = {
    store: { state: 'failing', problem: 'redis://user:secret@db' },
    audit: { state: 'degraded', problem: '/srv/secret/audit' },
  } as const;
  const gateway = createFakeGateway({ status: { ready: true, state } });
  server = await openHttpServer(gateway, { observe: () => undefined, serverInfo: SERVER_INFO });
  const answer = await sendHttp(server.url.replace('/mcp', '/readyz'), { method: 'GET' });
  expect(answer).toMatchObject({ status: 200, json: { store: 'failing', audit: 'degraded' } });
  expect(answer.text).not.toContain('secret');
});

it('answers /readyz with 503 and states alone when the gateway is not ready: why one is down may be secret', async () => {
  const { status, json } = await ask('/readyz', false);
  expect([status, json.status]).toEqual([503, 'not ready']);
  expect(json.upstreams[1]).toEqual({ name: 'files', state: 'waiting' });
});

it.each(['/', '/health'])('answers %s with a page that says where MCP is', async (path) => {
  const { status, headers, text } = await ask(path, true);
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain('/mcp');
  expect(text).not.toContain('files');
});
