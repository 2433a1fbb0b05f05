import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** A legacy server that shakes hands by the book and leaves calls and GETs to the test. */
async function scripted(script: {
  readonly onCall: Answer;
  readonly onGet?: (response: ServerResponse, request: IncomingMessage) => void;
  readonly sessionId?: () => string;
}): Promise<Scripted> {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET' && script.onGet !== undefined) return script.onGet(response, request);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request));
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === 'tools/call') return script.onCall(message, response, request);
    const { id } = message;
    const { protocolVersion } = message.params ?? {};
    const results: Record<string, unknown> = {
      initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } },
      'tools/list': { tools: [] },
    };
    const result = results[message.method];
    const error = { code: -32601, message: 'Method not found' };
    const session = script.sessionId === undefined ? {} : { 'mcp-session-id': script.sessionId() };
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
    ['a refusal', 429, { 'retry-after': '12' }, { retryAfterSeconds: 12 }],
  ])('tells what %s says of the rate limit', async (_name, status, headers, limits) => {
    await using server = await scripted({
      onCall: ({ id }, response) => response.writeHead(status, { ...JSON_TYPE, ...headers }).end(answer(id, 'ok')),
    });
    await using opened = openPool(upstream(server));
    await opened.call('any').catch(() => undefined);
    expect(opened.limits).toEqual([['one', limits]]);
  });

  it('hears from its standing stream that the server has lost the session', async () => {
    let streams = 0;
    await using server = await scripted({
      sessionId: () => 's',
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
