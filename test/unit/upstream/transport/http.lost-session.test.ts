import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { anUpstream, openPool, textOf } from '../opened-pool.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

type Refuse = (response: ServerResponse, message: Message) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server with sessions that can be redeployed: it then refuses the old session in its own way. */
async function sessionServer({
  refuse,
  onCall,
  onPing,
  opensStream = false,
  tools = [],
}: {
  readonly refuse: Refuse;
  /** Answers a call in a known session. Returns whether it did. */
  readonly onCall?: Refuse;
  readonly onPing?: Refuse;
  readonly opensStream?: boolean;
  readonly tools?: readonly object[];
}) {
  const seen: string[] = [];
  const ran: string[] = [];
  let life = 1;
  const streams = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const isKnown = request.headers['mcp-session-id'] === `s${life}`;
    if (request.method === 'GET') {
      if (!isKnown) return refuse(response, { method: 'GET' });
      if (!opensStream) return response.writeHead(405).end();
      streams.add(response);
      return response.writeHead(200, EVENTS).write('retry: 1\n\n');
    }
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message: Message = JSON.parse(await bodyOf(request));
    seen.push(`${message.method} ${String(request.headers['mcp-session-id'])}`);
    const { id, method, params } = message;
    const reply = (result: unknown, headers = {}) =>
      response.writeHead(200, { ...JSON_TYPE, ...headers }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'server/discover') {
      const error = { code: -32601, message: 'Method not found' };
      return response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    }
    if (method === 'initialize') {
      const serverInfo = { name: 'redeployed', version: '1' };
      const result = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
      return reply(result, { 'mcp-session-id': `s${life}` });
    }
    if (!isKnown) return refuse(response, message);
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'ping') return onPing === undefined ? reply({}) : onPing(response, message);
    if (method === 'tools/list') return reply({ tools });
    ran.push(`${String(params?.name)} in life ${life}`);
    if (onCall !== undefined) return onCall(response, message);
    return reply({ content: [{ type: 'text', text: `life ${life}` }] });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const opened = openPool(
    anUpstream({ type: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers: {} }),
  );
  closers.push(async () => {
    await opened.pool.close();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });
  await opened.settled;
  return {
    opened,
    seen,
    ran,
    streams,
    redeploy: () => {
      life += 1;
      for (const stream of streams) stream.end();
      streams.clear();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

const json =
  (status: number, body: unknown): Refuse =>
  (response) =>
    void response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
const plain =
  (status: number, body = ''): Refuse =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
const rpcError = (code: number, message: string, id: unknown) => ({ jsonrpc: '2.0', id, error: { code, message } });
const inAnswer =
  (code: number, message: string): Refuse =>
  (response, { id }) =>
    void response.writeHead(200, JSON_TYPE).end(JSON.stringify(rpcError(code, message, id ?? null)));
const inEvents =
  (code: number, message: string): Refuse =>
  (response, { id }) =>
    void response.writeHead(200, EVENTS).end(`data: ${JSON.stringify(rpcError(code, message, id ?? null))}\n\n`);
const inOpenEvents =
  (code: number, message: string): Refuse =>
  (response, { id }) =>
    void response.writeHead(200, EVENTS).write(`data: ${JSON.stringify(rpcError(code, message, id ?? null))}\n\n`);

/** None of the words are those of another. */
const CERTAIN: readonly (readonly [string, Refuse])[] = [
  ['400 as the official SDK', json(400, rpcError(-32000, 'Bad Request: Server not initialized', null))],
  ['400 with nothing', plain(400)],
  ['400 in another language', plain(400, 'Unbekannte Sitzung')],
  ['401', plain(401, 'who are you?')],
  ['403', json(403, { detail: 'no' })],
  ['404 with a page', plain(404, '<html>not here</html>')],
  ['404 as the specification', json(404, rpcError(-32001, 'Session not found', null))],
  ['405', plain(405)],
  ['409', json(409, { error: 'conflict' })],
  ['410', plain(410, 'gone')],
  ['412', plain(412)],
  ['422', json(422, { detail: [{ loc: ['header'], msg: 'bad' }] })],
  ['-32000 within 200', inAnswer(-32000, 'Bad Request')],
  ['-32001 within 200', inAnswer(-32001, 'expired')],
  ['-32002 within 200', inAnswer(-32002, 'Server not initialized')],
  ['-32600 within 200', inAnswer(-32600, 'Invalid Request')],
  ['-32602 within 200', inAnswer(-32602, 'Invalid request parameters')],
  ['an error of another code within 200', inAnswer(404, 'not known')],
  ['an error without its id within 200', json(200, rpcError(-32600, 'Missing', null))],
  ['an error with an id of its own within 200', json(200, rpcError(-32600, 'Missing', 'server-error'))],
  ['an error within events', inEvents(-32602, 'Invalid request parameters')],
  ['an error within events that stay open', inOpenEvents(-32000, 'Bad Request')],
];

/** The call may have run before the server began to fail. */
const UNCERTAIN: readonly (readonly [string, Refuse])[] = [
  ['500', plain(500, 'boom')],
  ['503', json(503, { error: 'unavailable' })],
  ['-32603 within 200', inAnswer(-32603, 'Internal error')],
  ['a text for an error within 200', json(200, { error: 'session expired' })],
  ['a message within 200', json(200, { message: 'who are you?' })],
  [
    'a page within 200',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
  ],
  ['nothing within 200', (response) => void response.writeHead(200, JSON_TYPE).end()],
  ['events without an answer', (response) => void response.writeHead(200, EVENTS).end()],
  ['nothing within 204', (response) => void response.writeHead(204).end()],
  [
    'an error within 200 that is not that of the ping',
    (response, message) =>
      (message.method === 'tools/call' ? inAnswer(-32000, 'failed') : plain(404))(response, message),
  ],
];

describe('a server that is redeployed and refuses the old session with', () => {
  it.each(CERTAIN)('%s gets a new session, and each call once', async (_name, refuse) => {
    const { opened, ran, redeploy, seen } = await sessionServer({ refuse });
    await opened.call('before');
    redeploy();
    const texts = await Promise.all(['write', 'other'].map(async (tool) => textOf(await opened.call(tool))));
    expect(texts).toEqual(['life 2', 'life 2']);
    expect([...ran].sort()).toEqual(['before in life 1', 'other in life 2', 'write in life 2']);
    expect(seen.filter((message) => message === 'ping s1').length).toBe(1);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 1 });
  });

  it.each(UNCERTAIN)('%s gets a new session, and only what may run twice again', async (_name, refuse) => {
    const { opened, ran, redeploy } = await sessionServer({ refuse });
    await opened.call('before');
    redeploy();
    const [read, write] = await Promise.allSettled([
      opened.call('read', {}, { retryable: true }),
      opened.call('write'),
    ]);
    expect(read).toMatchObject({ value: { content: [{ text: 'life 2' }] } });
    expect(write).toMatchObject({ reason: { details: { outcome: 'unknown', retryable: false } } });
    expect(ran).toEqual(['before in life 1', 'read in life 2']);
    expect(textOf(await opened.call('after'))).toBe('life 2');
  });

  it.each([400, 401, 404, 405, 410, 422, 500, 503])(
    '%i on its stream gets a new session before any call',
    async (status) => {
      const { opened, redeploy, streams } = await sessionServer({ refuse: plain(status), opensStream: true });
      await expect.poll(() => streams.size).toBe(1);
      redeploy();
      await opened.until(
        () => opened.pool.statuses()[0]?.restarts === 1 && opened.pool.statuses()[0]?.state === 'ready',
      );
      expect(textOf(await opened.call('any'))).toBe('life 2');
    },
  );
});

describe('an honest refusal in a session', () => {
  const HONEST: readonly (readonly [string, Refuse])[] = [
    ['400', plain(400, 'No valid session ID provided')],
    ['404', plain(404, 'Session not found')],
    ['500', plain(500, 'the disk is full')],
    ['-32602', inAnswer(-32602, 'Invalid arguments')],
    ['-32000 in events', inEvents(-32000, 'the record is locked')],
  ];

  it.each(HONEST)('(%s) is told as what it is, and many cost one ping', async (_name, onCall) => {
    const { opened, ran, seen } = await sessionServer({ refuse: plain(404), onCall });
    for (let at = 0; at < 10; at += 1) await expect(opened.call('write')).rejects.toMatchObject({ code: /./ });
    expect(ran.length).toBe(10);
    expect(seen.filter((message) => message.startsWith('ping')).length).toBe(1);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it.each(HONEST)('(%s) of a server that refuses every ping in the same way runs once', async (_name, onCall) => {
    const { opened, ran } = await sessionServer({ refuse: plain(404), onCall, onPing: onCall });
    await expect(opened.call('write')).rejects.toMatchObject({ code: /./ });
    expect(ran).toEqual(['write in life 1']);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('of a server that refuses every ping in the same way and has a long list of tools runs once', async () => {
    const tools = [{ name: 'long', description: 'x'.repeat(200_000), inputSchema: { type: 'object' } }];
    const { opened, ran } = await sessionServer({ refuse: plain(404), onCall: plain(400), onPing: plain(400), tools });
    await expect(opened.call('write')).rejects.toMatchObject({ code: /./ });
    expect(ran).toEqual(['write in life 1']);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('does not hide that a server which refuses every ping is redeployed', async () => {
    const { opened, ran, redeploy } = await sessionServer({ refuse: plain(400), onPing: plain(400) });
    await opened.call('before');
    redeploy();
    expect(textOf(await opened.call('write'))).toBe('life 2');
    expect(ran).toEqual(['before in life 1', 'write in life 2']);
  });
});
