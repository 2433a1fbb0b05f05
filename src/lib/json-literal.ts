const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON_SIGN = 0x3a;
const TAB = 0x74;
const RETURN = 0x72;

/** Bytes that stand for themselves in a string: neither a quote, a backslash nor a control character. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** The bytes that follow a backslash where JSON.stringify writes an escape of two characters. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const letter of Buffer.from('"\\bfnrt')) SHORT_ESCAPES[letter] = 1;

/**
 * Where a string ends, from behind its first quote: the index of its last quote. Undefined where it is not well formed, and
 * where it is spelled otherwise than JSON.stringify would spell it (`\/`, `\u00e9`).
 */
export function endOfString(bytes: Buffer, start: number): number | undefined {
  const quote = bytes.indexOf(QUOTE, start);
  const backslash = bytes.indexOf(BACKSLASH, start);
  if (quote >= 0 && (backslash < 0 || backslash > quote)) return isPlainString(bytes, start, quote) ? quote : undefined;
  let at = start;
  for (;;) {
    while (PLAIN[bytes[at] ?? 0] === 1) at += 1;
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] !== BACKSLASH || SHORT_ESCAPES[bytes[at + 1] ?? 0] === 0) return undefined;
    at += 2;
  }
}

/** Whether a string without escapes is well formed. The parser of the engine finds control characters fastest. */
function isPlainString(bytes: Buffer, start: number, quote: number): boolean {
  try {
    JSON.parse(bytes.toString('latin1', start - 1, quote + 1));
    return true;
  } catch {
    return false;
  }
}

/** How many bytes the text of a string takes, from the string's content; both as `endOfString` reads them. */
export function bytesOfText(content: Buffer): number {
  let escapes = 0;
  for (let at = content.indexOf(BACKSLASH); at >= 0 && at < content.length; at += 1) {
    if (content[at] !== BACKSLASH) continue;
    escapes += 1;
    at += 1;
  }
  return content.length - escapes;
}

/** The content of a string as the content of a string within a string: every backslash and quote of it is escaped again. */
export function escapeAgain(content: Buffer): Buffer {
  const first = content.indexOf(BACKSLASH);
  if (first < 0) return content;
  const written = Buffer.allocUnsafeSlow(content.length * 2);
  let length = content.copy(written, 0, 0, first);
  for (let at = first; at < content.length; at += 1) {
    const byte = content[at] ?? 0;
    if (byte === BACKSLASH || byte === QUOTE) {
      written[length] = BACKSLASH;
      length += 1;
    }
    written[length] = byte;
    length += 1;
  }
  return written.subarray(0, length);
}

/** What may come next. */
const VALUE = 0;
const AFTER_VALUE = 1;
const KEY_OR_END = 2;
const KEY = 3;
const COLON = 4;
const VALUE_OR_END = 5;

/**
 * Where a string ends whose text is one JSON object or array, without decoding it. Undefined for every other string: one that
 * is not well formed, whose JSON is not, or is nested deeper than `maxDepth`; and where the JSON stands on several lines, or
 * the string is spelled with other escapes than JSON.stringify uses.
 */
export function endOfJsonString(bytes: Buffer, start: number, maxDepth: number): number | undefined {
  const kinds = new Uint8Array(maxDepth + 1);
  let depth = 0;
  let expected = VALUE;
  let at = start;
  for (;;) {
    const byte = bytes[at] ?? 0;
    switch (byte) {
      case QUOTE:
        return depth === 0 && expected === AFTER_VALUE ? at : undefined;
      case 0x20:
        at += 1;
        continue;
      case BACKSLASH:
        if (bytes[at + 1] !== QUOTE) {
          if (bytes[at + 1] !== TAB && bytes[at + 1] !== RETURN) return undefined;
          at += 2;
          continue;
        }
        if (depth === 0 || expected === AFTER_VALUE || expected === COLON) return undefined;
        at = endOfInnerString(bytes, at + 2);
        if (at < 0) return undefined;
        expected = expected === KEY || expected === KEY_OR_END ? COLON : AFTER_VALUE;
        continue;
      case OPEN_OBJECT:
      case OPEN_LIST:
        if ((expected !== VALUE && expected !== VALUE_OR_END) || depth === maxDepth) return undefined;
        depth += 1;
        kinds[depth] = byte;
        expected = byte === OPEN_OBJECT ? KEY_OR_END : VALUE_OR_END;
        break;
      case CLOSE_OBJECT:
        if (expected !== KEY_OR_END && !(expected === AFTER_VALUE && kinds[depth] === OPEN_OBJECT)) return undefined;
        depth -= 1;
        expected = AFTER_VALUE;
        break;
      case CLOSE_LIST:
        if (expected !== VALUE_OR_END && !(expected === AFTER_VALUE && kinds[depth] === OPEN_LIST)) return undefined;
        depth -= 1;
        expected = AFTER_VALUE;
        break;
      case COMMA:
        if (expected !== AFTER_VALUE || depth === 0) return undefined;
        expected = kinds[depth] === OPEN_OBJECT ? KEY : VALUE;
        break;
      case COLON_SIGN:
        if (expected !== COLON) return undefined;
        expected = VALUE;
        break;
      default:
        if (depth === 0 || (expected !== VALUE && expected !== VALUE_OR_END)) return undefined;
        at = endOfScalar(bytes, at);
        if (at < 0) return undefined;
        expected = AFTER_VALUE;
        continue;
    }
    at += 1;
  }
}

/** The index behind a string within the string; -1 where it is not well formed. */
function endOfInnerString(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    while (PLAIN[bytes[at] ?? 0] === 1) at += 1;
    if (bytes[at] !== BACKSLASH) return -1;
    if (bytes[at + 1] === QUOTE) return at + 2;
    const escaped = bytes[at + 1] === BACKSLASH ? innerEscape(bytes, at + 2) : -1;
    if (escaped < 0) return -1;
    at += 2 + escaped;
  }
}

/** How many bytes an escape of the inner string takes behind its (escaped) backslash; -1 for one that does not exist. */
function innerEscape(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case BACKSLASH:
      return bytes[at + 1] === QUOTE || bytes[at + 1] === BACKSLASH ? 2 : -1;
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 1;
    case 0x75: // u
      return isHex(bytes[at + 1]) && isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]) ? 5 : -1;
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
function endOfScalar(bytes: Buffer, start: number): number {
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
