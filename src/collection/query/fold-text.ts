const COMBINING = /[\u0300-\u036f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII, all of it
const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** A text as it is searched: case, accents, and the forms that one character has are no difference. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  return BEYOND_ASCII.test(lower) ? lower.normalize('NFKD').replace(COMBINING, '') : lower;
}
