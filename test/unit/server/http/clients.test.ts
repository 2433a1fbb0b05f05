import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { type HttpGatewayServer, openHttpServer } from '../../../../src/server/http/http-server.js';
import { createFakeGateway, type FakeGateway, type FakeGatewayOptions } from '../../../support/fake-gateway.js';
import {
  callMessage,
  envelopeOf,
  initializeMessage,
  MODERN_META,
  modernHeaders,
  sendHttp,
} from '../../../support/raw-http.js';
import { CONNECTIONS, SERVER_INFO } from '../../../support/server-clients.js';

const CLIENTS = [
  { name: 'ci', token: 'ci-token-0123456789' },
  { name: 'desk', token: 'desk-token-9876543210' },
];
const [ci, service] = CLIENTS.map(({ token }) => ({ authorization: `Bearer ${token}` })) as [
  { authorization: string },
  { authorization: string },
];

let gateway: FakeGateway;
let gatewayServer: HttpGatewayServer;
let observations: Observation[];

async function open(options: FakeGatewayOptions = { clients: CLIENTS }): Promise<string> {
  observations = [];
  gateway = createFakeGateway(options);
  const observe = (observation: Observation) => void observations.push(observation);
  gatewayServer = await openHttpServer(gateway, { observe, serverInfo: SERVER_INFO });
  return gatewayServer.url;
}

afterEach(() => gatewayServer.close());

async function openSession(url: string, headers: Record<string, string>): Promise<Record<string, string>> {
  const answer = await sendHttp(url, { headers, body: initializeMessage() });
  return { ...headers, 'mcp-session-id': String(answer.headers['mcp-session-id']) };
}

describe('a request without a valid token', () => {
  const wrong = [
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: `Basic ${CLIENTS[0]?.token}` }],
    ["a client's name", { authorization: 'Bearer ci' }],
  ] as const;

  it.each(wrong)('is refused with %s for every method', async (_case, headers) => {
    const url = await open();
    const texts = new Set<string>();
    for (const method of ['POST', 'GET', 'DELETE', 'PUT']) {
      const answer = await sendHttp(url, { method, headers, body: method === 'POST' ? initializeMessage() : '' });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
    expect([...texts][0]).not.toMatch(/ci|desk/);
    expect(gateway.calls).toEqual([]);
  });

  it('is refused in an open session and in the modern era too', async () => {
    const url = await open();
    const { authorization: _, ...session } = await openSession(url, ci);
    expect((await sendHttp(url, { headers: session, body: callMessage(1) })).status).toBe(401);
    const modern = modernHeaders('tools/list');
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN_META } };
    expect((await sendHttp(url, { headers: modern, body })).status).toBe(401);
  });

  it('is reported to the operator without the token, once for many requests', async () => {
    const url = await open();
    for (let count = 0; count < 5; count += 1) {
      await sendHttp(url, { headers: { authorization: 'Bearer guess-123' }, body: initializeMessage() });
    }
    expect(observations).toMatchObject([{ kind: 'notice', level: 'warn' }]);
    expect(JSON.stringify(observations)).not.toContain('guess-123');
  });

  it('is allowed for health checks and CORS preflights', async () => {
    const url = await open({ clients: CLIENTS, server: { allowedOrigins: ['app.example'] } });
    expect((await sendHttp(url.replace('/mcp', '/healthz'), { method: 'GET' })).status).toBe(200);
    const headers = { origin: 'https://app.example', 'access-control-request-headers': 'authorization' };
    const preflight = await sendHttp(url, { method: 'OPTIONS', headers });
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, 'authorization']);
  });
});

describe('a legacy session', () => {
  it('belongs to the client that opened it', async () => {
    const url = await open();
    const session = await openSession(url, ci);
    expect((await sendHttp(url, { headers: session, body: callMessage(1) })).status).toBe(200);
    const stolen = { ...session, ...service };
    const unknown = { 'mcp-session-id': 'made-up', ...service };
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? callMessage(2) : '';
      const answer = await sendHttp(url, { method, headers: stolen, body });
      expect(answer.status).toBe(404);
      expect(answer.text).toBe((await sendHttp(url, { method, headers: unknown, body })).text);
    }
    expect((await sendHttp(url, { headers: session, body: callMessage(3) })).status).toBe(200);
    expect(gateway.calls.map(({ caller }) => caller.client)).toEqual(['ci', 'ci']);
  });
});

describe('a modern client', () => {
  const call = async (url: string, headers: Record<string, string>, name: string, meta: JsonObject = {}) => {
    const clientInfo = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
    const params = { name: 'mcp_aql_read', arguments: {}, _meta: { ...MODERN_META, ...clientInfo, ...meta } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return sendHttp(url, { headers: { ...headers, ...modernHeaders('tools/call', 'mcp_aql_read') }, body });
  };

  it('has one session by its authenticated name, the same in every process', async () => {
    const url = await open();
    const slow = { 'io.modelcontextprotocol/logLevel': 'error' };
    await call(url, ci, 'one');
    await call(url, ci, 'two');
    await call(url, ci, 'three', slow);
    await call(url, service, 'one');
    const callers = gateway.calls.map(({ caller }) => [caller.client, caller.sessionId]);
    const [own, other] = [
      ['ci', 'client:ci'],
      ['desk', 'client:desk'],
    ];
    expect(callers).toEqual([own, own, own, other]);
  });

  it('keeps its session when the server closes, unlike an unauthenticated client', async () => {
    const url = await open();
    await call(url, ci, 'one');
    await gatewayServer.close();
    expect(gateway.endedSessions).toEqual([]);
    const open2 = await open({});
    await call(open2, {}, 'one');
    const [anonymous] = gateway.calls;
    expect(anonymous?.caller).not.toHaveProperty('client');
    await gatewayServer.close();
    expect(gateway.endedSessions).toEqual([anonymous?.caller.sessionId]);
  });
});

it('accepts every request where no clients are configured', async () => {
  const url = await open({});
  const session = await openSession(url, { authorization: 'Bearer anything' });
  const { json } = await sendHttp(url, { headers: session, body: callMessage(1) });
  expect(envelopeOf(json)).toMatchObject({ success: true });
  expect(gateway.calls[0]?.caller).not.toHaveProperty('client');
});

describe.each(CONNECTIONS.filter(({ transport }) => transport === 'http'))('$name', ({ open: connect }) => {
  it('is accepted with its token', async () => {
    await open();
    const client = await connect(gateway, { token: String(CLIENTS[1]?.token) });
    await client.callTool('mcp_aql_read', {});
    await client.close();
    expect(gateway.calls[0]?.caller.client).toBe('desk');
  });

  it('is refused without a token', async () => {
    await open();
    await expect(connect(gateway, { token: 'wrong' })).rejects.toThrow();
  });
});
