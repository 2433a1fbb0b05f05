import { expect, it } from 'vitest';
import { copyBytes } from '../../../../src/gateway/primitives/shape-contents.js';

const MEGABYTE = 1024 * 1024;

it.each([
  ['no piece', []],
  ['one piece', [Buffer.alloc(3 * MEGABYTE + 1, 1)]],
  ['many pieces', Array.from({ length: 300 }, (_, index) => Buffer.alloc(10_486, index))],
])('a copy of %s has every byte', async (_what, parts) => {
  expect((await copyBytes(parts)).equals(Buffer.concat(parts))).toBe(true);
});
