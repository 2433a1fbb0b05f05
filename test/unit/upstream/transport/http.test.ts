import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { anUpstream, openPool, textOf } from '../opened-pool.js';

type Answer = (
  message: { id: number; params: { name: string } },
  response: ServerResponse,
  request: IncomingMessage,
) => void;

interface Scripted extends AsyncDisposable {
  readonly url: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

/** A legacy server that connects as specified and leaves calls and GETs to the test. */
async function scripted(script: {
  readonly onCall: Answer;
  readonly onGet?: (response: ServerResponse, request: IncomingMessage) => void;
  readonly sessionId?: () => string;
  /** Whether the server knows the session of a request that is no call. */
  readonly knows?: (request: IncomingMessage) => boolean;
  readonly onNotification?: (response: ServerResponse) => void;
  /** Whether it leaves requests that are no calls without an answer, once it is connected. */
  readonly ignores?: () => boolean;
}): Promise<Scripted> {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET' && script.onGet !== undefined) return script.onGet(response, request);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request));
    if (message.id === undefined) {
      if (script.onNotification !== undefined) return script.onNotification(response);
      return response.writeHead(202).end();
    }
    if (message.method === 'tools/call') return script.onCall(message, response, request);
    if (message.method !== 'initialize' && script.knows?.(request) === false) return response.writeHead(404).end();
    if (message.method === 'ping' && script.ignores?.() === true) return;
    const { id } = message;
    const { protocolVersion } = message.params ?? {};
    const results: Record<string, unknown> = {
      initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } },
      'tools/list': { tools: [] },
    };
    const result = results[message.method];
    const error = { code: -32601, message: 'Method not found' };
    const sessionId = message.method === 'initialize' ? script.sessionId?.() : undefined;
    const session = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
    response.writeHead(200, { ...JSON_TYPE, ...session });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

function answer(id: number, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
}

function upstream({ url }: Scripted) {
  return anUpstream({ type: 'http', url, headers: {} });
}

describe('HttpTransport', () => {
  it('takes up a response stream that broke, by its last event id', async () => {
    const asked: unknown[] = [];
    let id = 0;
    await using server = await scripted({
      onCall: (message, response) => {
        ({ id } = message);
        response.writeHead(200, EVENTS).end('id: e1\nretry: 1\ndata:\n\n');
      },
      onGet: (response, request) => {
        if (request.headers['last-event-id'] === undefined) return response.writeHead(405).end();
        asked.push(request.headers['last-event-id']);
        response.writeHead(200, EVENTS);
        if (asked.length === 1) return response.end('id: e2\nretry: 1\ndata:\n\n');
        return response.end(`id: e3\ndata: ${answer(id, 'at last')}\n\n`);
      },
    });
    await using opened = openPool(upstream(server));
    expect(textOf(await opened.call('any'))).toBe('at last');
    expect(asked).toEqual(['e1', 'e2']);
  });

  it('fails a call whose stream ends without an answer, and keeps the connection', async () => {
    await using server = await scripted({
      onCall: (_message, response) => response.writeHead(200, EVENTS).end(': nothing\n\n'),
    });
    await using opened = openPool(upstream(server));
    await expect(opened.call('any')).rejects.toMatchObject({
      details: { reason: 'connection_lost', outcome: 'unknown' },
    });
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('gives a call the answer that has come while the process had no turn, however long that was', async () => {
    const timeoutMs = 300;
    await using server = await scripted({
      onCall: ({ id }, response) => {
        response.once('finish', () => {
          const until = performance.now() + 3 * timeoutMs;
          while (performance.now() < until);
        });
        response.writeHead(200, JSON_TYPE).end(answer(id, 'done'));
      },
    });
    await using opened = openPool(upstream(server));
    await opened.settled;
    expect(textOf(await opened.call('any', {}, { timeoutMs }))).toBe('done');
  });

  it('does not gather streams that a server leaves open after its answer', async () => {
    let open = 0;
    await using server = await scripted({
      onCall: ({ id }, response) => {
        open += 1;
        response.on('close', () => {
          open -= 1;
        });
        response.writeHead(200, EVENTS).write(`data: ${answer(id, 'done')}\n\n`);
      },
    });
    await using opened = openPool(upstream(server));
    for (let at = 0; at < 100; at += 1) await opened.call('any');
    await expect.poll(() => open).toBeLessThanOrEqual(17);
  });

  it.each([
    ['400', 400, 'Bad Request: No valid session ID provided'],
    ['404', 404, 'Session not found'],
  ])('opens a new session where the old one is answered with %s', async (_name, status, text) => {
    let session = 's1';
    await using server = await scripted({
      sessionId: () => session,
      knows: (request) => request.headers['mcp-session-id'] === session,
      onCall: ({ id }, response, request) => {
        if (request.headers['mcp-session-id'] === 's1') {
          session = 's2';
          const error = { code: -32000, message: text };
          return response.writeHead(status, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
        }
        return response.writeHead(200, JSON_TYPE).end(answer(id, String(request.headers['mcp-session-id'])));
      },
    });
    await using opened = openPool(upstream(server));
    expect(textOf(await opened.call('any'))).toBe('s2');
    expect(opened.pool.statuses()[0]).toMatchObject({ restarts: 1 });
  });

  it('takes a JSON-RPC error in an HTTP error for the answer', async () => {
    await using server = await scripted({
      onCall: ({ id }, response) => {
        const error = { code: -32602, message: 'no such tool' };
        response.writeHead(400, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      },
    });
    await using opened = openPool(upstream(server));
    await expect(opened.call('any')).rejects.toMatchObject({
      code: 'VALIDATION_INVALID_TYPE',
      details: { upstream_code: -32602 },
    });
  });

  it('explains that a tool asks for input, which nobody would give', async () => {
    await using server = await scripted({
      onCall: ({ id }, response) => {
        const result = { resultType: 'input_required', inputRequests: {}, requestState: 's' };
        response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      },
    });
    await using opened = openPool(upstream(server));
    await expect(opened.call('any')).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { reason: 'input_required', retryable: false },
    });
  });

  it.each([
    ['application/json; charset=ISO-8859-1', 'latin1'],
    ['application/json;charset="windows-1252"', 'latin1'],
    ['application/json; charset=utf-16le', 'utf16le'],
    ['application/json; charset=UTF-8', 'utf8'],
  ] as const)('reads an answer in the charset that is declared: %s', async (type, encoding) => {
    const result = { content: [{ type: 'text', text: `é${'x'.repeat(100_000)}ü` }] };
    await using server = await scripted({
      onCall: ({ id }, response) => {
        const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result }), encoding);
        response.writeHead(200, { 'content-type': type }).write(body.subarray(0, 71));
        response.end(body.subarray(71));
      },
    });
    await using opened = openPool(upstream(server));
    expect(textOf(await opened.call('any'))).toBe(result.content[0]?.text);
  });

  it('refuses an answer in a charset that is not known, and names it', async () => {
    await using server = await scripted({
      onCall: ({ id }, response) => {
        response.writeHead(200, { 'content-type': 'application/json; charset=klingon' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
      },
    });
    await using opened = openPool(upstream(server));
    await expect(opened.call('any')).rejects.toThrow(/charset 'klingon'/);
  });

  it.each([1, 100, 20_000])('reads an answer of %d characters that begins with a byte order mark', async (length) => {
    const result = { content: [{ type: 'text', text: 'x'.repeat(length) }] };
    await using server = await scripted({
      onCall: ({ id }, response) => {
        const body = Buffer.from(`\ufeff${JSON.stringify({ jsonrpc: '2.0', id, result })}`);
        response.writeHead(200, JSON_TYPE).write(body.subarray(0, 2));
        response.end(body.subarray(2));
      },
    });
    await using opened = openPool(upstream(server));
    expect(textOf(await opened.call('any'))).toBe('x'.repeat(length));
  });

  it.each([
    ['a text', 'all of it'],
    ['one block', { type: 'text', text: 'all of it' }],
  ])('reads %s in place of the list of content blocks, instead of losing it', async (_, content) => {
    await using server = await scripted({
      onCall: ({ id }, response) =>
        void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result: { content } })),
    });
    await using opened = openPool(upstream(server));
    expect(textOf(await opened.call('any'))).toBe('all of it');
  });

  it('maps a plain HTTP error and keeps the connection', async () => {
    await using server = await scripted({
      onCall: (_message, response) => response.writeHead(429, { 'retry-after': '12' }).end('slow down'),
    });
    await using opened = openPool(upstream(server));
    await expect(opened.call('any')).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { http_status: 429, retry_after_seconds: 12, upstream_error: 'slow down' },
    });
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it.each([
    [
      'an answer',
      200,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000000' },
      { remaining: 0, resetsAt: 1.8e12 },
    ],
    ['a refusal', 429, { 'retry-after': '12' }, { status: 429, retryAfterSeconds: 12 }],
  ])('tells what %s says of the rate limit', async (_name, status, headers, limits) => {
    await using server = await scripted({
      onCall: ({ id }, response) => response.writeHead(status, { ...JSON_TYPE, ...headers }).end(answer(id, 'ok')),
    });
    await using opened = openPool(upstream(server));
    await opened.call('any').catch(() => undefined);
    expect(opened.limits).toEqual([['one', limits]]);
  });

  it('learns from its standing stream that the server has lost the session', async () => {
    let streams = 0;
    let sessions = 0;
    await using server = await scripted({
      sessionId: () => {
        sessions += 1;
        return `s${sessions}`;
      },
      knows: (request) => streams !== 2 || request.headers['mcp-session-id'] !== 's1',
      onCall: ({ id }, response) => response.writeHead(200, JSON_TYPE).end(answer(id, 'ok')),
      onGet: (response) => {
        streams += 1;
        if (streams === 2) response.writeHead(404).end();
        else if (streams === 1) response.writeHead(200, EVENTS).end('retry: 1\n\n');
        else response.writeHead(200, EVENTS).flushHeaders();
      },
    });
    await using opened = openPool(upstream(server));
    await opened.until(() => opened.pool.statuses()[0]?.restarts === 1 && opened.pool.statuses()[0]?.state === 'ready');
    expect(streams).toBeGreaterThanOrEqual(2);
  });
});

describe('a server that answers the first GET with', () => {
  const sessions = [
    ['sessions', () => 's'],
    ['no sessions', undefined],
  ] as const;
  it.each(
    [400, 401, 403, 404, 405, 406, 500, 501].flatMap((status) =>
      sessions.map(([name, id]) => [status, name, id] as const),
    ),
  )('%i, with %s, offers no stream and is used like any other', async (status, _name, sessionId) => {
    let gets = 0;
    await using server = await scripted({
      ...(sessionId === undefined ? {} : { sessionId }),
      onGet: (response) => {
        gets += 1;
        response.writeHead(status).end('no');
      },
      onCall: ({ id }, response) => response.writeHead(200, JSON_TYPE).end(answer(id, 'ok')),
    });
    await using opened = openPool(upstream(server));
    for (let at = 0; at < 5; at += 1) expect(textOf(await opened.call('any'))).toBe('ok');
    await expect.poll(() => gets).toBe(1);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('405 cannot answer later a call that it accepts with 202, so the call fails at once', async () => {
    await using server = await scripted({ onCall: (_, response) => response.writeHead(202).end() });
    await using opened = openPool({ ...upstream(server), timeoutMs: 500 });
    const call = () => opened.call('any').then(textOf, (error: Error) => error.message);
    // A call that comes before the stream is refused waits for its time-out.
    await expect.poll(call).toContain('in no form of MCP');
  });

  it.each([
    ['a page', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['a closed connection', (response: ServerResponse) => response.destroy()],
  ])('%s offers no stream either', async (_name, onGet) => {
    let gets = 0;
    await using server = await scripted({
      sessionId: () => 's',
      onGet: (response) => {
        gets += 1;
        onGet(response);
      },
      onCall: ({ id }, response) => response.writeHead(200, JSON_TYPE).end(answer(id, 'ok')),
    });
    await using opened = openPool(upstream(server));
    await expect.poll(() => gets).toBe(1);
    for (let at = 0; at < 5; at += 1) expect(textOf(await opened.call('any'))).toBe('ok');
    expect(gets).toBe(1);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });
});

describe('a refusal of a call in a session', () => {
  it.each([
    [400, 'Error: the checkout session was charged twice'],
    [400, 'Bad Request: No valid session ID provided'],
    [404, 'Session not found'],
    [404, 'no such record'],
  ])('with %i %j is sent once where the server still knows the session', async (status, text) => {
    let calls = 0;
    await using server = await scripted({
      sessionId: () => 's',
      onCall: (_message, response) => {
        calls += 1;
        response.writeHead(status).end(text);
      },
    });
    await using opened = openPool(upstream(server));
    const failure = await opened.call('any').catch((error: unknown) => error);
    expect(calls).toBe(1);
    expect(failure).toMatchObject({ details: { http_status: status, upstream_error: text.replace('Error: ', '') } });
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('is followed by one resend at most, and then says that the call may have run', async () => {
    let calls = 0;
    let forgets = false;
    await using server = await scripted({
      sessionId: () => {
        forgets = false;
        return 's';
      },
      knows: () => !forgets,
      onCall: (_message, response) => {
        calls += 1;
        forgets = true;
        response.writeHead(404).end('Session not found');
      },
    });
    await using opened = openPool(upstream(server));
    await expect(opened.call('any')).rejects.toMatchObject({ details: { outcome: 'unknown' } });
    expect(calls).toBe(2);
  });
});

describe('a server that answers notifications with', () => {
  it.each<[string, (response: ServerResponse) => unknown]>([
    ['202 and events that stay open', (response) => response.writeHead(202, EVENTS).flushHeaders()],
    ['200 and events that stay open', (response) => response.writeHead(200, EVENTS).write(': hi\n\n')],
    ['200 and JSON that does not end', (response) => response.writeHead(200, JSON_TYPE).write('{')],
    ['200 and null', (response) => response.writeHead(200, JSON_TYPE).end('null')],
    ['400', (response) => response.writeHead(400).end('no')],
    ['404', (response) => response.writeHead(404).end('no')],
    ['405', (response) => response.writeHead(405).end('no')],
    ['500', (response) => response.writeHead(500).end('no')],
    ['a closed connection', (response) => response.destroy()],
  ])('%s is used like any other, in sessions and without', async (_name, onNotification) => {
    for (const session of [{ sessionId: () => 's' }, {}]) {
      await using server = await scripted({
        ...session,
        onNotification,
        onCall: ({ id }, response) => response.writeHead(200, JSON_TYPE).end(answer(id, 'ok')),
      });
      await using opened = openPool(upstream(server));
      expect(textOf(await opened.call('any'))).toBe('ok');
      expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
    }
  });
});

describe('an answer over HTTP that is too long', () => {
  it.each([
    ['as JSON', JSON_TYPE, (text: string) => text],
    ['as an event', EVENTS, (text: string) => `data: ${text}\n\n`],
  ])('%s fails its call alone', async (_name, type, write) => {
    await using server = await scripted({
      onCall: ({ id, params }, response) => {
        const text = params.name === 'big' ? 'x'.repeat(200_000) : 'ok';
        // In pieces, so that no length is announced.
        const body = write(answer(id, text));
        response.writeHead(200, type).write(body.slice(0, 100));
        response.end(body.slice(100));
      },
    });
    await using opened = openPool({ ...upstream(server), maxAnswerBytes: 100_000 });
    const [big, small] = await Promise.allSettled([opened.call('big'), opened.call('small')]);
    expect(big).toMatchObject({ reason: { code: 'VALIDATION_PAYLOAD_TOO_LARGE', details: { limit_value: 100_000 } } });
    expect(small.status).toBe('fulfilled');
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });
});

describe('a server that compresses although it is asked not to', () => {
  const AS_JSON = (text: string) => text;
  const AS_EVENT = (text: string) => `data: ${text}\n\n`;

  /** Calls a tool of a server whose first answer to a call is this, and then one whose answer is plain. */
  async function callTwice(status: number, headers: Record<string, string>, bodyFor: (id: number) => Buffer) {
    const asked: unknown[] = [];
    await using server = await scripted({
      onCall: ({ id }, response, request) => {
        asked.push(request.headers['accept-encoding']);
        if (asked.length > 1) return response.writeHead(200, JSON_TYPE).end(answer(id, 'plain'));
        response.writeHead(status, headers);
        const body = bodyFor(id);
        // In pieces, which need not be parts that the coding makes.
        for (let start = 0; start < body.length; start += 1 + body.length / 3) {
          response.write(body.subarray(start, start + 1 + body.length / 3));
        }
        return response.end();
      },
    });
    await using opened = openPool({ ...upstream(server), maxAnswerBytes: 1_000_000 });
    const first: unknown = await opened.call('first').then(textOf, (error: unknown) => error);
    expect(textOf(await opened.call('second'))).toBe('plain');
    expect(asked).toEqual(['identity', 'identity']);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
    return first;
  }

  it.each([
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['gzip, gzip', (bytes: Buffer | string) => gzipSync(gzipSync(bytes))],
    ['gzip,br', (bytes: Buffer | string) => brotliCompressSync(gzipSync(bytes))],
    ['identity, deflate, none', deflateSync],
    ['utf-8', Buffer.from],
    ['none', Buffer.from],
    ['aws-chunked', Buffer.from],
    ['zstd', (bytes: Buffer | string) => Buffer.from(`\n${bytes}`)],
  ])('is understood (%s)', async (coding, compress) => {
    const text = 'é'.repeat(100_000);
    for (const [type, write] of [
      [JSON_TYPE, AS_JSON],
      [EVENTS, AS_EVENT],
    ] as const) {
      const headers = { ...type, 'content-encoding': coding };
      expect(await callTwice(200, headers, (id) => compress(write(answer(id, text))))).toBe(text);
    }
  });

  it.each([
    ['JSON', JSON_TYPE, AS_JSON],
    ['events', EVENTS, AS_EVENT],
  ])('fails that call alone where little grows to more than an answer may be (%s)', async (_what, type, write) => {
    const headers = { ...type, 'content-encoding': 'gzip' };
    const failure = await callTwice(200, headers, (id) => gzipSync(write(answer(id, 'x'.repeat(50_000_000)))));
    expect(failure).toMatchObject({ code: 'VALIDATION_PAYLOAD_TOO_LARGE', details: { limit_value: 1_000_000 } });
  });

  it.each([
    ['more codings than anybody means', 'gzip,gzip,gzip,gzip,gzip,gzip', (id: number) => gzipSync(answer(id, 'any'))],
    ['a stacked coding that its bytes are not in', 'br, gzip', (id: number) => gzipSync(answer(id, 'any'))],
    ['a coding that is not known', 'zstd', (id: number) => gzipSync(answer(id, 'any'))],
    ['bytes of another coding', 'gzip', (id: number) => brotliCompressSync(answer(id, 'any'))],
    ['an end before the end', 'gzip', (id: number) => gzipSync(answer(id, 'any')).subarray(0, 40)],
  ])('fails that call alone for %s', async (_what, coding, bodyFor) => {
    const failure = await callTwice(200, { ...JSON_TYPE, 'content-encoding': coding }, bodyFor);
    expect(failure).toMatchObject({ details: { reason: 'invalid_answer' } });
    expect(JSON.stringify(failure)).not.toMatch(/\\u001f|\ufffd/);
  });

  it.each([
    ['is read', gzipSync('the disk is full'), 'the disk is full'],
    ['that is not compressed at all leaves its status', Buffer.from('the disk is full'), '500'],
  ])('has errors whose text %s', async (_what, body, expected) => {
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    expect(JSON.stringify(await callTwice(500, headers, () => body))).toContain(expected);
  });

  it('has its events before the stream ends', async () => {
    await using server = await scripted({
      onCall: ({ id }, response) => {
        response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' });
        const gzip = createGzip();
        gzip.pipe(response);
        gzip.write(AS_EVENT(answer(id, 'at once')));
        gzip.flush();
      },
    });
    await using opened = openPool(upstream(server));
    expect(textOf(await opened.call('any'))).toBe('at once');
  });
});

it('says of an answer to another request what it is', async () => {
  await using server = await scripted({
    onCall: ({ id }, response) => response.writeHead(200, JSON_TYPE).end(answer(id + 500, 'ok')),
  });
  await using opened = openPool(upstream(server));
  await expect(opened.call('any')).rejects.toMatchObject({
    message: expect.stringContaining('the id of another request'),
    details: { reason: 'invalid_answer', outcome: 'unknown' },
  });
});

it('replaces the connection to a server that answers neither a call nor a ping', async () => {
  let hangs = false;
  await using server = await scripted({
    onCall: ({ id }, response) => void (hangs || response.writeHead(200, JSON_TYPE).end(answer(id, 'ok'))),
    ignores: () => hangs,
  });
  await using opened = openPool({ ...upstream(server), connectTimeoutMs: 1_000 });
  await opened.call('any');
  hangs = true;
  const others = Array.from({ length: 5 }, () => opened.call('any', {}, { timeoutMs: 60_000 }));
  const lost = Promise.allSettled(others);
  await expect(opened.call('any', {}, { timeoutMs: 50 })).rejects.toMatchObject({ details: { reason: 'timeout' } });
  await opened.observed((seen) => seen.kind === 'upstream-state' && seen.state === 'waiting');
  expect((await lost).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  hangs = false;
  await opened.until(() => opened.pool.statuses()[0]?.state === 'ready');
  expect(textOf(await opened.call('any'))).toBe('ok');
});

it('keeps the connection to a server that is slow with a call but answers a ping', async () => {
  let pings = 0;
  await using server = await scripted({
    onCall: ({ id, params }, response) =>
      void (params.name === 'slow' || response.writeHead(200, JSON_TYPE).end(answer(id, 'ok'))),
    knows: () => {
      pings += 1;
      return true;
    },
  });
  await using opened = openPool(upstream(server));
  await opened.settled;
  const before = pings;
  await expect(opened.call('slow', {}, { timeoutMs: 50 })).rejects.toMatchObject({ details: { reason: 'timeout' } });
  await expect.poll(() => pings).toBeGreaterThan(before);
  expect(textOf(await opened.call('any'))).toBe('ok');
  expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
});
