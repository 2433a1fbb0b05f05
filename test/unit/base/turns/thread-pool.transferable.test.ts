import { afterEach, expect, it } from 'vitest';
import { transferable } from '../../../../src/base/turns/thread-pool.js';

const POOL_BYTES = Buffer.poolSize;

afterEach(() => {
  Buffer.poolSize = POOL_BYTES;
});

it('hands over large memory, and never the pool in which small buffers of others lie, however large it is', () => {
  Buffer.poolSize = 256 * 1024;
  // The next pool is made when the present one is full.
  const small = Array.from({ length: 2_000 }, () => Buffer.from('x'.repeat(1_000)));
  expect(small.some(({ buffer }) => buffer.byteLength === Buffer.poolSize)).toBe(true);
  const large = Buffer.allocUnsafeSlow(300_000);
  const shared = Buffer.from(new SharedArrayBuffer(300_000));
  expect(transferable([...small, large, shared])).toEqual([large.buffer]);
});
