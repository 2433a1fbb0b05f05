/** A character that is no Latin letter makes each of its text take two bytes. */
const CHARACTER_BYTES = 2;
const [COMMA, COLON, OPEN_LIST, OPEN_OBJECT] = [0x2c, 0x3a, 0x5b, 0x7b] as const;

/** Bytes that V8 takes for an object or a list without members, for a place in a list, and for a member with a name of its own. */
const BYTES = { container: 56, item: 24, member: 64 } as const;

/**
 * About how many bytes of memory the values take that a JSON text is parsed to: more than they do take, but where every name
 * is another. A list of small objects takes twenty times as much as its text. Texts are counted as if they were values, so
 * that a JSON text within a JSON string counts too.
 */
export function estimateTree(pieces: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const piece of pieces) {
    bytes += CHARACTER_BYTES * piece.length;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === COMMA) bytes += BYTES.item;
      else if (byte === COLON) bytes += BYTES.member;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) bytes += BYTES.container;
    }
  }
  return bytes;
}
