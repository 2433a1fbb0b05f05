import type { Condition, Operator } from '../collection-query.js';
import { unmarked } from '../desk/exact-numbers.js';
import { createComparison } from './comparable.js';
import { createEquality } from './equality.js';
import { createFieldReader, type FieldSource } from './field-reader.js';
import { foldText } from './fold-text.js';
import { compileTextPattern } from './text-pattern.js';

/** Whether the values of a field are as a condition wants them; there are none where the field is missing. */
type Test = (values: readonly unknown[]) => boolean;

/**
 * What each operator asks. Of several values, and of the elements of a list, one is enough. Null is as good as missing: it
 * equals null, exists not, and is neither less nor greater than anything.
 */
const TESTS = {
  equals: (operand) => oneOf([operand]),
  in: (operand) => oneOf(Array.isArray(operand) ? operand : [operand]),
  gt: (operand) => inOrder(operand, (order) => order > 0),
  gte: (operand) => inOrder(operand, (order) => order >= 0),
  lt: (operand) => inOrder(operand, (order) => order < 0),
  lte: (operand) => inOrder(operand, (order) => order <= 0),
  contains: (operand) => containing(operand),
  exists: (operand) => (values) => isMissing(values) !== (operand === true),
  pattern: (operand) => anyText(compileTextPattern(String(operand))),
} as const satisfies Readonly<Record<Operator, (operand: unknown) => Test>>;

/** The items for which every condition holds, in their order. */
export function filterItems(
  items: readonly unknown[],
  conditions: readonly Condition[],
  source: FieldSource,
): readonly unknown[] {
  if (conditions.length === 0) return items;
  const predicates = conditions.map((condition) => compileCondition(condition, source));
  return items.filter((item) => predicates.every((holds) => holds(item)));
}

function compileCondition({ path, operator, operand }: Condition, source: FieldSource): (item: unknown) => boolean {
  const read = createFieldReader(path, source);
  const test = TESTS[operator](operand);
  return (item) => test(read(item));
}

function oneOf(candidates: readonly unknown[]): Test {
  const equals = createEquality(candidates);
  const acceptsMissing = candidates.includes(null);
  return (values) => (acceptsMissing && isMissing(values)) || anyOf(values, equals);
}

function inOrder(operand: unknown, accepts: (order: number) => boolean): Test {
  if (typeof operand !== 'string' && typeof operand !== 'number') return () => false;
  const compare = createComparison(operand);
  return (values) =>
    anyOf(values, (value) => {
      const order = compare(value);
      return order !== undefined && accepts(order);
    });
}

/** A part of a text, or an element of a list; in both, case and accents are no difference. */
function containing(operand: unknown): Test {
  const equals = createEquality([operand]);
  const part = foldText(String(operand));
  const isElement = (element: unknown): boolean =>
    equals(element) || (typeof element === 'string' && foldText(element) === part);
  return (values) =>
    values.some((value) => (Array.isArray(value) ? value.some(isElement) : isText(value) && holdsPart(value, part)));
}

function holdsPart(value: string | number, part: string): boolean {
  return foldText(String(unmarked(value))).includes(part);
}

function anyText(matches: (text: string) => boolean): Test {
  return (values) => anyOf(values, (value) => isText(value) && matches(String(unmarked(value))));
}

function anyOf(values: readonly unknown[], holds: (value: unknown) => boolean): boolean {
  return values.some((value) => holds(value) || (Array.isArray(value) && value.some(holds)));
}

function isMissing(values: readonly unknown[]): boolean {
  return values.every((value) => value === null);
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
