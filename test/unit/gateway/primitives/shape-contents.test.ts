import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runAtOnce } from '../../../../src/base/turns/turns.js';
import { copyInSteps } from '../../../../src/gateway/primitives/shape-contents.js';

const MEGABYTE = 1024 * 1024;

it('a copy in steps has every byte', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)));
  fc.assert(
    fc.property(pieces, (parts) => {
      expect(runAtOnce(copyInSteps(parts))).toEqual(Buffer.concat(parts));
    }),
  );
});

it.each([
  ['one piece', [Buffer.alloc(3 * MEGABYTE, 1)]],
  ['many pieces', Array.from({ length: 300 }, () => Buffer.alloc(10_486, 1))],
])('a copy of %s stops after each megabyte', (_what, parts) => {
  const steps = [...copyInSteps(parts)];
  expect(steps.length).toBeGreaterThanOrEqual(2);
  expect(runAtOnce(copyInSteps(parts)).equals(Buffer.concat(parts))).toBe(true);
});
