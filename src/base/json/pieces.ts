/** Bytes that lie in several places, in their order, because copying them together costs memory that is collected slowly. */
export type Pieces = readonly Buffer[];

/** A member of a large result, with its JSON in bytes, in which numbers are as the server wrote them. */
export interface WrittenMember {
  readonly name: string;
  readonly value: unknown;
  readonly json: Pieces;
}

const NOTHING = Buffer.alloc(0);

export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** All of them in one place; not a copy where they are one piece. */
export function joinPieces(pieces: Pieces): Buffer {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** The same bytes in memory of their own, which nothing else lies in. */
export function copyPieces(pieces: Pieces): Buffer {
  const copy = Buffer.allocUnsafeSlow(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) at += piece.copy(copy, at);
  return copy;
}

/** Those from one index up to another. */
export function slicePieces(pieces: Pieces, start: number, end: number): Pieces {
  const slices: Buffer[] = [];
  let at = 0;
  for (const piece of pieces) {
    const slice = piece.subarray(Math.max(start - at, 0), Math.max(end - at, 0));
    if (slice.length > 0) slices.push(slice);
    at += piece.length;
  }
  return slices;
}

/** Whether some bytes occur in them, be it over the end of a piece. */
export function occursIn(pieces: Pieces, sought: Buffer): boolean {
  const reach = sought.length - 1;
  let before: Buffer = NOTHING;
  for (const piece of pieces) {
    if (piece.includes(sought)) return true;
    if (before.length > 0 && Buffer.concat([before, piece.subarray(0, reach)]).includes(sought)) return true;
    const end = piece.length >= reach ? piece : Buffer.concat([before, piece]);
    before = end.subarray(Math.max(end.length - reach, 0));
  }
  return false;
}

/** The members without the braces around them. */
export function joinMembers(members: readonly WrittenMember[]): Pieces {
  return members.flatMap(({ name, json }, index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    ...json,
  ]);
}

/** The bytes of the result that they are. */
export function sizeOfMembers(members: readonly WrittenMember[]): number {
  return lengthOf(joinMembers(members)) + '{}'.length;
}

/** The JSON text of the result that they are, for whoever needs it as one text: that takes long. */
export function textOfMembers(members: readonly WrittenMember[]): string {
  return `{${joinPieces(joinMembers(members)).toString('utf8')}}`;
}

const [BACKSLASH, LETTER_N, LETTER_T] = [0x5c, 0x6e, 0x74] as const;

/** What a byte is to the counting. A table, as the code often runs for the first time, when each comparison costs. */
const [OTHER, MARK, DIGIT, ESCAPE] = [0, 1, 2, 3] as const;
const KINDS = new Uint8Array(256);
for (const mark of '\t\n,:;<[{|') KINDS[mark.charCodeAt(0)] = MARK;
for (const digit of '0123456789') KINDS[digit.charCodeAt(0)] = DIGIT;
KINDS[BACKSLASH] = ESCAPE;

/** More digits in a row than a double holds for sure: such a number is read and written digit by digit. */
const LONG_DIGITS = 16;
/** A long number costs as much as so many short ones. */
const LONG_NUMBER_MARKS = 10;

/** Bytes that are looked at before it is seen whether they are enough. */
const STEP_BYTES = 16 * 1024;

/**
 * About how many values a text holds that may be JSON, a table, lines or markup: the signs that begin a value or stand between two. Texts
 * within JSON count as if they were JSON, too, with the line ends and tabs that are escaped in them.
 * @param most it counts no further
 */
export function countMarks(pieces: readonly Uint8Array[], most: number): number {
  const counter = new MarkCounter();
  for (const piece of pieces) {
    for (let from = 0; from < piece.length && counter.marks <= most; from += STEP_BYTES) {
      counter.count(piece, from, Math.min(from + STEP_BYTES, piece.length));
    }
    if (counter.marks > most) break;
  }
  return Math.min(counter.marks, most + 1);
}

class MarkCounter {
  #marks = 0;
  #digits = 0;

  get marks(): number {
    return this.#marks;
  }

  count(piece: Uint8Array, start: number, end: number): void {
    let marks = this.#marks;
    let digits = this.#digits;
    for (let at = start; at < end; at += 1) {
      const kind = KINDS[piece[at] ?? 0];
      if (kind === DIGIT) {
        digits += 1;
        if (digits === LONG_DIGITS) marks += LONG_NUMBER_MARKS;
        continue;
      }
      digits = 0;
      if (kind === OTHER) continue;
      if (kind === MARK || isMarkEscaped(piece[at + 1])) marks += 1;
    }
    this.#marks = marks;
    this.#digits = digits;
  }
}

function isMarkEscaped(letter: number | undefined): boolean {
  return letter === LETTER_N || letter === LETTER_T;
}
