import { isJsonObject } from '../json/json.js';

/** An operator between two operands; a higher precedence binds closer. */
export interface BinaryOperator extends Application {
  readonly precedence: number;
  /** Whether `a < b < c` is refused: it never means what it seems to. */
  readonly single?: true;
}

/** The type of an expression's values, known before it is computed; `unknown` where only the data decide. */
export type InferredType = 'string' | 'number' | 'boolean' | 'unknown';

/**
 * What an operator or a function does. Values are JSON values, with null for everything that is missing; a result that is
 * not a JSON value (not a number, infinite) counts as null.
 */
export interface Application {
  readonly type: InferredType | ((operands: readonly InferredType[]) => InferredType);
  /** Never throws. @param now milliseconds since the epoch */
  readonly apply: (operands: readonly unknown[], now: number) => unknown;
}

/** An expression once it is understood. */
export type Expression =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'application'; readonly does: Application; readonly operands: readonly Expression[] };

/** `not` binds less tightly than a comparison: `not a == b` is `not (a == b)`. */
export const COMPARISON_PRECEDENCE = 3;
export const TIGHTEST_PRECEDENCE = 6;

export const NOT: Application = {
  type: 'boolean',
  apply: ([value]) => (typeof value === 'boolean' ? !value : null),
};

export const NEGATE: Application = {
  type: 'number',
  apply: ([value]) => (typeof value === 'number' ? -value : null),
};

export const BINARY_OPERATORS: ReadonlyMap<string, BinaryOperator> = new Map([
  ['or', { type: 'boolean', precedence: 1, apply: ([a, b]) => decide(a, b, true) }],
  ['and', { type: 'boolean', precedence: 2, apply: ([a, b]) => decide(a, b, false) }],
  ['==', comparison(isEqual)],
  ['!=', comparison((a, b) => negate(isEqual(a, b)))],
  ['<', comparison((a, b) => compare(a, b, (order) => order < 0))],
  ['<=', comparison((a, b) => compare(a, b, (order) => order <= 0))],
  ['>', comparison((a, b) => compare(a, b, (order) => order > 0))],
  ['>=', comparison((a, b) => compare(a, b, (order) => order >= 0))],
  ['+', { type: typeOfSum, precedence: 4, apply: ([a, b]) => add(a, b) }],
  ['-', arithmetic(4, (a, b) => a - b)],
  ['*', arithmetic(5, (a, b) => a * b)],
  ['/', arithmetic(5, (a, b) => a / b)],
  ['%', arithmetic(5, (a, b) => a % b)],
]);

function arithmetic(precedence: number, compute: (a: number, b: number) => number): BinaryOperator {
  return {
    type: 'number',
    precedence,
    apply: ([a, b]) => (typeof a === 'number' && typeof b === 'number' ? compute(a, b) : null),
  };
}

function comparison(hold: (a: unknown, b: unknown) => boolean | null): BinaryOperator {
  return { type: 'boolean', precedence: COMPARISON_PRECEDENCE, single: true, apply: ([a, b]) => hold(a, b) };
}

/** As in SQL: a missing operand decides nothing, and the other one decides the result where it can do so alone. */
function decide(a: unknown, b: unknown, decisive: boolean): boolean | null {
  if (a === decisive || b === decisive) return decisive;
  return typeof a === 'boolean' && typeof b === 'boolean' ? !decisive : null;
}

/** Whether two plain values are the same; `x == null` asks whether there is no `x`. */
export function isEqual(a: unknown, b: unknown): boolean | null {
  if (a === null || b === null) return a === b;
  return typeof a === 'object' || typeof b === 'object' ? null : a === b;
}

function negate(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

/** Numbers by value, texts by their characters, which orders ISO dates, too; others have no order. */
function compare(a: unknown, b: unknown, holds: (order: number) => boolean): boolean | null {
  const order = orderOf(a, b);
  return order === undefined ? null : holds(order);
}

/** Below 0 where `a` comes first; undefined where the two cannot be compared. */
export function orderOf(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  return undefined;
}

/** Numbers are added; if one operand is a text, both are concatenated. */
function add(a: unknown, b: unknown): string | number | null {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  const areWritten = [a, b].every((value) => typeof value === 'string' || typeof value === 'number');
  return areWritten ? joinTexts([String(a), String(b)], '') : null;
}

function typeOfSum(operands: readonly InferredType[]): InferredType {
  return operands.includes('string') ? 'string' : 'number';
}

/** Longer expressions are refused. */
export const MAX_EXPRESSION_LENGTH = 1000;

/** Characters of a text that an expression makes. */
const MAX_TEXT_LENGTH = 10_000;

/** As much of a text as an expression may give. */
export function cutText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH).toWellFormed() : text;
}

/** Joins texts without building what would be cut off. */
export function joinTexts(texts: Iterable<string>, separator: string): string {
  const between = cutText(separator);
  let joined: string | undefined;
  for (const text of texts) {
    joined = joined === undefined ? cutText(text) : joined + between + cutText(text);
    if (joined.length > MAX_TEXT_LENGTH) break;
  }
  return cutText(joined ?? '');
}

/** Elements that are read of a list at once. */
export const MAX_ELEMENTS = 10_000;

/**
 * The value at a path of own members. Through a list the path means each of its elements: then it is one list of all values
 * that are there and not null. Null where there is nothing, and where the path leads through more elements than are read.
 */
export function readField(item: unknown, path: readonly string[]): unknown {
  let value = item;
  for (const [step, key] of path.entries()) {
    if (Array.isArray(value)) return readEach(value, path.slice(step));
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return null;
    value = value[key];
  }
  return value ?? null;
}

/** Level by level, so that no nesting of the data can exhaust the stack. */
function readEach(list: readonly unknown[], path: readonly string[]): readonly unknown[] | null {
  let values = list;
  for (const key of path) {
    if (values.length > MAX_ELEMENTS) return null;
    const found = values.map((value) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : null));
    if (countElements(found) > MAX_ELEMENTS) return null;
    values = found.flat().filter((value) => value !== null);
  }
  return values;
}

function countElements(values: readonly unknown[]): number {
  return values.reduce((sum: number, value) => sum + (Array.isArray(value) ? value.length : 1), 0);
}
