import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyPieces, joinPieces, occursIn, slicePieces } from '../../../../src/base/json/pieces.js';

const pieces = fc.array(fc.uint8Array({ max: 2, maxLength: 6 }).map((bytes) => Buffer.from(bytes)));

describe('bytes in pieces', () => {
  it('are cut like the whole', () => {
    fc.assert(
      fc.property(pieces, fc.nat({ max: 30 }), fc.nat({ max: 30 }), (parts, from, bytes) => {
        const whole = Buffer.concat(parts);
        expect(joinPieces(slicePieces(parts, from, from + bytes))).toEqual(whole.subarray(from, from + bytes));
      }),
    );
  });

  it('are copied to the last byte', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        expect(copyPieces(parts)).toEqual(Buffer.concat(parts));
      }),
    );
  });

  it('hold what the whole holds, wherever it is cut', () => {
    fc.assert(
      fc.property(pieces, fc.uint8Array({ max: 2, minLength: 1, maxLength: 9 }), (parts, bytes) => {
        const sought = Buffer.from(bytes);
        expect(occursIn(parts, sought)).toBe(Buffer.concat(parts).includes(sought));
      }),
      { numRuns: 2_000 },
    );
  });
});
