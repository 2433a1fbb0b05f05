/** Words, numbers by three digits, and runs of everything else; `_` belongs to the word behind it. */
const PIECE = /[a-z]+|[A-Z]+[a-z]*|\d{1,3}|[^\sa-zA-Z\d_]+/g;

/** Longer words are seldom one token. */
const LETTERS_PER_TOKEN = 7;
const SIGNS_PER_TOKEN = 2;

/**
 * An estimate of what a text costs a model, in tokens; for names, numbers and short English sentences it is somewhat high. Counting
 * them exactly takes a vocabulary of some megabytes.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    const perToken = /^[a-zA-Z\d]/.test(piece) ? LETTERS_PER_TOKEN : SIGNS_PER_TOKEN;
    tokens += Math.ceil(piece.length / perToken);
  }
  return tokens;
}
