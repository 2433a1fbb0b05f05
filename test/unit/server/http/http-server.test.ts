import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { MCP_PATH, withFastMcp } from '../../../../src/server/http/front.js';
import { type HttpGatewayServer, openHttpServer } from '../../../../src/server/http/http-server.js';
import {
  createFakeGateway,
  type FakeGateway,
  type FakeGatewayOptions,
  toReply,
} from '../../../support/fake-gateway.js';
import {
  beginHttp,
  callMessage,
  envelopeOf,
  initializeMessage,
  MODERN_META,
  modernHeaders,
  openSession,
  sendHttp,
} from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

let gateway: FakeGateway;
let gatewayServer: HttpGatewayServer;
let observations: Observation[];
let onObservation: (observation: Observation) => void;

async function open(options: FakeGatewayOptions = {}): Promise<string> {
  observations = [];
  onObservation = () => undefined;
  gateway = createFakeGateway(options);
  const observe = (observation: Observation): void => {
    observations.push(observation);
    onObservation(observation);
  };
  gatewayServer = await openHttpServer(gateway, { observe, serverInfo: SERVER_INFO });
  return gatewayServer.url;
}

/** Resolves at the next session event of a kind. */
function nextSession(event: string): Promise<string> {
  return new Promise((resolve) => {
    onObservation = (observation) => {
      if (observation.kind === 'session' && observation.event === event) resolve(observation.sessionId);
    };
  });
}

afterEach(async () => {
  await gatewayServer.close();
  expect(observations.filter(({ kind }) => kind === 'defect')).toEqual([]);
  expect(gateway.listeners).toBe(0);
});

it('no more than 200 headers of a request are read', async () => {
  const url = await open();
  const before = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']));
  const send = async (count: number): Promise<number> => {
    const headers = { ...before(count), 'mcp-session-id': 'unknown' };
    return (await sendHttp(url, { headers, body: callMessage(1) })).status;
  };
  expect(await send(150)).toBe(404);
  // The session is not named among the first 200. Node.js 22 and later answer by themselves.
  expect([400, 431]).toContain(await send(250));
});

describe('the legacy endpoint', () => {
  it('opens a session at initialize and returns its id', async () => {
    const url = await open();
    const { status, headers, json } = await sendHttp(url, { body: initializeMessage(7) });
    expect(status).toBe(200);
    expect(headers['mcp-session-id']).toMatch(/^a0[0-9a-f]{8}-[0-9a-f]{32}-[0-9a-f]{32}$/);
    expect(json).toMatchObject({ id: 7, result: { protocolVersion: '2025-11-25', serverInfo: SERVER_INFO } });
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    expect(json.result.capabilities).toEqual({ tools: { listChanged: true }, logging: {}, tasks });
  });

  it('keeps the session id of the wire out of observations', async () => {
    const url = await open();
    const session = await openSession(url);
    expect(observations).toMatchObject([{ kind: 'session', event: 'opened' }]);
    expect(JSON.stringify(observations)).not.toContain(session['mcp-session-id']);
  });

  it('opens no session for a malformed initialize', async () => {
    const url = await open();
    const { status, headers, json } = await sendHttp(url, { body: { jsonrpc: '2.0', id: 1, method: 'initialize' } });
    expect([status, json.error.code, json.id]).toEqual([400, -32602, 1]);
    expect(headers['mcp-session-id']).toBeUndefined();
    expect(observations).toEqual([]);
  });

  it.each([
    ['without a session', {}, 400, -32000, /initialize/],
    ['with an unknown session', { 'mcp-session-id': 'made-up' }, 404, -32001, /initialize/],
  ])('refuses a call %s', async (_case, headers, status, code, message) => {
    const url = await open();
    const answer = await sendHttp(url, { headers, body: callMessage(1) });
    expect(answer.status).toBe(status);
    expect(answer.json.error.code).toBe(code);
    expect(answer.json.error.message).toMatch(message);
    expect(gateway.calls).toEqual([]);
  });

  it('refuses a protocol version that it does not support', async () => {
    const url = await open();
    const headers = { ...(await openSession(url)), 'mcp-protocol-version': '1999-01-01' };
    const { status, json } = await sendHttp(url, { headers, body: callMessage(1) });
    expect(status).toBe(400);
    expect(json.error.message).toMatch(/1999-01-01.*2025-11-25/);
  });

  it('opens another session for a second initialize, and refuses one in a batch', async () => {
    const url = await open();
    const headers = await openSession(url);
    const again = await sendHttp(url, { headers, body: initializeMessage() });
    expect(again.status).toBe(200);
    expect(again.headers['mcp-session-id']).not.toBe(headers['mcp-session-id']);
    const { status, json } = await sendHttp(url, { headers, body: [initializeMessage()] });
    expect([status, json.error.code]).toEqual([400, -32600]);
  });

  it('ends a session at DELETE', async () => {
    const url = await open();
    const headers = await openSession(url);
    expect((await sendHttp(url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await sendHttp(url, { headers, body: callMessage(1) })).status).toBe(404);
    expect((await sendHttp(url, { method: 'DELETE', headers })).status).toBe(404);
    expect(observations).toMatchObject([{ event: 'opened' }, { event: 'closed' }]);
  });

  it('acknowledges notifications and responses', async () => {
    const url = await open();
    const headers = await openSession(url);
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      expect(await sendHttp(url, { headers, body })).toMatchObject({ status: 202, text: '' });
    }
  });

  it('answers ping, and an unknown method with a JSON-RPC error', async () => {
    const url = await open();
    const headers = await openSession(url);
    const ping = await sendHttp(url, { headers, body: { jsonrpc: '2.0', id: 'p', method: 'ping' } });
    expect(ping.json).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    const other = await sendHttp(url, { headers, body: { jsonrpc: '2.0', id: 2, method: 'no/such' } });
    expect([other.status, other.json.error.code]).toEqual([200, -32601]);
  });

  it('ends a session that was idle for too long', async () => {
    const url = await open({ server: { sessionIdleMs: 20 } });
    const expired = nextSession('expired');
    const headers = await openSession(url);
    await expired;
    expect((await sendHttp(url, { headers, body: callMessage(1) })).status).toBe(404);
  });

  it('ends no session while a call or a stream is open', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const url = await open({
      server: { sessionIdleMs: 1_500 },
      handle: async () => {
        await held;
        return toReply('late');
      },
    });
    const [calling, streaming] = [await openSession(url), await openSession(url)];
    const arrived = gateway.nextCall();
    const answer = sendHttp(url, { headers: calling, body: callMessage(1) });
    const stream = beginHttp(url, { method: 'GET', headers: streaming });
    const [opened] = (await once(stream, 'response')) as [IncomingMessage];
    await arrived;
    const expired = nextSession('expired');
    await openSession(url);
    await expired;
    expect(observations.filter((each) => each.kind === 'session' && each.event === 'expired')).toHaveLength(1);
    release();
    expect((await answer).status).toBe(200);
    opened.destroy();
  });

  it('refuses a session when there are too many, and ends no other for it', async () => {
    const url = await open({ server: { maxSessions: 2, maxSessionsPerClient: 1 } });
    const first = await openSession(url);
    const own = await sendHttp(url, { body: initializeMessage(7) });
    expect([own.status, own.headers['mcp-session-id'], own.json.id]).toEqual([503, undefined, 7]);
    expect(own.json.error.message).toContain('server.maxSessionsPerClient');
    expect((await sendHttp(url, { headers: first, body: callMessage(1) })).status).toBe(200);
  });

  it('closes a connection beyond those that there may be, and answers the others', async () => {
    const url = await open({ server: { maxConnections: 1 } });
    const held = connect(Number(new URL(url).port), '127.0.0.1');
    await once(held, 'connect');
    await expect(sendHttp(url, { body: initializeMessage() })).rejects.toThrow();
    held.destroy();
    await expect.poll(() => sendHttp(url, { body: initializeMessage() }).catch(() => undefined)).toBeDefined();
  });

  it('says which setting bounds all sessions together', async () => {
    const url = await open({ server: { maxSessions: 1 } });
    await openSession(url);
    const { status, json } = await sendHttp(url, { body: initializeMessage() });
    expect([status, json.error.message]).toEqual([503, expect.stringContaining('server.maxSessions.')]);
  });

  it('begins a new session for an id of the gateway before a restart, and for no other unknown id', async () => {
    const url = await open();
    const headers = await openSession(url);
    await gatewayServer.close();
    const again = await open();
    const call = (id: string) => sendHttp(again, { headers: { 'mcp-session-id': id }, body: callMessage(1) });
    const id = String(headers['mcp-session-id']);
    expect([(await call(id)).status, (await call(id)).status]).toEqual([200, 200]);
    expect(new Set(gateway.calls.map(({ caller }) => caller.sessionId)).size).toBe(1);
    expect((await call(id.replace(/.$/, (end) => (end === '0' ? '1' : '0')))).status).toBe(404);
    expect((await sendHttp(again, { method: 'DELETE', headers })).status).toBe(200);
    expect((await call(id)).status).toBe(404);
  });

  it('gives a client no session for the id of another client before a restart', async () => {
    const clients = [
      { name: 'ann', token: 'ann-token' },
      { name: 'bob', token: 'bob-token' },
    ];
    const [ann, bob] = clients.map(({ token }) => ({ authorization: `Bearer ${token}` }));
    const opened = await sendHttp(await open({ clients }), { headers: { ...ann }, body: initializeMessage() });
    const id = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    await gatewayServer.close();
    const again = await open({ clients });
    expect((await sendHttp(again, { headers: { ...bob, ...id }, body: callMessage(1) })).status).toBe(404);
    expect((await sendHttp(again, { headers: { ...ann, ...id }, body: callMessage(1) })).status).toBe(200);
    expect((await sendHttp(again, { headers: { ...bob, ...id }, body: callMessage(1) })).status).toBe(404);
  });

  it.each([
    ['a legacy', {}, {}],
    ['a modern', modernHeaders('tools/list'), { _meta: MODERN_META }],
  ])('refuses ill-formed params of %s tools/list in words', async (_case, more, meta) => {
    const url = await open();
    const headers = { ...('mcp-method' in more ? {} : await openSession(url)), ...more };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: {}, ...meta } };
    const { json } = await sendHttp(url, { headers, body });
    const message = "Invalid params: 'cursor': expected string, received object";
    expect(json.error).toEqual({ code: -32602, message });
  });

  it('refuses an encoded body', async () => {
    const url = await open();
    const headers = { 'content-encoding': 'gzip' };
    const { status, json } = await sendHttp(url, { headers, body: initializeMessage() });
    expect([status, json.error.message]).toEqual([415, expect.stringContaining('Content-Encoding')]);
  });

  it('sends list changes on the standalone stream', async () => {
    const url = await open();
    const headers = await openSession(url);
    const stream = beginHttp(url, { method: 'GET', headers });
    const [response] = (await once(stream, 'response')) as [IncomingMessage];
    expect(response.headers['content-type']).toBe('text/event-stream');
    gateway.changeTools(['mcp_aql']);
    const [chunk] = (await once(response, 'data')) as [Buffer];
    expect(chunk.toString()).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
    );
    const ended = once(response.resume(), 'end');
    await sendHttp(url, { method: 'DELETE', headers });
    await ended;
  });

  it('answers a batch with an array of the responses to its requests', async () => {
    const url = await open();
    const headers = await openSession(url);
    const body = [
      callMessage('a', { n: 1 }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'tools/list' },
      { jsonrpc: '2.0', id: 'c', method: 'gateway/unheard-of' },
    ];
    const { status, json } = await sendHttp(url, { headers, body });
    expect(status).toBe(200);
    const byId = Object.fromEntries(json.map((each: { id: string }) => [each.id, each]));
    expect(Object.keys(byId).sort()).toEqual(['a', 'b', 'c']);
    expect(envelopeOf(byId.a)).toMatchObject({ data: { arguments: { n: 1 } } });
    expect(byId.c.error.code).toBe(-32601);
  });

  it.each(['9007199254740993', '1.5', 'null', '[1]'])('refuses the id %s and repeats no other one', async (id) => {
    const url = await open();
    const headers = await openSession(url);
    const body = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
    const { status, json } = await sendHttp(url, { headers, body });
    expect([status, json.error.code, json.id]).toEqual([400, -32600, null]);
  });

  it('refuses a batch with an element that is not a message', async () => {
    const url = await open();
    const headers = await openSession(url);
    const { status, json } = await sendHttp(url, { headers, body: [callMessage(1), { hello: 1 }] });
    expect([status, json.error.code]).toEqual([400, -32600]);
    expect(gateway.calls).toEqual([]);
  });

  it('cancels a call by notification, without an answer', async () => {
    const url = await open({
      handle: ({ cancellation }) =>
        new Promise((resolve) => cancellation.onCancel(() => resolve(toReply(cancellation.reason)))),
    });
    const headers = await openSession(url);
    const arrived = gateway.nextCall();
    const answer = sendHttp(url, { headers, body: callMessage(9) });
    const { cancellation } = await arrived;
    const params = { requestId: 9, reason: 'changed my mind' };
    await sendHttp(url, { headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params } });
    expect(await answer).toMatchObject({ status: 202, text: '' });
    expect(cancellation.reason).toBe('changed my mind');
  });

  it('refuses a request id that is still unanswered', async () => {
    const url = await open({ handle: () => new Promise(() => undefined) });
    const headers = await openSession(url);
    const arrived = gateway.nextCall();
    const first = beginHttp(url, { headers, body: callMessage(1) });
    first.once('error', () => undefined);
    await arrived;
    const { json } = await sendHttp(url, { headers, body: callMessage(1) });
    expect(json.error).toMatchObject({ code: -32600, message: expect.stringContaining("'1'") });
    first.destroy();
  });
});

describe('a call over HTTP', () => {
  it('gets an event stream only when the client accepts one and there is progress', async () => {
    const url = await open({
      handle: ({ onProgress }) => {
        onProgress?.({ progress: 1 });
        return toReply('done');
      },
    });
    const headers = await openSession(url);
    const body = { ...callMessage(1) };
    const params = { ...(body['params'] as object), _meta: { progressToken: 'tok' } };
    const withToken = { ...body, params };
    const streamed = await sendHttp(url, { headers, body: withToken });
    expect(streamed.headers['content-type']).toBe('text/event-stream');
    const withoutIds = (text: string): string => text.replaceAll(/^id: \S+\n/gm, '').trim();
    const [first, second] = withoutIds(streamed.text).split('\n\n');
    expect(first).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":1}}',
    );
    expect(second).toContain('"result"');
    const inner = { operation: 'x', _meta: { progressToken: 'tok' } };
    const beside = { ...(body['params'] as object), arguments: inner };
    expect(withoutIds((await sendHttp(url, { headers, body: { ...body, params: beside } })).text)).toContain(first);
    for (const accept of ['application/json', '*/*']) {
      const plain = await sendHttp(url, { headers: { ...headers, accept }, body: withToken });
      expect(plain.headers['content-type']).toBe('application/json');
    }
    expect((await sendHttp(url, { headers, body })).headers['content-type']).toBe('application/json');
  });

  it('gets an internal error without details when the gateway throws', async () => {
    const url = await open({ handle: () => Promise.reject(new Error('secret path')) });
    const headers = await openSession(url);
    const { status, json, text } = await sendHttp(url, { headers, body: callMessage(1) });
    expect([status, json.error.code]).toEqual([200, -32603]);
    expect(text).not.toContain('secret');
    expect(observations.at(-1)).toMatchObject({ kind: 'defect', where: 'tools/call' });
    observations.pop();
  });

  it('is finished before the server closes', async () => {
    let release = (): void => undefined;
    const url = await open({
      handle: () =>
        new Promise((resolve) => {
          release = () => resolve(toReply('finished'));
        }),
    });
    const headers = await openSession(url);
    const arrived = gateway.nextCall();
    const answer = sendHttp(url, { headers, body: callMessage(1) });
    await arrived;
    const closed = gatewayServer.close();
    release();
    expect((await answer).text).toContain('finished');
    await closed;
  });
});

describe('modern requests', () => {
  const modernCall = (meta: object = {}) => ({
    ...callMessage(1),
    params: { name: 'mcp_aql_read', arguments: { n: 1 }, _meta: { ...MODERN_META, ...meta } },
  });

  it('get the same answers with members that ask for more', async () => {
    const url = await open({ handle: () => toReply({ ok: true }, { meta: { 'example.com/x': 1 } }) });
    const headers = modernHeaders('tools/call', 'mcp_aql_read');
    const fast = await sendHttp(url, { headers, body: modernCall() });
    const slow = await sendHttp(url, { headers, body: modernCall({ 'io.modelcontextprotocol/logLevel': 'error' }) });
    expect(fast.json).toEqual(slow.json);
    expect(fast.json.result).toMatchObject({ resultType: 'complete' });
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const listHeaders = modernHeaders('tools/list');
    const hotList = await sendHttp(url, { headers: listHeaders, body: { ...list, params: { _meta: MODERN_META } } });
    const meta = { ...MODERN_META, 'io.modelcontextprotocol/logLevel': 'error' };
    const slowList = await sendHttp(url, { headers: listHeaders, body: { ...list, params: { _meta: meta } } });
    expect(hotList.json).toEqual(slowList.json);
    expect(hotList.json.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('share a session when client name and address are the same', async () => {
    const url = await open();
    const headers = modernHeaders('tools/call', 'mcp_aql_read');
    const named = (name: string) => ({ 'io.modelcontextprotocol/clientInfo': { name, version: '1' } });
    for (const name of ['one', 'one', 'two']) await sendHttp(url, { headers, body: modernCall(named(name)) });
    const [first, second, third] = gateway.calls.map(({ caller }) => caller);
    expect(second?.sessionId).toBe(first?.sessionId);
    expect(third?.sessionId).not.toBe(first?.sessionId);
    expect(third?.clientName).toBe('two');
  });

  it.each([
    ['a missing name header', modernHeaders('tools/call'), -32020],
    ['another method in the header', modernHeaders('tools/list', 'mcp_aql_read'), -32020],
    ['another name in the header', modernHeaders('tools/call', 'mcp_aql_create'), -32020],
    ['another version in the header', { 'mcp-protocol-version': '2025-11-25' }, -32020],
  ])('are refused for %s', async (_case, headers, code) => {
    const url = await open();
    const { status, json } = await sendHttp(url, { headers, body: modernCall() });
    expect([status, json.error.code]).toEqual([400, code]);
    expect(gateway.calls).toEqual([]);
  });

  it('are refused for headers that contradict the body before anything else is wrong with it', async () => {
    const url = await open();
    const later = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const { json } = await sendHttp(url, { headers: modernHeaders('tools/call', 'x'), body: modernCall(later) });
    expect(json.error.code).toBe(-32020);
    const headers = { ...modernHeaders('tools/call', 'mcp_aql_read'), 'mcp-protocol-version': '2099-01-01' };
    expect((await sendHttp(url, { headers, body: modernCall(later) })).json.error.code).toBe(-32022);
  });

  it('need not repeat what a method of another era would be about', async () => {
    const url = await open();
    const body = { jsonrpc: '2.0', id: 1, method: 'tasks/result', params: { taskId: 't', _meta: MODERN_META } };
    const { status, json } = await sendHttp(url, { headers: modernHeaders('tasks/result'), body });
    expect([status, json.error.code]).toEqual([404, -32601]);
  });

  it('are refused without an envelope', async () => {
    const url = await open();
    const headers = modernHeaders('tools/call', 'mcp_aql_read');
    const { status, json } = await sendHttp(url, { headers, body: callMessage(1) });
    expect([status, json.error.code]).toEqual([400, -32602]);
  });

  it('get 404 for an unknown method', async () => {
    const url = await open();
    const body = { jsonrpc: '2.0', id: 1, method: 'gateway/unheard-of', params: { _meta: MODERN_META } };
    const { status, json } = await sendHttp(url, { headers: modernHeaders('gateway/unheard-of'), body });
    expect([status, json.error.code]).toEqual([404, -32601]);
  });
});

describe('bodies', () => {
  const padded = (bytes: number) => ({ operation: 'x', params: { id: 5, text: 'x'.repeat(bytes) } });
  const tooLarge = {
    success: false,
    error: {
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      message: 'Payload exceeds request_size limit of 1000',
      details: { limit_type: 'request_size', limit_value: 1000, unit: 'bytes' },
    },
  };

  it.each([
    ['with the id first', JSON.stringify(callMessage('first', padded(5_000))), 'first'],
    [
      'with the id last',
      JSON.stringify({ ...callMessage(0, padded(50_000)), id: undefined }).replace(/\}$/, ',"id":77}'),
      77,
    ],
  ])('over the limit get a tool result when they are a call %s', async (_case, body, id) => {
    const url = await open({ limits: { maxRequestSize: 1_000 } });
    const { status, json } = await sendHttp(url, { headers: { 'content-length': String(body.length) }, body });
    expect([status, json.id, json.result.isError]).toEqual([200, id, true]);
    expect(envelopeOf(json)).toMatchObject(tooLarge);
    expect(envelopeOf(json)).toMatchObject({ error: { details: { actual_value: body.length } } });
  });

  it('over the limit are refused without a content-length too', async () => {
    const url = await open({ limits: { maxRequestSize: 1_000 } });
    const text = JSON.stringify(callMessage(3, padded(5_000)));
    const body = [Buffer.from(text.slice(0, 700)), Buffer.from(text.slice(700))];
    const { json } = await sendHttp(url, { body });
    expect([json.id, envelopeOf(json)]).toMatchObject([3, { error: { details: { actual_value: text.length } } }]);
  });

  it('over the limit get 413 with the failure as data when they are not a call', async () => {
    const url = await open({ limits: { maxRequestSize: 1_000 } });
    const body = { jsonrpc: '2.0', id: 4, method: 'tools/list', params: padded(5_000) };
    const { status, json } = await sendHttp(url, { body });
    expect([status, json.id]).toEqual([413, 4]);
    expect(json.error.data).toMatchObject(tooLarge);
  });

  it('at the limit are accepted', async () => {
    const limit = 300;
    const url = await open({ limits: { maxRequestSize: limit } });
    const headers = await openSession(url);
    const text = JSON.stringify(callMessage(1));
    const exact = await sendHttp(url, { headers, body: text.padEnd(limit) });
    expect(envelopeOf(exact.json)).toMatchObject({ success: true });
    const over = await sendHttp(url, { headers, body: text.padEnd(limit + 1) });
    expect(envelopeOf(over.json)).toMatchObject({ success: false });
  });

  it('of a modern call get a modern result', async () => {
    const url = await open({ limits: { maxRequestSize: 1_000 } });
    const headers = modernHeaders('tools/call', 'mcp_aql_read');
    const { json } = await sendHttp(url, { headers, body: callMessage(1, padded(2_000)) });
    expect(json.result.resultType).toBe('complete');
  });

  it('that are not UTF-8 are refused with the offset of the fault', async () => {
    const url = await open();
    const start = Buffer.from('{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"ü');
    const body = Buffer.concat([start, Buffer.from([0xc3, 0x28]), Buffer.from('"}}')]);
    const { status, json } = await sendHttp(url, { body });
    expect([status, json.id]).toEqual([200, 8]);
    expect(envelopeOf(json)).toMatchObject({
      success: false,
      error: { code: 'VALIDATION_INVALID_ENCODING', details: { byte_offset: start.length } },
    });
  });

  it('that are not JSON get a parse error', async () => {
    const url = await open();
    const { status, json } = await sendHttp(url, { body: '{"jsonrpc":' });
    expect([status, json]).toMatchObject([400, { id: null, error: { code: -32700 } }]);
  });

  it('that are JSON but not a message get an invalid request error', async () => {
    const url = await open();
    for (const body of ['null', '[]', '5', '{"hello":1}']) {
      const { status, json } = await sendHttp(url, { body });
      expect([status, json.error.code]).toEqual([400, -32600]);
    }
  });

  it.each([
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'nonsense' }, 415],
    [{ accept: 'text/html' }, 406],
  ])('with %j are refused', async (headers, status) => {
    const url = await open();
    expect((await sendHttp(url, { headers, body: callMessage(1) })).status).toBe(status);
  });
});

describe('the host guard', () => {
  it.each([
    ['host', { host: 'evil.example' }, 'server.allowedHosts'],
    ['origin', { origin: 'https://evil.example' }, 'server.allowedOrigins'],
    ['opaque origin', { origin: 'null' }, 'server.allowedOrigins'],
  ])('refuses a foreign %s and names the setting', async (_case, headers, setting) => {
    const url = await open();
    for (const target of [url, url.replace('/mcp', '/readyz')]) {
      const { status, json } = await sendHttp(target, { headers, body: callMessage(1) });
      expect(status).toBe(403);
      expect(json.error.message).toContain(setting);
    }
    expect(gateway.calls).toEqual([]);
  });

  it('lets an allowed origin read the session id, in both eras', async () => {
    const url = await open({ server: { allowedOrigins: ['app.example'] } });
    const origin = { origin: 'https://app.example' };
    const { headers } = await sendHttp(url, { headers: origin, body: initializeMessage() });
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
    expect(headers['access-control-expose-headers']).toContain('Mcp-Session-Id');
    const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: MODERN_META } };
    const discover = await sendHttp(url, { headers: { ...origin, ...modernHeaders('server/discover') }, body });
    expect(discover.status).toBe(200);
    expect(discover.headers['access-control-allow-origin']).toBe('https://app.example');
  });

  it('answers the preflight of an allowed origin', async () => {
    const url = await open({ server: { allowedOrigins: ['app.example'] } });
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, mcp-session-id',
    };
    const answer = await sendHttp(url, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-methods']).toContain('DELETE');
    expect(answer.headers['access-control-allow-headers']).toBe('content-type, mcp-session-id');
  });
});

describe('the HTTP server', () => {
  it('refuses other methods on /mcp', async () => {
    const url = await open();
    const { status, headers } = await sendHttp(url, { method: 'PUT', body: '{}' });
    expect([status, headers.allow]).toEqual([405, 'GET, POST, DELETE, OPTIONS']);
  });

  it('refuses a GET that does not accept an event stream', async () => {
    const url = await open();
    const headers = { ...(await openSession(url)), accept: 'application/json' };
    expect((await sendHttp(url, { method: 'GET', headers })).status).toBe(406);
  });

  it('names the path of MCP in a 404', async () => {
    const url = await open();
    const { status, text } = await sendHttp(url.replace('/mcp', '/nowhere'), { method: 'GET' });
    expect([status, text]).toEqual([404, expect.stringContaining('/mcp')]);
  });

  it('explains that a port is in use', async () => {
    await open();
    const { port } = gatewayServer.address;
    const second = openHttpServer(createFakeGateway({ server: { port } }), {
      observe: () => undefined,
      serverInfo: SERVER_INFO,
    });
    await expect(second).rejects.toThrow(`127.0.0.1:${port} is in use by another program`);
  });
});

it('a request to the path of MCP whose handling throws is answered with 500, and the log has the cause', async () => {
  const cause = new Error('a defect');
  const observations: Observation[] = [];
  const fail = (): never => {
    throw cause;
  };
  const server = createServer(
    withFastMcp(
      { serveMcp: fail, serveView: fail, serveOthers: () => undefined },
      () => true,
      (observation) => observations.push(observation),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${MCP_PATH}`;
  const { status, json } = await sendHttp(url, { body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  server.close();
  expect(status).toBe(500);
  expect(json.error.message).toBe('Internal error');
  expect(observations).toEqual([{ kind: 'defect', where: MCP_PATH, cause }]);
});
