/**
 * An upper estimate, in characters, of what a text made of names costs a model: words of fewer than three letters count
 * as three, since a token is seldom shorter than that. Counting tokens exactly takes longer than building a catalog.
 */
export function textCost(text: string): number {
  return text.split(/[^a-z0-9]+/).reduce((cost, word) => cost + (word === '' ? 0 : Math.max(3, word.length + 1)), 0);
}
