const [TAB, LINE_FEED, COMMA, COLON, SEMICOLON, LESS] = [0x09, 0x0a, 0x2c, 0x3a, 0x3b, 0x3c] as const;
const [OPEN_LIST, BACKSLASH, LETTER_N, LETTER_T, OPEN_OBJECT, PIPE] = [0x5b, 0x5c, 0x6e, 0x74, 0x7b, 0x7c] as const;
const [ZERO, NINE] = [0x30, 0x39] as const;

/** More digits in a row than a double holds for sure: such a number is read and written digit by digit. */
const LONG_DIGITS = 16;
/** A long number costs as much as so many short ones. */
const LONG_NUMBER_MARKS = 10;

/**
 * About how many values a text holds that may be JSON, a table, lines or markup: the signs that begin a value or stand between two. Texts
 * within JSON count as if they were JSON, too, with the line ends and tabs that are escaped in them.
 * @param most it counts no further
 */
export function countMarks(pieces: readonly Uint8Array[], most: number): number {
  let marks = 0;
  let digits = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (byte >= ZERO && byte <= NINE) {
        digits += 1;
        if (digits === LONG_DIGITS) marks += LONG_NUMBER_MARKS;
        continue;
      }
      digits = 0;
      switch (byte) {
        case TAB:
        case LINE_FEED:
        case COMMA:
        case COLON:
        case SEMICOLON:
        case LESS:
        case OPEN_LIST:
        case OPEN_OBJECT:
        case PIPE:
          marks += 1;
          break;
        case BACKSLASH: {
          const next = piece[at + 1];
          if (next === LETTER_N || next === LETTER_T) marks += 1;
        }
      }
    }
    if (marks > most) break;
  }
  return Math.min(marks, most + 1);
}
