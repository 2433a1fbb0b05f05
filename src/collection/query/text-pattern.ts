import { foldText } from './fold-text.js';

/** Longer patterns are refused: what a pattern costs is its length times the text's. */
export const MAX_PATTERN_LENGTH = 200;

const ANY_CHARACTER = '?';

/**
 * A pattern for whole texts, whatever their case: `*` stands for any run of characters, `?` for one. Each piece between
 * stars is looked for once, from where the last one ended, so no text makes it go back over what it has read.
 */
export function compileTextPattern(pattern: string): (text: string) => boolean {
  const [head = '', ...others] = foldText(pattern).split('*');
  const tail = others.pop();
  if (tail === undefined) return (text) => matchWhole(foldText(text), head);
  const middle = others.filter((piece) => piece !== '');
  return (text) => {
    const folded = foldText(text);
    const end = folded.length - tail.length;
    if (end < head.length || !fitsAt(folded, head, 0) || !fitsAt(folded, tail, end)) return false;
    let from = head.length;
    for (const piece of middle) {
      const found = findPiece(folded, piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    return from <= end;
  };
}

function matchWhole(text: string, piece: string): boolean {
  return text.length === piece.length && fitsAt(text, piece, 0);
}

function findPiece(text: string, piece: string, from: number): number {
  if (!piece.includes(ANY_CHARACTER)) return text.indexOf(piece, from);
  for (let start = from; start + piece.length <= text.length; start++) if (fitsAt(text, piece, start)) return start;
  return -1;
}

function fitsAt(text: string, piece: string, start: number): boolean {
  for (let index = 0; index < piece.length; index++) {
    const expected = piece[index];
    if (expected !== ANY_CHARACTER && expected !== text[start + index]) return false;
  }
  return true;
}
