const NOTHING = Buffer.alloc(0);

/** Bytes that lie in several places, in their order, because copying them together costs memory that is collected slowly. */
export type Pieces = readonly Buffer[];

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
