/**
 * What a reader does not see but a model reads: control and format characters (zero-width, bidirectional, tags), fillers
 * and other default-ignorable characters, line and paragraph separators, lone surrogates, and variation selectors that do
 * not choose between two forms of a sign. Tab and line feed stay.
 */
export const INVISIBLE =
  /(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<!\p{Emoji})(?:\ufe0e|\ufe0f)/u;

/** Most texts hold nothing that could be invisible, and this is found out much faster. */
const PLAIN = /^[ -~\n\t]*$/;
const INVISIBLES = new RegExp(INVISIBLE.source, 'gu');

export function hasInvisible(text: string): boolean {
  return !PLAIN.test(text) && INVISIBLE.test(text);
}

export function removeInvisible(text: string): string {
  return hasInvisible(text) ? text.replace(/\r\n?/g, '\n').replace(INVISIBLES, '') : text;
}

/** The text with every invisible character written as JSON would escape it, so that nothing hides from who reviews it. */
export function escapeInvisible(text: string): string {
  return hasInvisible(text) ? text.replace(INVISIBLES, escapeUnits) : text;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
