/**
 * As much of a text, from its start, as takes at most `maxBytes` as JSON, quotes included: whole lines where they are at
 * least half of what would fit, else whole characters.
 */
export function takeText(text: string, maxBytes: number): string {
  const end = findEnd(text, maxBytes - 2);
  if (end === text.length) return text;
  const fitting = text.slice(0, end);
  const lineEnd = fitting.lastIndexOf('\n') + 1;
  return lineEnd >= end / 2 ? fitting.slice(0, lineEnd) : fitting;
}

/** Moves an index back where it would tear a character in two. */
export function startOfCharacter(text: string, index: number): number {
  return isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index;
}

function findEnd(text: string, maxBytes: number): number {
  let left = maxBytes;
  let end = 0;
  while (end < text.length) {
    const length = isHigh(text.charCodeAt(end)) && isLow(text.charCodeAt(end + 1)) ? 2 : 1;
    left -= length === 2 ? 4 : bytesOf(text.charCodeAt(end));
    if (left < 0) break;
    end += length;
  }
  return end;
}

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\\b\t\n\f\r', (character) => character.charCodeAt(0)));

/** Bytes of one UTF-16 unit as JSON.stringify writes it; half a pair alone is escaped. */
function bytesOf(unit: number): number {
  if (SHORT_ESCAPES.has(unit)) return 2;
  if (unit < 0x20 || isHigh(unit) || isLow(unit)) return 6;
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
