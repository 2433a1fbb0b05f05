import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { withoutNulls } from '../../../../src/base/json/absent-nulls.js';
import { readTools } from '../../../../src/upstream/tool-list.js';
import { describeConnectFailure } from '../../../../src/upstream/translate-failure.js';
import { anUpstream, openPool, textOf } from '../opened-pool.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Oddities {
  /** Members of the result of `initialize`; undefined takes one away. */
  readonly init?: Readonly<Record<string, unknown>>;
  /** How each answer is written. */
  readonly write?: (message: Record<string, unknown>) => { readonly type?: string; readonly body: string };
  readonly userinfo?: string;
}

async function opened({ init = {}, write, userinfo = '' }: Oddities) {
  const authorizations = new Set<string | undefined>();
  const server = createServer(async (request, response) => {
    authorizations.add(request.headers.authorization);
    if (request.method !== 'POST') return response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    if (id === undefined) return response.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'loose', version: '1' },
        ...init,
      },
      'tools/list': { tools: [] },
      'tools/call': { content: [{ type: 'text', text: 'ok' }] },
    };
    const result = results[method];
    const answer = {
      jsonrpc: '2.0',
      id,
      ...(result === undefined ? { error: { code: -32601, message: 'no' } } : { result }),
    };
    const { type, body } = write?.(answer) ?? { type: 'application/json', body: JSON.stringify(answer) };
    response.writeHead(200, type === undefined ? {} : { 'content-type': type });
    return response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const pool = openPool(anUpstream({ type: 'http', url: `http://${userinfo}127.0.0.1:${port}/mcp`, headers: {} }));
  closers.push(async () => {
    await pool.pool.close();
    server.closeAllConnections();
    server.close();
  });
  await pool.settled;
  return { pool, authorizations };
}

describe('a server is used whose', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['instructions are null', { instructions: null }],
    ['instructions are no text', { instructions: 7 }],
    ['capability is null', { capabilities: { tools: null } }],
    ['capability is false', { capabilities: { tools: false } }],
    ['capability is true', { capabilities: { tools: true } }],
    ['capability has a null', { capabilities: { tools: { listChanged: null }, prompts: { listChanged: 'yes' } } }],
    ['capabilities are null', { capabilities: null }],
    ['capabilities are missing', { capabilities: undefined }],
    ['serverInfo is missing', { serverInfo: undefined }],
    ['serverInfo is null', { serverInfo: null }],
    ['serverInfo is a text', { serverInfo: 'shop' }],
    ['serverInfo has no version', { serverInfo: { name: 'shop' } }],
    ['serverInfo has nulls', { serverInfo: { name: null, version: 2, title: null, icons: null } }],
    ['_meta is null', { _meta: null }],
  ])('%s', async (_name, init) => {
    const { pool } = await opened({ init });
    expect(textOf(await pool.call('any'))).toBe('ok');
  });

  it.each<[string, NonNullable<Oddities['write']>]>([
    ['answers have a null error', (message) => json({ error: null, ...message })],
    ['ids come back as texts', (message) => json({ ...message, id: String(message['id']) })],
    ['answers have no type', (message) => ({ body: JSON.stringify(message) })],
    ['answers are declared as text', (message) => ({ ...json(message), type: 'text/plain; charset=utf-8' })],
    ['answers are of another JSON type', (message) => ({ ...json(message), type: 'application/vnd.api+json' })],
    [
      'answers come after events that hold no JSON',
      (message) => ({
        type: 'text/event-stream',
        body: `data: keep-alive\n\ndata: ping\n\ndata: ${JSON.stringify(message)}\n\n`,
      }),
    ],
  ])('%s', async (_name, write) => {
    const { pool } = await opened({ write });
    expect(textOf(await pool.call('any'))).toBe('ok');
  });

  it('address holds user and password, which are sent as Basic and masked', async () => {
    const { pool, authorizations } = await opened({ userinfo: 'ann:p%40ss-word-1@' });
    expect(textOf(await pool.call('any'))).toBe('ok');
    const basic = `Basic ${Buffer.from('ann:p@ss-word-1').toString('base64')}`;
    expect([...authorizations]).toEqual([basic]);
    expect(JSON.stringify([pool.observations, pool.pool.statuses()])).not.toMatch(/ss-word-1|YW5u/);
  });
});

it.each([
  ['a text', 'disk is full'],
  ['a text as its message', { code: -32000, message: 'disk is full' }],
  ['an object as its message', { code: -32000, message: { message: 'disk is full', at: 7 } }],
  ['words under another name', { code: 5, detail: 'disk is full' }],
  ['a list', ['disk is full']],
])('an error that is %s keeps its words', async (_name, error) => {
  const { pool } = await opened({
    write: (message) => json(isCall(message) ? { ...message, result: null, error } : message),
  });
  await expect(pool.call('any')).rejects.toMatchObject({ message: expect.stringContaining('disk is full') });
});

it.each([
  ['a text', '"done"', 'its result is no object but "done"'],
  ['no JSON', '{"a": NaN}', 'it is no JSON'],
])('a result that is %s is told as it is', async (_name, result, words) => {
  const write = (message: Record<string, unknown>) => {
    const { id } = message;
    const body = `{"jsonrpc": "2.0", "id": ${id}, "result": ${result}}`;
    return isCall(message) ? { type: 'application/json', body } : json(message);
  };
  const { pool } = await opened({ write });
  await expect(pool.call('any')).rejects.toMatchObject({ message: expect.stringContaining(words) });
});

it('an answer that is declared as a page is refused, and one in text that is no JSON, too', async () => {
  for (const type of ['text/html', 'text/plain']) {
    const { pool } = await opened({ write: () => ({ type, body: '<html>' }) });
    await expect(pool.call('any')).rejects.toMatchObject({ details: { reason: 'unavailable' } });
    expect(pool.pool.statuses()[0]?.problem).toContain(`'${type}' instead of JSON`);
  }
});

it('the empty string is a cursor from 2026-07-28 on, and the end before', async () => {
  const list = async ({ cursor }: { readonly cursor?: string }) =>
    cursor === undefined ? { tools: [{ name: 'a' }], nextCursor: '' } : { tools: [{ name: 'b' }] };
  expect((await readTools(list, 'modern')).tools).toEqual([{ name: 'a' }, { name: 'b' }]);
  expect((await readTools(list, 'legacy')).tools).toEqual([{ name: 'a' }]);
});

it('tells members that MCP refuses in words, without the report of a validator', () => {
  const dump =
    'Invalid result for initialize: [\n  {\n    "expected": "string",\n    "path": [\n      "serverInfo",\n      "name"\n    ]\n  }\n]';
  const words = describeConnectFailure(new Error(dump));
  expect(words).toBe("its answer to 'initialize' is not as MCP has it: see serverInfo.name");
});

it('takes members that are null for absent, and leaves items and all else as they are', () => {
  const whole = { a: [null, { b: 1 }], c: '' };
  expect(withoutNulls(whole)).toBe(whole);
  expect(withoutNulls({ a: null, b: { c: null, d: [null, { e: null }] } })).toEqual({ b: { d: [null, {}] } });
});

function isCall({ result }: Readonly<Record<string, unknown>>): boolean {
  return result !== null && typeof result === 'object' && 'content' in result;
}

function json(message: unknown): { readonly type: string; readonly body: string } {
  return { type: 'application/json', body: JSON.stringify(message) };
}
