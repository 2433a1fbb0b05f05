import { randomBytes } from 'node:crypto';
import { isLost } from './changed-numbers.js';
import { parsePartsAtOnce } from './parse-in-parts.js';
import { findNumber, isInexact, quoteNumbers, SUSPICIOUS } from './scan.js';

/** Random, so that no upstream can write it; short, because every number that is kept takes it once. */
const MARK = randomBytes(9).toString('base64url');
const WRITTEN = new RegExp(`"${MARK}(-?\\d[\\d.eE+-]*)"`, 'g');

/** A longer text is parsed part by part: with its marks it takes almost twice the memory, beside the text and its values. */
const MARKED_AT_ONCE = 1024 * 1024;

/**
 * Parses JSON so that writing it again gives the same numbers. A number that a double would change becomes a marked
 * text, whose digits `digitsOf` gives.
 * @param isMarked `isLost` where zeros at the end of a fraction need not be kept
 */
export function parseExact(text: string, isMarked = isInexact): unknown {
  if (!SUSPICIOUS.test(text)) return JSON.parse(text);
  const parseWhole = (part: string): unknown => JSON.parse(quoteNumbers(part, isMarked, MARK));
  if (text.length <= MARKED_AT_ONCE) return parseWhole(text);
  return parsePartsAtOnce(Buffer.from(text), { parseWhole });
}

/** Where a value holds a marked number, which cannot be sent on as a value; undefined where it holds none. */
export function findMarked(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return digitsOf(value) === undefined ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = findMarked(member, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A JSON text in which the numbers are texts that a double would change: for readers who know no other numbers. */
export function quoteInexact(text: string): string {
  return SUSPICIOUS.test(text) ? quoteNumbers(text, isInexact) : text;
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
export function unmarkedWithin<T>(value: T): T;
export function unmarkedWithin(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return unmarked(value);
  const members = Object.entries(value);
  const plain = members.map(([key, member]) => [key, unmarkedWithin(member)] as const);
  if (plain.every(([, member], index) => member === members[index]?.[1])) return value;
  return Array.isArray(value) ? plain.map(([, member]) => member) : Object.fromEntries(plain);
}

/** Parses JSON for who sends its values on: a number that would be another one as a value is the text of its digits. */
export function parseCarried(text: string): unknown {
  return JSON.parse(SUSPICIOUS.test(text) ? quoteNumbers(text, isLost) : text);
}

/** Whether a text is JSON with a number that would be another one as a value: zeros at the end of a fraction change nothing. */
export function holdsInexact(text: string): boolean {
  if (!SUSPICIOUS.test(text)) return false;
  try {
    JSON.parse(text);
    return findNumber(text, 0, isLost) !== undefined;
  } catch {
    // No JSON: a text, whatever its digits.
    return false;
  }
}

/** Writes what `parseExact` read. */
export function writeExact(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.includes(MARK) ? text.replace(WRITTEN, '$1') : text;
}
