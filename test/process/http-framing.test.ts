import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

let gateway: ServedGateway;

beforeAll(async () => {
  const config = { clients: { ci: { token: 'the-static-token-of-ci' } }, mcpServers: {} };
  // Strict also where Node itself is made lenient.
  gateway = await serveGateway(config, { nodeArgs: ['--insecure-http-parser'] });
});

afterAll(() => gateway?.[Symbol.asyncDispose]());

/** What comes back for these bytes until the gateway closes the connection. */
function sendBytes(...pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      for (const piece of pieces) socket.write(piece, 'latin1');
    });
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket
      .once('close', () => resolve(answer))
      .on('error', (cause: NodeJS.ErrnoException) => {
        // The gateway may close before it has read everything.
        if (cause.code !== 'ECONNRESET' && cause.code !== 'EPIPE') reject(cause);
      });
  });
}

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

function post(headers: readonly string[], body = BODY): string {
  const all = [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...headers,
  ];
  return `${all.join('\r\n')}\r\n\r\n${body}`;
}

const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
/** A request that must not be read as one: it stands where an ambiguous request leaves its end open. */
const HIDDEN = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('a request whose end could be read in two ways', () => {
  it.each([
    ['both lengths and chunks', post([`Content-Length: ${CHUNKED.length}`, 'Transfer-Encoding: chunked'], CHUNKED)],
    ['chunks and then a length', post(['Transfer-Encoding: chunked', 'Content-Length: 4'], CHUNKED)],
    ['two lengths that differ', post([`Content-Length: ${BODY.length}`, 'Content-Length: 4'])],
    ['two equal lengths', post([`Content-Length: ${BODY.length}`, `Content-Length: ${BODY.length}`])],
    ['a list of lengths', post([`Content-Length: ${BODY.length}, ${BODY.length}`])],
    ['a length with a sign', post([`Content-Length: +${BODY.length}`])],
    ['a length in hexadecimal digits', post([`Content-Length: 0x${BODY.length.toString(16)}`])],
    ['a blank before the colon', post(['Transfer-Encoding : chunked'], CHUNKED)],
    ['chunks that are not the last coding', post(['Transfer-Encoding: chunked, identity'], CHUNKED)],
    ['a coding that is nearly chunked', post(['Transfer-Encoding: xchunked'], CHUNKED)],
    ['two codings in two headers', post(['Transfer-Encoding: identity', 'Transfer-Encoding: xchunked'], CHUNKED)],
    ['a folded header', post(['X-Folded: a', ' Transfer-Encoding: chunked', 'Transfer-Encoding:', ' x'], CHUNKED)],
    ['a header with a bare line feed', post([`X: a\nContent-Length: 4`])],
    ['a header with a bare carriage return', post([`X: a\rTransfer-Encoding: chunked`, 'Content-Length: z'])],
    ['a chunk size that is none', post(['Transfer-Encoding: chunked'], `zz\r\n${BODY}\r\n0\r\n\r\n`)],
    ['a chunk longer than its size', post(['Transfer-Encoding: chunked'], `2\r\n${BODY}\r\n0\r\n\r\n`)],
    ['a name with a NUL', post(['X\0: a', 'Content-Length: z'])],
  ])('by %s is refused, its connection closed, and what follows is not answered', async (_how, request) => {
    const answer = await sendBytes(request, HIDDEN);
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses.at(-1)).toBe('400');
    expect(statuses).not.toContain('200');
    expect(statuses.length).toBeLessThanOrEqual(2);
  });

  it('by headers of more than 16 kB is refused with 431', async () => {
    const answer = await sendBytes(post([`X-Flood: ${'a'.repeat(20_000)}`]), HIDDEN);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).not.toContain('200 OK');
  });
});

describe('a flood of headers', () => {
  it('hides no token: the headers beyond 200 are not read, and the request is refused as one without', async () => {
    const flood = Array.from({ length: 300 }, (_, index) => `X-${index}: a`);
    const late = post([
      ...flood,
      'Authorization: Bearer the-static-token-of-ci',
      'Connection: close',
      'Content-Length: 0',
    ]);
    expect(await sendBytes(late)).toMatch(/^HTTP\/1\.1 (400|401|431) /);
  });
});
