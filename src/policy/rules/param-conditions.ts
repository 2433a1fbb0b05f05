import type { ParamCondition } from '../../config/gateway-config.js';
import { canonicalJson } from '../../lib/canonical-json.js';
import { groupBy } from '../../lib/collections.js';
import { allOf, type Budget, compileGlob, eachOf, type Match, matchGlobs } from '../../lib/glob.js';
import { measureJson } from '../../lib/json-size.js';
import { quoteValue, quoteValues } from '../../lib/text.js';
import { isJsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import type { CallSubject, Clause } from './clause.js';

/** The condition on one parameter; where its path leads through lists, on each value that it reaches. */
export function compileParameter(key: string, condition: ParamCondition): Clause<CallSubject> {
  const matches = compileCondition(condition);
  return {
    match: ({ operation, args, budget }) =>
      eachOf(readValues(args, locateParameter(operation, key)).map((value) => matches(value, budget))),
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
  const values = readValues(args, path).filter((value) => value !== undefined);
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

/** Steps of a call's budget that comparing one scalar costs. */
const SCALAR_STEPS = 10;

/**
 * Whether a value is one of these, however many there are. Structures are compared by their canonical text, which is not
 * written of one that is longer than every expected one.
 */
function matchAmong(expected: readonly unknown[]): ValueMatcher {
  const matchScalar = scalarMatcher(expected.filter(isScalar));
  const structures = new Set(expected.filter((member) => !isScalar(member)).map((member) => canonicalJson(member)));
  // A value is counted as up to four times as long as its shortest text.
  const longest = 16 + 5 * Math.max(0, ...Array.from(structures, ({ length }) => length));
  const isExpected = (value: unknown): boolean =>
    structures.size > 0 && measureJson(value, longest) <= longest && structures.has(canonicalJson(value));
  const matches: ValueMatcher = (value, budget) => {
    if (isScalar(value)) {
      budget.left -= SCALAR_STEPS;
      return budget.left < 0 ? 'doubt' : matchScalar(value);
    }
    if (isExpected(value)) return 'yes';
    return Array.isArray(value) && value.some((element) => matches(element, budget) !== 'no') ? 'doubt' : 'no';
  };
  return matches;
}

/**
 * Equal to one of these for certain; in doubt where an upstream that converts values may treat it as one of another type:
 * `"5"` as 5, `"TRUE"` or 1 as true, null as 0.
 */
function scalarMatcher(expected: readonly Scalar[]): (value: Scalar) => Match {
  const exact = new Set<Scalar>(expected);
  const areTexts = expected.every((member) => typeof member === 'string');
  const spelled = groupBy(expected, spell);
  const counted = groupBy(expected, Number);
  return (value) => {
    if (exact.has(value)) return 'yes';
    if (areTexts && typeof value === 'string') return 'no';
    const alike = [...(spelled.get(spell(value)) ?? []), ...(counted.get(Number(value)) ?? [])];
    return alike.some((member) => typeof member !== typeof value) ? 'doubt' : 'no';
  };
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

/** The values at a path, own members only, through every element of a list on the way. `undefined` where one is missing. */
function readValues(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (Array.isArray(value)) {
    return value.length > 0 ? value.flatMap((element) => readValues(element, path)) : [undefined];
  }
  if (isJsonObject(value)) return Object.hasOwn(value, name) ? readValues(value[name], rest) : [undefined];
  // Some servers parse a text where they expect an object.
  return [typeof value === 'string' && value !== '' ? OPAQUE : undefined];
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
