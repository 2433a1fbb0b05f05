import { isDeepStrictEqual } from 'node:util';
import type { ParamCondition } from '../../config/policy-config.js';
import { compileGlob, matchGlobs } from './compile-glob.js';
import { allOf, anyOf, eachOf, type Match } from './match.js';

/** Stands for what cannot be looked into: members of an object that was sent as text. */
export const OPAQUE = Symbol('opaque');

/** A condition made ready; `undefined` is the missing value. */
export type ValueMatcher = (value: unknown) => Match;

type Scalar = string | number | boolean | null;

const certainly = (holds: boolean): Match => (holds ? 'yes' : 'no');

/**
 * Each condition by what it was given. Upstreams convert: `"1000"` becomes a number, `"true"` a flag, one text a list. So what is
 * not a number is in doubt where numbers are compared, and so is a value that another spelling makes equal.
 */
const MATCHERS = {
  present: (expected: boolean) => (value) => certainly((value !== undefined) === expected),
  equals: (expected: unknown) => (value) => matchEqual(value, expected),
  in: (expected: readonly unknown[]) => (value) => anyOf(expected.map((member) => matchEqual(value, member))),
  gt: (bound: number) => compareEach((value) => value > bound),
  gte: (bound: number) => compareEach((value) => value >= bound),
  lt: (bound: number) => compareEach((value) => value < bound),
  lte: (bound: number) => compareEach((value) => value <= bound),
  glob: (patterns: readonly string[]) => matchTextEach(patterns),
} satisfies {
  readonly [Key in keyof Required<ParamCondition>]: (expected: NonNullable<ParamCondition[Key]>) => ValueMatcher;
};

/** All that the condition asks, of one value. A missing value passes `present: false` alone. */
export function compileCondition(condition: ParamCondition): ValueMatcher {
  const matchers = Object.entries(condition).flatMap(([key, expected]) =>
    expected === undefined ? [] : [matcherOf(key as keyof ParamCondition, expected)],
  );
  return (value) => {
    if (value === OPAQUE) return 'doubt';
    if (value === undefined && condition.present !== false) return 'no';
    return allOf(matchers.map((matches) => matches(value)));
  };
}

/** The table above holds key and type together, which the compiler loses on a union of keys. */
function matcherOf(key: keyof ParamCondition, expected: unknown): ValueMatcher {
  const compile = MATCHERS[key] as (expected: unknown) => ValueMatcher;
  return compile(expected);
}

function matchEqual(value: unknown, expected: unknown): Match {
  if (value === expected || isDeepStrictEqual(value, expected)) return 'yes';
  if (Array.isArray(value)) return value.some((element) => matchEqual(element, expected) !== 'no') ? 'doubt' : 'no';
  return isScalar(value) && isScalar(expected) && mayMean(value, expected) ? 'doubt' : 'no';
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether an upstream that converts would take one for the other: `"5"` for 5, `"TRUE"` or 1 for true, null for 0. */
function mayMean(value: Scalar, expected: Scalar): boolean {
  if (typeof value === typeof expected) return false;
  return spell(value) === spell(expected) || Number(value) === Number(expected);
}

function spell(value: Scalar): string {
  return String(value).trim().toLowerCase();
}

function compareEach(holds: (value: number) => boolean): ValueMatcher {
  return overElements((value) => (typeof value === 'number' ? certainly(holds(value)) : 'doubt'));
}

function matchTextEach(patterns: readonly string[]): ValueMatcher {
  const globs = patterns.map(compileGlob);
  return overElements((value) => (isText(value) ? matchGlobs(globs, String(value)) : 'doubt'));
}

function isText(value: unknown): value is string | number | boolean {
  return isScalar(value) && value !== null;
}

/** Of a list the elements count, however deep; what is missing matches nothing. */
function overElements(matches: ValueMatcher): ValueMatcher {
  const matchEach: ValueMatcher = (value) => {
    if (value === undefined) return 'no';
    return Array.isArray(value) ? eachOf(value.map(matchEach)) : matches(value);
  };
  return matchEach;
}
