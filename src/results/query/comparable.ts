import { digitsOf } from '../../base/json/exact-numbers.js';
import { readTime } from '../../base/lib/time.js';

/** A value in comparable form: values of one kind compare by `value`, different kinds by `rank`. */
export interface Comparable {
  readonly rank: number;
  readonly value: number | string | bigint;
}

const RANK = { boolean: 0, number: 1, time: 2, text: 3 } as const;

const LONG_INTEGER = /^-?[1-9]\d{15,31}$/;
const SPELT_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const LONGEST_NUMBER = 32;

/**
 * The number that a text spells, as many servers send amounts and ids. Not one with leading zeros (a postcode), an exponent
 * (a hash such as `12e5`) or more digits than a number can hold.
 */
export function spelledNumber(text: string): number | undefined {
  return text.length <= LONGEST_NUMBER && SPELT_NUMBER.test(text) ? Number(text) : undefined;
}

/**
 * A value as it is put in order: false before true, then numbers and texts that spell one, then times, then other texts by
 * code unit. Undefined for null, objects and lists, which have no order.
 */
export function comparableOf(value: unknown): Comparable | undefined {
  if (typeof value === 'number') return { rank: RANK.number, value };
  if (typeof value === 'boolean') return { rank: RANK.boolean, value: Number(value) };
  return typeof value === 'string' ? comparableText(value) : undefined;
}

function comparableText(text: string): Comparable {
  const digits = digitsOf(text);
  if (digits !== undefined) return { rank: RANK.number, value: exactValue(digits) };
  if (startsLikeNumber(text)) {
    const number = spelledNumber(text);
    if (number !== undefined) return { rank: RANK.number, value: number };
    const time = readTime(text);
    if (time !== undefined) return { rank: RANK.time, value: time };
  }
  return { rank: RANK.text, value: text };
}

/** A number by its digits: a whole one to the last of them; what a double rounds or cannot reach otherwise as it rounds it. */
export function exactValue(digits: string): number | bigint {
  return LONG_INTEGER.test(digits) ? BigInt(digits) : Number(digits);
}

function startsLikeNumber(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first >= 48 && first <= 57) || first === 45;
}

/** Below 0 where the first comes first, 0 where neither does. A total order: values of different kinds go by kind. */
export function compareInOrder(a: Comparable, b: Comparable): number {
  return a.rank === b.rank ? compareValues(a.value, b.value) : a.rank - b.rank;
}

/** The same for values of one kind. */
export function compareValues(a: Comparable['value'], b: Comparable['value']): number {
  if (a === b) return 0;
  if (a < b) return -1;
  // A bigint and a number of one value are not identical.
  return a > b ? 1 : 0;
}

/**
 * How a value compares with another of its kind, as `gt` and `lt` ask: undefined where they cannot be compared. Two texts always
 * can: by code unit where only one of them spells a number or a time.
 */
export function createComparison(operand: string | number): (value: unknown) => number | undefined {
  const bound = comparableOf(operand);
  const amount = longInteger(operand) ?? bound;
  return (value) => {
    const comparable = comparableOf(value);
    if (comparable === undefined || bound === undefined || amount === undefined) return undefined;
    const limit = comparable.rank === RANK.number ? amount : bound;
    if (comparable.rank === limit.rank) return compareInOrder(comparable, limit);
    if (typeof value !== 'string' || typeof operand !== 'string' || digitsOf(value) !== undefined) return undefined;
    return value < operand ? -1 : 1;
  };
}

/** A text of so many digits counts as text, except in comparisons with numbers. */
function longInteger(operand: string | number): Comparable | undefined {
  return typeof operand === 'string' && LONG_INTEGER.test(operand)
    ? { rank: RANK.number, value: BigInt(operand) }
    : undefined;
}
