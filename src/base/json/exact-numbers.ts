import { randomBytes } from 'node:crypto';
import { runAtOnce } from '../turns/turns.js';
import { parseInParts } from './parse-in-parts.js';

/** Numbers that a double would change: more digits than it holds, or an exponent that leaves its range. */
const EXACT = /\d{16}|\d[eE][+-]?\d{3}/;
/** Every string and every number of a JSON text: what looks like a number inside a string is none. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /\d{16}|[eE][+-]?\d{3}|\d\.\d{15}|\d{8,}\.\d{8,}/;

/** Random, so that no upstream can write it; short, because every number that is kept takes it once. */
const MARK = randomBytes(9).toString('base64url');
const WRITTEN = new RegExp(`"${MARK}(-?\\d[\\d.eE+-]*)"`, 'g');

/** A longer text is parsed part by part: with its marks it takes almost twice the memory, beside the text and its values. */
const MARKED_AT_ONCE = 1024 * 1024;

/**
 * Parses JSON so that writing it again gives the same numbers. A number that a double would change becomes a marked
 * text, whose digits `digitsOf` gives.
 */
export function parseExact(text: string): unknown {
  if (!EXACT.test(text)) return JSON.parse(text);
  if (text.length <= MARKED_AT_ONCE) return parseMarked(text);
  return runAtOnce(parseInParts(Buffer.from(text), { parseWhole: parseMarked }));
}

function parseMarked(text: string): unknown {
  return JSON.parse(EXACT.test(text) ? markInexact(text) : text);
}

/** A JSON text in which the numbers are texts that a double would change: for readers who know no other numbers. */
export function quoteInexact(text: string): string {
  return EXACT.test(text) ? markInexact(text, '') : text;
}

/**
 * One token after the other: `replace` with a function holds all of them at once, which takes many times the text's memory. Nor are
 * texts added to each other, which V8 keeps as a tree of all the parts.
 */
function markInexact(text: string, mark = MARK): string {
  const parts: string[] = [];
  let from = 0;
  for (let found = nextToken(text, 0); found !== null; found = nextToken(text, TOKEN.lastIndex)) {
    const [token] = found;
    if (!isInexact(token)) continue;
    parts.push(text.slice(from, found.index), '"', mark, token, '"');
    from = TOKEN.lastIndex;
  }
  return `${parts.join('')}${text.slice(from)}`;
}

function nextToken(text: string, from: number): RegExpExecArray | null {
  TOKEN.lastIndex = from;
  return TOKEN.exec(text);
}

/** Not `0.30000000000000004` and the like, which a double holds as it is written. */
function isInexact(token: string): boolean {
  return token[0] !== '"' && LONG.test(token) && String(Number(token)) !== token;
}

/** A number as an answer's text writes it, so that writing it again gives the same digits. */
export function exactNumber(digits: string): unknown {
  const held = Number(digits);
  return String(held) === digits ? held : MARK + digits;
}

/** The number that a marked text stands for, as it was written; undefined for every other text. */
export function digitsOf(text: string): string | undefined {
  return text.startsWith(MARK) ? text.slice(MARK.length) : undefined;
}

/** A value as text searches, group names and expressions see it: the digits of a marked text, all else as it is. */
export function unmarked(value: unknown): unknown {
  return typeof value === 'string' ? (digitsOf(value) ?? value) : value;
}

/** The same for all that a value holds; the value itself where nothing in it is marked. */
export function unmarkedWithin(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return unmarked(value);
  const members = Object.entries(value);
  const plain = members.map(([key, member]) => [key, unmarkedWithin(member)] as const);
  if (plain.every(([, member], index) => member === members[index]?.[1])) return value;
  return Array.isArray(value) ? plain.map(([, member]) => member) : Object.fromEntries(plain);
}

/** Writes what `parseExact` read. */
export function writeExact(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.includes(MARK) ? text.replace(WRITTEN, '$1') : text;
}
