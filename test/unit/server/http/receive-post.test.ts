import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { type Body, createBodyReader, createPostReceiver } from '../../../../src/server/http/receive-post.js';
import { createResultWriter } from '../../../../src/server/mcp/write-result.js';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

function* megabytes(count: number, onTaken: () => void): Generator<Buffer> {
  for (let taken = 0; taken < count; taken += 1) {
    onTaken();
    yield MEGABYTE;
  }
}

function read(chunks: Iterable<Buffer>, limit: number, headers = {}): Promise<Body> {
  const request = Object.assign(Readable.from(chunks, { objectMode: false }), { headers });
  const readBody = createBodyReader({ maxBytes: () => limit, smallBodyMs: 60_000 });
  return new Promise((resolve) => readBody(request as unknown as IncomingMessage, resolve));
}

/** A request whose body the test writes. */
function openRequest(address = '192.0.2.1'): IncomingMessage & Readable {
  const request = new Readable({ read: () => undefined });
  return Object.assign(request, { headers: {}, socket: { remoteAddress: address } }) as unknown as IncomingMessage;
}

describe('readBody', () => {
  it('joins the chunks of a body within the limit', async () => {
    const body = await read([Buffer.from('ab'), Buffer.from('cd')], 4);
    expect(body).toEqual({ kind: 'complete', bytes: Buffer.from('abcd') });
  });

  it('returns an empty body for a request without one', async () => {
    expect(await read([], 4)).toEqual({ kind: 'complete', bytes: Buffer.alloc(0) });
  });

  it('refuses a content-length over the limit before the first byte', async () => {
    const body = await read([Buffer.from('ab')], 4, { 'content-length': '900' });
    expect(body).toMatchObject({ kind: 'too-large', size: 900, cutOff: false });
  });

  it('stops reading a body that does not end', async () => {
    let taken = 0;
    const body = await read(
      megabytes(1_000, () => {
        taken += 1;
      }),
      1_000,
    );
    expect(body).toMatchObject({ kind: 'too-large', cutOff: true });
    expect(taken).toBeLessThan(40);
  });

  it('keeps a body of a hundred thousand one-byte chunks in one buffer of at most twice its size', async () => {
    const body = await read(
      Array.from({ length: 100_000 }, () => Buffer.from('x')),
      1_000_000,
      { 'content-length': '100000' },
    );
    expect(body).toMatchObject({ kind: 'complete' });
    const bytes = body.kind === 'complete' ? body.bytes : Buffer.alloc(0);
    expect(bytes.length).toBe(100_000);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(200_000);
  });

  it('refuses a body of many chunks of a byte, and reads no more of it', async () => {
    let taken = 0;
    function* chunks(): Generator<Buffer> {
      for (; taken < 10_000; taken += 1) yield Buffer.from('x');
    }
    const headers = { 'transfer-encoding': 'chunked' };
    const request = Object.assign(Readable.from(chunks(), { objectMode: false }), { headers, socket: {} });
    const readBody = createBodyReader({ maxBytes: () => 1_000_000, smallBodyMs: 60_000 });
    const body = await new Promise<Body>((resolve) => readBody(request as unknown as IncomingMessage, resolve));
    expect(body).toEqual({ kind: 'too-fragmented' });
    expect(request.isPaused()).toBe(true);
    expect(taken).toBeLessThan(500);
  });

  it('takes a chunked body of many chunks that are not small', async () => {
    const chunks = Array.from({ length: 1_000 }, () => Buffer.alloc(100, 'x'));
    expect(await read(chunks, 1_000_000, { 'transfer-encoding': 'chunked' })).toMatchObject({ kind: 'complete' });
  });

  it('refuses a small body that does not end in its time', async () => {
    const request = openRequest();
    const readBody = createBodyReader({ maxBytes: () => 1_000_000, smallBodyMs: 1 });
    const body = new Promise<Body>((resolve) => readBody(request, resolve));
    request.push(Buffer.from('{'));
    expect(await body).toEqual({ kind: 'too-slow' });
  });

  it('refuses the 33rd large body of an address, and none of another address', async () => {
    const readBody = createBodyReader({ maxBytes: () => 1_000_000, smallBodyMs: 60_000 });
    const bodies: Body[] = [];
    const begin = (address: string): IncomingMessage & Readable => {
      const request = openRequest(address);
      readBody(request, (body) => bodies.push(body));
      request.push(MEGABYTE.subarray(0, 100_000));
      return request;
    };
    const requests = Array.from({ length: 32 }, () => begin('192.0.2.1'));
    begin('192.0.2.2');
    await new Promise(setImmediate);
    expect(bodies).toEqual([]);
    begin('192.0.2.1');
    await new Promise(setImmediate);
    expect(bodies).toEqual([{ kind: 'too-many' }]);
    requests[0]?.destroy();
    await new Promise(setImmediate);
    begin('192.0.2.1');
    await new Promise(setImmediate);
    expect(bodies).toHaveLength(1);
  });
});

describe('a fault while a message is answered', () => {
  const limits = { maxRequestSize: 1_000, maxNestingDepth: 10, maxArrayElements: 10, maxValues: 1_000 };
  const writer = createResultWriter({ name: 'n', version: '1' }, { errors: 'all', structuredContent: false });

  /** What a client sees of an answer that fails after `begin`, and what is reported. */
  async function post(begin: (response: ServerResponse) => void) {
    const seen: Observation[] = [];
    const receive = createPostReceiver({
      limits: () => limits,
      requestTimeoutMs: 60_000,
      writer,
      observe: (observation) => seen.push(observation),
      route: (_message, _request, response) => {
        begin(response);
        throw new Error('a fault');
      },
    });
    const server = createServer((request, response) => receive(request, response, undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const headers = { 'content-type': 'application/json' };
      const answer = fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: '{}' });
      return { seen, text: await answer.then((response) => response.text()).catch(() => 'cut off') };
    } finally {
      server.close();
    }
  }

  it.each([
    ['nothing was sent', () => undefined, expect.stringContaining('Internal error')],
    ['a part was sent', (response: ServerResponse) => void response.write('a part'), 'cut off'],
  ] as const)('ends that request alone where %s', async (_when, begin, text) => {
    expect(await post(begin)).toMatchObject({ text, seen: [{ kind: 'defect', where: 'POST /mcp' }] });
  });
});
