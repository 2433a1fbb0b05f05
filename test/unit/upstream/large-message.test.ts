import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGE_BYTES, LargeMessage, MessageBytes } from '../../../src/base/protocol/large-answer.js';
import { transferable } from '../../../src/gateway/thread-pool.js';

describe('MessageBytes', () => {
  it('gives the bytes back in one piece up to the bound, and in pieces that can be handed over beyond it', () => {
    const part = fc.tuple(fc.nat(3 * LARGE_BYTES), fc.nat(255)).map(([size, byte]) => Buffer.alloc(size, byte));
    fc.assert(
      fc.property(fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 3 }), (messages) => {
        const bytes = new MessageBytes();
        for (const parts of messages) {
          for (const each of parts) bytes.add(each);
          const whole = Buffer.concat(parts);
          const taken = bytes.take();
          expect(taken instanceof LargeMessage).toBe(whole.length > LARGE_BYTES);
          if (!(taken instanceof LargeMessage)) {
            expect(Buffer.concat(taken).equals(whole)).toBe(true);
            continue;
          }
          expect(taken.edges(256)).toEqual({ start: whole.subarray(0, 256), end: whole.subarray(-256) });
          expect(transferable(taken.pieces)).toHaveLength(taken.pieces.length);
          expect(taken.join().equals(whole)).toBe(true);
          // Memory holds it once.
          expect(taken.pieces).toEqual([]);
        }
      }),
      { numRuns: 30 },
    );
  });
});
