/** What minimatch gives a meaning of its own: such a pattern may match many names. */
const PATTERN_SIGNS = /[*?[\]{}()]/;

/** Whether a text is a pattern and not a name. */
export function isPattern(text: string): boolean {
  return PATTERN_SIGNS.test(text);
}
