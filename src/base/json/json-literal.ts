import { PLAIN } from './embedded-json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

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

const SPACE = 0x20;
const WORD_BYTES = 4;

/**
 * Whether a string without escapes is well formed: whether no byte of it is a control character. Four are looked at together, and the
 * lowest below a space has its highest bit marked. https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function isPlainString(bytes: Buffer, start: number, quote: number): boolean {
  const from = start + ((WORD_BYTES - ((bytes.byteOffset + start) % WORD_BYTES)) % WORD_BYTES);
  const count = Math.max(0, Math.floor((quote - from) / WORD_BYTES));
  if (!isPlainUpTo(bytes, start, Math.min(from, quote))) return false;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, count);
  let marked = 0;
  for (let at = 0; at < count; at += 1) {
    const word = words[at] ?? 0;
    marked |= (word - 0x20202020) & ~word;
  }
  return (marked & 0x80808080) === 0 && isPlainUpTo(bytes, from + count * WORD_BYTES, quote);
}

function isPlainUpTo(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) < SPACE) return false;
  return true;
}

/**
 * The content of a string, or a part of it, as the content of a string within a string: every backslash and quote of it is
 * escaped again.
 */
export function escapeAgain(content: Buffer): Buffer {
  // A quote stands behind its backslash, which may belong to the part before.
  const first = content[0] === QUOTE ? 0 : content.indexOf(BACKSLASH);
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
