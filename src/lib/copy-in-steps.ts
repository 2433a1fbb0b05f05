import { lengthOf, type Pieces } from '../protocol/pieces.js';
import type { Sliced } from './turns.js';

/** Bytes that are copied in one step: a millisecond where the memory is new. */
const COPIED_AT_ONCE = 1024 * 1024;

/**
 * The same bytes in memory of their own, which nothing else lies in. Stops after each megabyte: a hundred of them, in memory that has not been
 * used yet, take as many milliseconds.
 */
export function* copyInSteps(pieces: Pieces): Sliced<Buffer> {
  const copy = Buffer.allocUnsafeSlow(lengthOf(pieces));
  let at = 0;
  let stop = COPIED_AT_ONCE;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += COPIED_AT_ONCE) {
      at += piece.copy(copy, at, from, from + COPIED_AT_ONCE);
      if (at < stop) continue;
      yield;
      stop = at + COPIED_AT_ONCE;
    }
  }
  return copy;
}
