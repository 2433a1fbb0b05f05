import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UpstreamEndpoint } from '../../../../src/config/gateway-config.js';
import { anUpstream, node, openPool, textOf } from '../opened-pool.js';

interface Served extends AsyncDisposable {
  readonly endpoint: UpstreamEndpoint;
  /** Resolves when the server has been silent once. */
  readonly silent: Promise<void>;
}

function answerTo({ id, method, params }: { id: number; method: string; params?: { protocolVersion?: string } }) {
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'late', version: '1' },
    },
    'tools/list': { tools: [] },
    'tools/call': { content: [{ type: 'text', text: 'ok' }] },
  };
  const result = results[method];
  const error = { code: -32601, message: 'Method not found' };
  return JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
}

/** A server over HTTP or SSE that says nothing more from one point on, the first time that it comes there. */
async function overNetwork(type: 'http' | 'sse', silentAt: 'request' | 'headers' | 'message'): Promise<Served> {
  let stream: ServerResponse | undefined;
  let isSilent = true;
  let told: () => void = () => undefined;
  const silent = new Promise<void>((resolve) => (told = resolve));
  const hush = (): void => {
    isSilent = false;
    told();
  };
  const server = createServer(async (request, response) => {
    const isFirst = isSilent && request.method === (type === 'sse' ? 'GET' : 'POST');
    if (isFirst && silentAt === 'request') return hush();
    if (isFirst && silentAt === 'headers') {
      hush();
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    }
    if (request.method === 'GET') {
      if (type === 'http') return response.writeHead(405).end();
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return stream.write('event: endpoint\ndata: /messages\n\n');
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = JSON.parse(body);
    if (isSilent && silentAt === 'message') {
      hush();
      return response.writeHead(202).end();
    }
    if (message.id === undefined) return response.writeHead(202).end();
    if (type === 'http') return response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(message));
    response.writeHead(202).end();
    return stream?.write(`event: message\ndata: ${answerTo(message)}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { type, url: `http://127.0.0.1:${port}/${type === 'sse' ? 'sse' : 'mcp'}`, headers: {} },
    silent,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A command whose first process reads and says nothing. */
async function asChild(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'silent-start-'));
  const script = `
    import { existsSync, writeFileSync } from 'node:fs';
    import { createInterface } from 'node:readline';
    const answerTo = ${answerTo.toString()};
    const mark = ${JSON.stringify(join(folder, 'mark'))};
    const isFirst = !existsSync(mark);
    writeFileSync(mark, '');
    createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      if (!isFirst && message.id !== undefined) process.stdout.write(answerTo(message) + '\\n');
    });`;
  return {
    endpoint: node('--input-type=module', '-e', script),
    silent: new Promise((resolve) => setImmediate(resolve)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

const SERVERS: readonly (readonly [string, () => Promise<Served>])[] = [
  ['HTTP that leaves its first request without an answer', () => overNetwork('http', 'request')],
  ['HTTP whose first answer is events without an event', () => overNetwork('http', 'headers')],
  ['HTTP that accepts its first request and says no more', () => overNetwork('http', 'message')],
  ['SSE that leaves its first stream without an answer', () => overNetwork('sse', 'request')],
  ['SSE whose first stream tells no endpoint', () => overNetwork('sse', 'headers')],
  ['SSE that accepts its first message and says no more', () => overNetwork('sse', 'message')],
  ['a command whose first process is silent', asChild],
];

describe('a server over', () => {
  it.each(SERVERS)('%s is tried again, and used', async (_name, serve) => {
    await using server = await serve();
    await using opened = openPool(anUpstream(server.endpoint, { connectTimeoutMs: 500 }));
    await opened.until(() => opened.pool.statuses()[0]?.state === 'ready');
    expect(textOf(await opened.call('any'))).toBe('ok');
  });

  it.each(SERVERS)('%s does not hold a gateway that stops meanwhile', async (_name, serve) => {
    await using server = await serve();
    const opened = openPool(anUpstream(server.endpoint, { connectTimeoutMs: 60_000 }));
    await server.silent;
    await opened.pool.close();
    await opened.settled;
    expect(opened.pool.statuses()[0]?.state).toBe('closed');
  });
});
