import { writeExact } from '../../base/json/exact-numbers.js';
import { estimateTokens } from '../../base/lib/token-estimate.js';
import { type Cut, fitAnswer } from './truncate.js';

/** No text of an answer has more for long; what has fewer is written again with less space. */
const MOST_BYTES_PER_TOKEN = 4.5;

/** Where it is written again, it is to fit at once. */
const MARGIN = 0.97;

/** Each gets nearer: data that are dense at one place only may need several. */
const MOST_ROUNDS = 6;

/** `fitAnswer` takes no less. */
const LEAST_BYTES = 100;

/** No character has more bytes, and tokens of less than a byte are so rare that their number does not matter. */
export const MOST_TOKENS_PER_CHARACTER = 3;

/** Whether a text has so many tokens at most, by estimate. @param most 0 for any number */
export function hasTokens(text: string, most: number): boolean {
  return most === 0 || text.length * MOST_TOKENS_PER_CHARACTER <= most || estimateTokens(text, most) <= most;
}

/**
 * What `write` makes within as many bytes as these tokens have in what it makes.
 * @param write makes less of fewer bytes, at least 100
 */
export function withinTokens<T extends { readonly text: string }>(tokens: number, write: (maxBytes: number) => T): T {
  let maxBytes = Math.max(LEAST_BYTES, Math.floor(tokens * MOST_BYTES_PER_TOKEN));
  for (let round = 1; ; round += 1) {
    const written = write(maxBytes);
    const taken = estimateTokens(written.text);
    if (taken <= tokens || round === MOST_ROUNDS || maxBytes === LEAST_BYTES) return written;
    maxBytes = Math.max(
      LEAST_BYTES,
      Math.floor(Math.min(maxBytes, written.text.length * 3) * (tokens / taken) * MARGIN),
    );
  }
}

/** As much of a value as has so many tokens, with its JSON text. @param value exact to the last digit */
export function fitTokens(
  value: unknown,
  tokens: number,
): { readonly value: unknown; readonly cuts: readonly Cut[]; readonly text: string } {
  return withinTokens(tokens, (maxBytes) => {
    const fitted = fitAnswer(value, maxBytes);
    return { ...fitted, text: writeExact(fitted.value) };
  });
}
