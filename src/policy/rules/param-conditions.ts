import { canonicalJson } from '../../base/json/canonical-json.js';
import { isJsonObject } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import {
  allOf,
  type Budget,
  compileGlob,
  eachOf,
  LONGEST_TEXT,
  type Match,
  matchBudget,
  matchGlobs,
} from '../../base/lib/glob.js';
import { quoteValue, quoteValues } from '../../base/lib/text.js';
import type { Operation } from '../../base/protocol/operation.js';
import type { ParamCondition } from '../../config/policy-config.js';
import type { CallSubject, Clause } from './clause.js';

/** The condition on one parameter; where its path leads through lists, on each value that it reaches. */
export function compileParameter(key: string, condition: ParamCondition): Clause<CallSubject> {
  const matches = compileCondition(condition);
  return {
    match: ({ operation, args, budget }) =>
      eachOf(readValues(args, locateParameter(operation, key), budget).map((value) => matches(value, budget))),
    explain: (call, match) => explainParameter(key, condition, call, match),
  };
}

function explainParameter(
  key: string,
  condition: ParamCondition,
  { operation, args }: CallSubject,
  match: Match,
): string {
  const path = locateParameter(operation, key);
  const values = readValues(args, path, matchBudget()).filter((value) => value !== undefined);
  const words = conditionInWords(condition);
  const parameter = `parameter '${key}'`;
  if (values.length === 0) {
    return match === 'yes' ? `${parameter} is not given` : `${parameter} is not given and would have to ${words.would}`;
  }
  const quoted =
    values.includes(OPAQUE) || operation.sensitive?.includes(path[0]) === true ? '' : ` ${quoteValues(values)}`;
  const subject = `${parameter}${quoted}`;
  if (match === 'yes') return `${subject} ${words.does}`;
  return `${subject} ${match === 'doubt' ? 'may' : 'would have to'} ${words.would}`;
}

/** Represents a value that cannot be read: a member of an object that was sent as text. */
const OPAQUE = Symbol('opaque');

/** A compiled condition; `undefined` is a missing value. */
type ValueMatcher = (value: unknown, budget: Budget) => Match;

type Scalar = string | number | boolean | null;

const certainly = (holds: boolean): Match => (holds ? 'yes' : 'no');

/**
 * The matcher of each condition. Upstreams convert: `"1000"` becomes a number, `"true"` a boolean, a string a list. What is
 * not a number is in doubt where numbers are compared, and so is a value that a conversion makes equal.
 */
const MATCHERS = {
  present: (expected: boolean) => (value) => certainly((value !== undefined) === expected),
  equals: (expected: unknown) => matchAmong([expected]),
  in: matchAmong,
  gt: (bound: number) => compareEach((value) => value > bound),
  gte: (bound: number) => compareEach((value) => value >= bound),
  lt: (bound: number) => compareEach((value) => value < bound),
  lte: (bound: number) => compareEach((value) => value <= bound),
  glob: (patterns: readonly string[]) => matchTextEach(patterns),
} satisfies {
  readonly [Key in keyof Required<ParamCondition>]: (expected: NonNullable<ParamCondition[Key]>) => ValueMatcher;
};

/** Applies every part of the condition to one value. A missing value matches only `present: false`. */
function compileCondition(condition: ParamCondition): ValueMatcher {
  const matchers = Object.entries(condition).flatMap(([key, expected]) =>
    expected === undefined ? [] : [matcherOf(key as keyof ParamCondition, expected)],
  );
  return (value, budget) => {
    if (value === OPAQUE) return 'doubt';
    if (value === undefined && condition.present !== false) return 'no';
    return allOf(matchers.map((matches) => matches(value, budget)));
  };
}

/** The table above pairs each key with its type; the compiler loses that pairing on a union of keys. */
function matcherOf(key: keyof ParamCondition, expected: unknown): ValueMatcher {
  const compile = MATCHERS[key] as (expected: unknown) => ValueMatcher;
  return compile(expected);
}

/** Steps of a call's budget that comparing one scalar costs, and looking at one element or one structure. */
const SCALAR_STEPS = 10;
const LOOK_STEPS = 3;

/**
 * Whether a value is one of these, however many there are. Structures are compared by their canonical text, which is not
 * written of one that has another number of members than every expected one, or is longer.
 */
function matchAmong(expected: readonly unknown[]): ValueMatcher {
  const matchScalar = scalarMatcher(expected.filter(isScalar));
  const isExpected = structureMatcher(expected.filter((member) => !isScalar(member)));
  const matches: ValueMatcher = (value, budget) => {
    budget.left -= isScalar(value) ? SCALAR_STEPS : LOOK_STEPS;
    if (budget.left < 0) return 'doubt';
    if (isScalar(value)) return matchScalar(value);
    if (isExpected(value, budget)) return 'yes';
    return Array.isArray(value) && value.some((element) => matches(element, budget) !== 'no') ? 'doubt' : 'no';
  };
  return matches;
}

/** Whether a list or an object equals one of these. */
function structureMatcher(expected: readonly unknown[]): (value: unknown, budget: Budget) => boolean {
  const texts = new Set(expected.map((member) => canonicalJson(member)));
  const sizes = new Set(expected.map((member) => sizeOf(member, Number.POSITIVE_INFINITY)));
  const mostMembers = Math.max(0, ...sizes);
  // A value is counted as up to four times as long as its shortest text.
  const longest = 16 + 5 * Math.max(0, ...Array.from(texts, ({ length }) => length));
  return (value, budget) => {
    if (!sizes.has(sizeOf(value, mostMembers))) return false;
    const length = measureJson(value, longest);
    budget.left -= SCALAR_STEPS + length;
    return length <= longest && texts.has(canonicalJson(value));
  };
}

/** How many elements or members a structure has, counted no further than one beyond the most. */
function sizeOf(value: unknown, most: number): number {
  if (Array.isArray(value)) return value.length;
  let size = 0;
  for (const _ in value as object) {
    size += 1;
    if (size > most) break;
  }
  return size;
}

/**
 * Equal to one of these for certain; in doubt where an upstream that converts values may treat it as one of another type:
 * `"5"` as 5, `"TRUE"` or 1 as true, null as 0.
 */
function scalarMatcher(expected: readonly Scalar[]): (value: Scalar) => Match {
  const exact = new Set<Scalar>(expected);
  const isAlike = likenessTest(expected);
  const isAlikeText = likenessTest(expected.filter((member) => typeof member !== 'string'));
  return (value) => {
    if (exact.has(value)) return 'yes';
    return (typeof value === 'string' ? isAlikeText(value) : isAlike(value)) ? 'doubt' : 'no';
  };
}

/**
 * Whether a conversion makes a value equal to one of these of another type. The expected ones are read once: what a value costs
 * depends neither on how many there are, nor on how long it is.
 */
function likenessTest(expected: readonly Scalar[]): (value: Scalar) => boolean {
  if (expected.length === 0) return () => false;
  const spelled = typesBy(expected, spell);
  const counted = typesBy(expected, Number);
  const longest = Math.max(...Array.from(spelled.keys(), ({ length }) => length));
  return (value) => {
    if (typeof value === 'string' && isTooLong(value)) return true;
    const text = String(value).trim();
    const isOther = (type: string): boolean => type !== typeof value;
    // No text becomes shorter in lower case.
    if (text.length <= longest && spelled.get(text.toLowerCase())?.some(isOther) === true) return true;
    if (typeof value === 'string' && !MAY_BE_NUMBER.test(text)) return false;
    return counted.get(Number(value))?.some(isOther) === true;
  };
}

/** The types of the scalars that a conversion makes the same. What is not a number equals nothing. */
function typesBy<Key>(
  scalars: readonly Scalar[],
  convert: (scalar: Scalar) => Key,
): ReadonlyMap<Key, readonly string[]> {
  const types = new Map<Key, Set<string>>();
  for (const scalar of scalars) {
    const key = convert(scalar);
    if (!Number.isNaN(key)) types.set(key, (types.get(key) ?? new Set()).add(typeof scalar));
  }
  return new Map(Array.from(types, ([key, set]) => [key, [...set]]));
}

const MAY_BE_NUMBER = /^(?:[+-]?[\d.I]|$)/;
const ENDLESS_NUMBER = /^(?:[\d.e+-]{4000}|0[xbo][\da-f]{4000})/i;

/** Whether a text may be a number, or another word, that it takes long to read: it begins or ends with a page of blanks or digits. */
function isTooLong(text: string): boolean {
  if (text.length <= LONGEST_TEXT) return false;
  const [start, end] = [text.slice(0, LONGEST_TEXT).trim(), text.slice(-LONGEST_TEXT).trim()];
  return start === '' || end === '' || ENDLESS_NUMBER.test(text.trimStart());
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function spell(value: Scalar): string {
  return String(value).trim().toLowerCase();
}

function compareEach(holds: (value: number) => boolean): ValueMatcher {
  return overElements((value) => (typeof value === 'number' ? certainly(holds(value)) : 'doubt'));
}

function matchTextEach(patterns: readonly string[]): ValueMatcher {
  const globs = patterns.map(compileGlob);
  return overElements((value, budget) => (isText(value) ? matchGlobs(globs, String(value), budget) : 'doubt'));
}

function isText(value: unknown): value is string | number | boolean {
  return isScalar(value) && value !== null;
}

/** Applies a matcher to each element of a list, at any depth; a missing value matches nothing. */
function overElements(matches: ValueMatcher): ValueMatcher {
  const matchEach: ValueMatcher = (value, budget) => {
    if (value === undefined) return 'no';
    budget.left -= LOOK_STEPS;
    if (budget.left < 0) return 'doubt';
    return Array.isArray(value) ? eachOf(value.map((element) => matchEach(element, budget))) : matches(value, budget);
  };
  return matchEach;
}

/**
 * The path in bound arguments that a rule's key refers to. Its first segment is a parameter's canonical name, the upstream's
 * spelling or another argument's name; the later segments are the upstream's own. The `input.` of an UPDATE is optional.
 */
function locateParameter(operation: Operation, key: string): readonly [name: string, ...path: string[]] {
  const { byName, hasInput } = operation.scope;
  const [, inside] = /^input\.(.+)$/s.exec(key) ?? [];
  const path = inside !== undefined && (hasInput || !byName.has('input')) ? inside : key;
  const whole = byName.get(path);
  if (whole !== undefined) return [whole.upstreamName];
  const [name = path, ...rest] = path.split('.');
  return [byName.get(name)?.upstreamName ?? name, ...rest];
}

/**
 * The values at a path, own members only, through every element of a list on the way. `undefined` where one is missing; beyond
 * the budget they cannot be read.
 */
function readValues(args: unknown, path: readonly string[], budget: Budget): readonly unknown[] {
  const values: unknown[] = [];
  collectValues(args, path, 0, values, budget);
  return values;
}

function collectValues(value: unknown, path: readonly string[], at: number, values: unknown[], budget: Budget): void {
  const name = path[at];
  budget.left -= LOOK_STEPS;
  if (name === undefined) {
    values.push(value);
  } else if (Array.isArray(value) && value.length > 0) {
    for (const element of value) {
      collectValues(element, path, at, values, budget);
      if (budget.left < 0) return void values.push(OPAQUE);
    }
  } else if (isJsonObject(value) && Object.hasOwn(value, name)) {
    collectValues(value[name], path, at + 1, values, budget);
  } else {
    // Some servers parse a text where they expect an object.
    values.push(typeof value === 'string' && value !== '' ? OPAQUE : undefined);
  }
}

/** A condition in words: `is greater than 100`, and `be greater than 100` after a verb such as `may`. */
interface ConditionWords {
  readonly does: string;
  readonly would: string;
}

const IS = ['is', 'be'] as const;

type Phrase = readonly [does: string, would: string, rest: string];

const PHRASES = {
  present: (expected: boolean): Phrase => [...IS, expected ? 'given' : 'absent'],
  equals: (expected: unknown): Phrase => ['equals', 'equal', quoteValue(expected)],
  in: (expected: readonly unknown[]): Phrase => [...IS, `one of ${quoteValues(expected)}`],
  gt: (bound: number): Phrase => [...IS, `greater than ${bound}`],
  gte: (bound: number): Phrase => [...IS, `at least ${bound}`],
  lt: (bound: number): Phrase => [...IS, `less than ${bound}`],
  lte: (bound: number): Phrase => [...IS, `at most ${bound}`],
  glob: (patterns: readonly string[]): Phrase => ['matches', 'match', quoteValues(patterns, ' or ')],
} satisfies {
  readonly [Key in keyof Required<ParamCondition>]: (expected: NonNullable<ParamCondition[Key]>) => Phrase;
};

function conditionInWords(condition: ParamCondition): ConditionWords {
  const asked = Object.keys(condition).length > 0 ? condition : { present: true };
  const phrases = Object.entries(asked).flatMap(([key, expected]) =>
    expected === undefined ? [] : [phraseOf(key as keyof ParamCondition, expected)],
  );
  const join = (verb: 0 | 1): string => phrases.map((phrase) => `${phrase[verb]} ${phrase[2]}`).join(' and ');
  return { does: join(0), would: join(1) };
}

function phraseOf(key: keyof ParamCondition, expected: unknown): Phrase {
  const phrase = PHRASES[key] as (expected: unknown) => Phrase;
  return phrase(expected);
}
