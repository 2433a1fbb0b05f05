const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const TAB = 0x74;
const RETURN = 0x72;

/** Bytes that stand for themselves in a string: neither a quote, a backslash nor a control character. */
export const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** A JSON string whose text is JSON. */
export interface EmbeddedJson {
  /** The index of its last quote. */
  readonly end: number;
  /** How many bytes its text takes. */
  readonly textBytes: number;
  /** How deeply it is nested. */
  readonly levels: number;
}

/**
 * Reads a string whose text is one JSON object or array from behind its first quote, without decoding it. Undefined for every
 * other string: one that is not well formed, whose JSON is not, or is nested deeper than `maxDepth`; and where the JSON stands
 * on several lines, or the string is spelled with other escapes than JSON.stringify uses.
 */
export function readEmbeddedJson(bytes: Buffer, start: number, maxDepth: number): EmbeddedJson | undefined {
  const source = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), escapes: 0 };
  const open = new Uint8Array(maxDepth + 1);
  let depth = 0;
  let levels = 0;
  let at = passBlanks(source, start);
  if (bytes[at] !== OPEN_OBJECT && bytes[at] !== OPEN_LIST) return undefined;
  for (;;) {
    const first = bytes[at] ?? 0;
    if (first === BACKSLASH) {
      at = passString(source, at);
    } else if (first === OPEN_OBJECT || first === OPEN_LIST) {
      if (depth === maxDepth) return undefined;
      depth += 1;
      if (depth > levels) levels = depth;
      open[depth] = first;
      at = passBlanks(source, at + 1);
      if (bytes[at] !== (first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST)) {
        if (first === OPEN_OBJECT) at = passKey(source, at);
        if (at < 0) return undefined;
        continue;
      }
    } else {
      at = passScalar(bytes, at);
    }
    if (at < 0) return undefined;
    for (;;) {
      const next = bytes[at];
      if (next === COMMA) {
        at = open[depth] === OPEN_OBJECT ? passKey(source, at + 1) : passBlanks(source, at + 1);
        if (at < 0) return undefined;
        break;
      }
      if (next === CLOSE_OBJECT || next === CLOSE_LIST) {
        if (open[depth] !== (next === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_LIST)) return undefined;
        depth -= 1;
        at += 1;
        if (depth === 0) return endAfter(source, start, at, levels);
      } else {
        const end = passBlanks(source, at);
        if (end === at) return undefined;
        at = end;
      }
    }
  }
}

/** Nothing but blanks may stand between the text's last bracket and the string's last quote. */
function endAfter(source: Source, start: number, at: number, levels: number): EmbeddedJson | undefined {
  const end = passBlanks(source, at);
  return source.bytes[end] === QUOTE ? { end, textBytes: end - start - source.escapes, levels } : undefined;
}

/** What is read. Each `pass` takes the index of what it reads and returns the index behind it, or -1 where there is none. */
interface Source {
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Backslashes that belong to the outer string. */
  escapes: number;
}

/** The key of a member and its colon, up to where its value stands. */
function passKey(source: Source, start: number): number {
  const { bytes } = source;
  const begin = passBlanks(source, start);
  if (bytes[begin] !== BACKSLASH) return -1;
  const end = passString(source, begin);
  if (end < 0) return -1;
  const at = bytes[end] === COLON ? end : passBlanks(source, end);
  return bytes[at] === COLON ? passBlanks(source, at + 1) : -1;
}

function passBlanks(source: Source, start: number): number {
  const { bytes } = source;
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte === SPACE) {
      at += 1;
    } else if (byte === BACKSLASH && (bytes[at + 1] === TAB || bytes[at + 1] === RETURN)) {
      source.escapes += 1;
      at += 2;
    } else {
      return at;
    }
  }
}

/**
 * A string within the string. Most of an answer is read here, so four bytes are looked at together: the lowest that is a quote, a
 * backslash or a control character is marked. https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function passString(source: Source, start: number): number {
  const { bytes, view } = source;
  if (bytes[start + 1] !== QUOTE) return -1;
  const last = bytes.length - 4;
  let at = start + 2;
  for (;;) {
    for (;;) {
      if (at > last) {
        while (PLAIN[bytes[at] ?? 0] === 1) at += 1;
        break;
      }
      const word = view.getInt32(at, true);
      // The quote becomes a space, and what is below a space stays there.
      const quoted = word ^ 0x02020202;
      const slashed = word ^ 0x5c5c5c5c;
      const special = (((quoted - 0x21212121) & ~quoted) | ((slashed - 0x01010101) & ~slashed)) & 0x80808080;
      if (special !== 0) {
        at += (31 - Math.clz32(special & -special)) >> 3;
        break;
      }
      at += 4;
    }
    if (bytes[at] !== BACKSLASH) return -1;
    if (bytes[at + 1] === QUOTE) {
      source.escapes += 2;
      return at + 2;
    }
    const end = bytes[at + 1] === BACKSLASH ? passEscape(source, at + 2) : -1;
    if (end < 0) return -1;
    at = end;
  }
}

/** What follows the backslash of an inner string, which is two bytes here. */
function passEscape(source: Source, at: number): number {
  const { bytes } = source;
  source.escapes += 1;
  switch (bytes[at]) {
    case BACKSLASH:
      source.escapes += 1;
      return bytes[at + 1] === QUOTE || bytes[at + 1] === BACKSLASH ? at + 2 : -1;
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 1;
    case 0x75: // u
      return isHex(bytes[at + 1]) && isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]) ? at + 5 : -1;
    default:
      return -1;
  }
}

function isHex(byte = 0): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** The index behind a number, `true`, `false` or `null`; -1 where there is none of them. */
function passScalar(bytes: Buffer, start: number): number {
  switch (bytes[start]) {
    case 0x74:
      return endOfWord(bytes, start, 0x72, 0x75, 0x65);
    case 0x6e:
      return endOfWord(bytes, start, 0x75, 0x6c, 0x6c);
    case 0x66:
      return bytes[start + 1] === 0x61 ? endOfWord(bytes, start + 1, 0x6c, 0x73, 0x65) : -1;
    default:
      return endOfNumber(bytes, start);
  }
}

function endOfWord(bytes: Buffer, start: number, second: number, third: number, fourth: number): number {
  return bytes[start + 1] === second && bytes[start + 2] === third && bytes[start + 3] === fourth ? start + 4 : -1;
}

function endOfNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  if (bytes[at] === 0x30) at += 1;
  else {
    at = endOfDigits(bytes, at);
    if (at < 0) return -1;
  }
  if (bytes[at] === 0x2e) {
    at = endOfDigits(bytes, at + 1);
    if (at < 0) return -1;
  }
  const sign = bytes[at];
  if (sign !== 0x65 && sign !== 0x45) return at;
  const next = bytes[at + 1];
  return endOfDigits(bytes, next === 0x2b || next === 0x2d ? at + 2 : at + 1);
}

/** -1 where there is no digit. */
function endOfDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? 0)) at += 1;
  return at === start ? -1 : at;
}
