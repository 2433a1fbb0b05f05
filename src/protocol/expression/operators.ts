import { joinTexts } from './cut-text.js';
import type { Application, InferredType } from './expression.js';

/** An operator between two operands; a higher precedence binds closer. */
export interface BinaryOperator extends Application {
  readonly precedence: number;
  /** Whether `a < b < c` is refused: it never means what it seems to. */
  readonly single?: true;
}

/** What `not` leaves to its operand: `not a == b` is `not (a == b)`. */
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

/** As SQL does: what is missing decides nothing, but leaves to the other side what it can decide alone. */
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

/** Numbers by value, texts by their characters, as ISO dates want it; others have no order. */
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

/** Numbers are added; beside a text, both are written one after the other. */
function add(a: unknown, b: unknown): string | number | null {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  const areWritten = [a, b].every((value) => typeof value === 'string' || typeof value === 'number');
  return areWritten ? joinTexts([String(a), String(b)], '') : null;
}

function typeOfSum(operands: readonly InferredType[]): InferredType {
  return operands.includes('string') ? 'string' : 'number';
}
