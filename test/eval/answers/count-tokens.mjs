import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The random parts: cursors, each after its key, and the names of stored results at any place. */
const RANDOM = /(?<="(?:startCursor|endCursor|cursor)":")[^"]+|\bres_[\w-]+/g;

/** A text that tokenizes like a random one. */
const STAND_IN = 'k3XvQ0bTz9LmWc1RfYh7aJdP2uGnEs5oKqVw8xBi4tZyC6rD';

/** Tokens (o200k_base) of a text with random parts, which are counted as if they were always the same. */
export function countStable(text) {
  const random = new Set(text.match(RANDOM));
  const stable = [...random].reduce((kept, value) => kept.replaceAll(value, STAND_IN.slice(0, value.length)), text);
  return countTokens(stable, { disallowedSpecial: new Set() });
}
