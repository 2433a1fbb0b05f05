import { randomBytes } from 'node:crypto';

/** Numbers that a double would change: more digits than it holds, or an exponent that leaves its range. */
const EXACT = /\d{16}|\d[eE][+-]?\d{3}/;
/** Every string and every number of a JSON text: what looks like a number inside a string is none. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /\d{16}|[eE][+-]?\d{3}|\d\.\d{15}|\d{8,}\.\d{8,}/;

/** Random, so that no upstream can write it. */
const MARK = `number ${randomBytes(12).toString('hex')} `;
const WRITTEN = new RegExp(`"${MARK}(-?\\d[\\d.eE+-]*)"`, 'g');

/** Parses JSON so that writing it again gives the same numbers. A number beyond a double's precision reads as a marked text. */
export function parseExact(text: string): unknown {
  if (!EXACT.test(text)) return JSON.parse(text);
  return JSON.parse(
    text.replace(TOKEN, (token) => (token[0] !== '"' && LONG.test(token) ? JSON.stringify(MARK + token) : token)),
  );
}

/** Writes what `parseExact` read. */
export function writeExact(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.includes(MARK) ? text.replace(WRITTEN, '$1') : text;
}
