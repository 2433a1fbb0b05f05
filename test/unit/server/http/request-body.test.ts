import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Body, readBody } from '../../../../src/server/http/request-body.js';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

function* megabytes(count: number, onTaken: () => void): Generator<Buffer> {
  for (let taken = 0; taken < count; taken += 1) {
    onTaken();
    yield MEGABYTE;
  }
}

function read(chunks: Iterable<Buffer>, limit: number, headers = {}): Promise<Body> {
  const request = Object.assign(Readable.from(chunks, { objectMode: false }), { headers });
  return new Promise((resolve) => readBody(request as unknown as IncomingMessage, limit, resolve));
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
});
