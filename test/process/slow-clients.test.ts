import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODERN_META, modernHeaders } from '../support/raw-http.js';
import { makeRows, type RowsUpstream, startRowsUpstream } from '../support/rows-upstream.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const CERTIFICATES = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));
const TOKEN = 'metrics-has-a-long-token-01';
const ANSWER_BYTES = 20 * 1_048_576;
const LIMITS = {
  headersTimeoutMs: 400,
  requestTimeoutMs: 1_000,
  handshakeTimeoutMs: 400,
  unreadTimeoutMs: 400,
};

let upstream: RowsUpstream;
let gateway: ServedGateway;
let secure: ServedGateway;

beforeAll(async () => {
  const rows = makeRows(1).map((row) => ({ ...row, name: 'x'.repeat(ANSWER_BYTES) }));
  upstream = await startRowsUpstream(rows);
  const large = {
    limits: { maxResponseSize: 4 * ANSWER_BYTES },
    results: { maxTokens: 0 },
    metrics: { enabled: true, token: TOKEN },
  };
  gateway = await serveGateway({ server: LIMITS, ...large, mcpServers: { rows: { url: upstream.url } } });
  const tls = { cert: `${CERTIFICATES}first.cert.pem`, key: `${CERTIFICATES}first.key.pem` };
  secure = await serveGateway({ server: { ...LIMITS, tls }, mcpServers: {} });
});

afterAll(async () => {
  for (const each of [gateway, secure, upstream]) await each?.[Symbol.asyncDispose]();
});

function open({ url }: ServedGateway): Socket {
  const { hostname, port } = new URL(url);
  // The gateway may close while something is being sent.
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** What comes until the gateway closes the connection, which some versions of Node.js see before the rest is read. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  // A reset, which `once` would reject with, is a way to close a connection.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

function post(headers: readonly string[], body = ''): string {
  const all = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Accept: */*', ...headers];
  return `${all.join('\r\n')}\r\n\r\n${body}`;
}

/** A call of a client without a session. */
function call(operation: string): string {
  const params = { name: 'mcp_aql_read', arguments: { operation }, _meta: MODERN_META };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = Object.entries(modernHeaders('tools/call', params.name)).map(([name, value]) => `${name}: ${value}`);
  return post([...headers, `Content-Length: ${body.length}`], body);
}

/** Sends bytes one by one until the connection closes. */
function dribble(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('a client that takes its time', () => {
  it.each([
    ['sends nothing', '', undefined],
    ['sends headers a byte at a time', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', 'a'],
    ['stops within a body of known length', post(['Content-Length: 100'], '{"jsonrpc":'), undefined],
    ['sends a body a byte at a time', post(['Content-Length: 100000'], '{'), ' '],
    ['sends chunks of a byte', post(['Transfer-Encoding: chunked'], '1\r\n{\r\n'), '1\r\n \r\n'],
    ['stops within a large body', post(['Content-Length: 900000'], `{"a":"${'x'.repeat(100_000)}`), undefined],
  ])('and %s is answered 408 or nothing, and its connection closed', async (_how, first, rest) => {
    const socket = open(gateway);
    await once(socket, 'connect');
    socket.write(first);
    if (rest !== undefined) dribble(socket, rest);
    expect(await untilClosed(socket)).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it('and does not read an answer of 20 MB is disconnected, and its request no longer counts', async () => {
    const socket = open(gateway).pause();
    const calls = upstream.calls.length;
    socket.write(call('read_log'));
    await expect.poll(() => upstream.calls.length).toBe(calls + 1);
    await expect.poll(openRequests).toBe(0);
    const answer = await untilClosed(socket.resume());
    expect(answer.length).toBeLessThan(ANSWER_BYTES);
  });

  it('and closes its half of the connection after the request is answered', async () => {
    const socket = open(gateway);
    socket.end(call('get_row'));
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('to agree on keys is disconnected, and a hundred of them keep no other from being answered', async () => {
    // The beginning of a greeting that never comes whole.
    const greeting = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]);
    const silent = Array.from({ length: 100 }, () => open(secure));
    for (const socket of silent) socket.write(greeting);
    const { hostname, port } = new URL(secure.url);
    const client = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false });
    client.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await untilClosed(client)).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all(silent.map(untilClosed));
  });
});

/** The requests to MCP that are not answered completely. */
async function openRequests(): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(gateway.url.replace('/mcp', '/metrics'), { headers })).text();
  return Number(/^mcp_aql_http_requests_open (\d+)/m.exec(text)?.[1]);
}
