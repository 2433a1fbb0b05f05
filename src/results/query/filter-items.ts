import { digest } from '../../base/json/canonical-json.js';
import { digitsOf, unmarked } from '../../base/json/exact-numbers.js';
import { oncePer } from '../../base/lib/collections.js';
import { readTime } from '../../base/lib/time.js';
import { createComparison, spelledNumber } from './comparable.js';
import { createFieldReader, type FieldSource } from './fields.js';
import type { CollectionQuery, Condition, Operator, TextQuery } from './result-types.js';

/** Whether the values of a field meet a condition; there are none where the field is missing. */
type Test = (values: readonly unknown[]) => boolean;

/**
 * The test of each operator. Of several values, and of the elements of a list, one is enough. Null counts as missing: it
 * equals null, does not exist, and is neither less nor greater than anything.
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

/** The items that meet all conditions and hold any of the words, in their order. */
export function findItems(
  items: readonly unknown[],
  { filter, text }: Pick<CollectionQuery, 'filter' | 'text'>,
  options: FieldSource,
): readonly unknown[] {
  if (filter.length === 0 && text === undefined) return items;
  const meets = compileFilter(filter, options);
  const isHit = text === undefined ? () => true : compileTextSearch(text);
  return items.filter((item) => meets(item) && isHit(item));
}

/** Whether an item meets all conditions. */
export function compileFilter(conditions: readonly Condition[], source: FieldSource): (item: unknown) => boolean {
  const predicates = conditions.map((condition) => compileCondition(condition, source));
  return (item) => predicates.every((holds) => holds(item));
}

function compileCondition({ path, operator, operand }: Condition, source: FieldSource): (item: unknown) => boolean {
  const read = createFieldReader(path, source);
  const test = TESTS[operator](operand);
  return (item) => test(read(item));
}

const COMPARISONS: ReadonlySet<Operator> = new Set(['gt', 'gte', 'lt', 'lte']);

/** Whether a condition passes over a text of an item because it compares with a number; undefined where it compares with none. */
export function findUncompared(
  { path, operator, operand }: Condition,
  source: FieldSource,
): ((item: unknown) => boolean) | undefined {
  const isNumber = typeof operand === 'number' || (typeof operand === 'string' && digitsOf(operand) !== undefined);
  if (!isNumber || !COMPARISONS.has(operator)) return undefined;
  const read = createFieldReader(path, source);
  const compare = createComparison(operand);
  const isLeftOut = (value: unknown): boolean =>
    typeof value === 'string' && value.trim() !== '' && compare(value) === undefined;
  return (item) => anyOf(read(item), isLeftOut);
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

/** A part of a text, or an element of a list; both ignore case and accents. */
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

/** Longer patterns are refused: what a pattern costs is its length times the text's. */
export const MAX_PATTERN_LENGTH = 200;

const ANY_CHARACTER = '?';

/**
 * A pattern for whole texts, whatever their case: `*` stands for any run of characters, `?` for one. Each piece between
 * stars is looked for once, from where the last one ended, so no text makes the search go back.
 */
export function compileTextPattern(pattern: string): (text: string) => boolean {
  const [head = '', ...others] = foldText(pattern).split('*');
  const tail = others.pop();
  if (tail === undefined) return (text) => matchWhole(foldText(text), head);
  const middle = others.filter((piece) => piece !== '').map(createPieceFinder);
  return (text) => {
    const folded = foldText(text);
    const end = folded.length - tail.length;
    if (end < head.length || !fitsAt(folded, head, 0) || !fitsAt(folded, tail, end)) return false;
    let from = head.length;
    for (const findEnd of middle) {
      from = findEnd(folded, from);
      if (from < 0) return false;
    }
    return from <= end;
  };
}

function matchWhole(text: string, piece: string): boolean {
  return text.length === piece.length && fitsAt(text, piece, 0);
}

/** Where a piece ends that is looked for from an index on; below 0 where it does not occur. */
type FindPieceEnd = (text: string, from: number) => number;

const WORD_BITS = 32;

/**
 * A piece with `?` is looked for by the shift-and method (https://en.wikipedia.org/wiki/Bitap_algorithm): bit `n` of the state
 * says whether the first `n + 1` characters of the piece end here. Each character of the text costs the same, whatever the
 * piece and the text hold.
 */
function createPieceFinder(piece: string): FindPieceEnd {
  if (!piece.includes(ANY_CHARACTER)) {
    return (text, from) => {
      const start = text.indexOf(piece, from);
      return start < 0 ? start : start + piece.length;
    };
  }
  const words = Math.ceil(piece.length / WORD_BITS);
  const fitsAnything = bitsOf(piece, words, ANY_CHARACTER);
  const fits = new Map(
    Array.from(new Set(piece.split('')), (unit) => [unit.charCodeAt(0), bitsOf(piece, words, unit)] as const),
  );
  // A question mark in the text is a character like any other.
  fits.delete(ANY_CHARACTER.charCodeAt(0));
  const last = piece.length - 1;
  return (text, from) => {
    const state = new Uint32Array(words);
    for (let at = from; at < text.length; at++) {
      const fitting = fits.get(text.charCodeAt(at)) ?? fitsAnything;
      let carry = 1;
      for (let word = 0; word < words; word++) {
        const bits = state[word] ?? 0;
        state[word] = ((bits << 1) | carry) & (fitting[word] ?? 0);
        carry = bits >>> (WORD_BITS - 1);
      }
      if (hasBit(state, last)) return at + 1;
    }
    return -1;
  };
}

/** The places of a piece that fit a character, one bit each. */
function bitsOf(piece: string, words: number, unit: string): Uint32Array {
  const bits = new Uint32Array(words);
  for (const [at, expected] of piece.split('').entries()) {
    if (expected !== unit && expected !== ANY_CHARACTER) continue;
    const word = Math.floor(at / WORD_BITS);
    bits[word] = (bits[word] ?? 0) | (1 << (at % WORD_BITS));
  }
  return bits;
}

function hasBit(bits: Uint32Array, at: number): boolean {
  return ((bits[Math.floor(at / WORD_BITS)] ?? 0) & (1 << (at % WORD_BITS))) !== 0;
}

function fitsAt(text: string, piece: string, start: number): boolean {
  for (let index = 0; index < piece.length; index++) {
    const expected = piece[index];
    if (expected !== ANY_CHARACTER && expected !== text[start + index]) return false;
  }
  return true;
}

/** Texts nested deeper are not searched. */
const MAX_DEPTH = 32;

const WORD_OR_PHRASE = /"([^"]*)"|[^\s"]+/g;

/** The words and quoted phrases of a search, each once, as `foldText` has them. */
export function parseTextQuery(text: string): TextQuery {
  const terms = Array.from(text.matchAll(WORD_OR_PHRASE), ([word, phrase]) => oneLine(foldText(phrase ?? word)).trim());
  return { terms: [...new Set(terms.filter((term) => term !== ''))] };
}

/**
 * Whether any term occurs in an item, as part of any text or number (companion document "collection querying", section 4.1).
 * Keys are not searched.
 */
export function compileTextSearch({ terms }: TextQuery): (item: unknown) => boolean {
  if (terms.length === 0) return () => true;
  const prepare = terms.some((term) => term.includes(' ')) ? (text: string) => oneLine(foldText(text)) : foldText;
  const isHit = (text: string): boolean => {
    const prepared = prepare(text);
    return terms.some((term) => prepared.includes(term));
  };
  return (item) => anyTextIn(item, isHit, 0);
}

/** A phrase is found across a line break. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function anyTextIn(value: unknown, isHit: (text: string) => boolean, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'number') return isHit(String(unmarked(value)));
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return false;
  return Object.values(value).some((member) => anyTextIn(member, isHit, depth + 1));
}

const COMBINING = /[\u0300-\u036f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII, all of it
const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** A text as it is searched, without differences of case, accents and the forms of one character. */
function foldText(text: string): string {
  const lower = text.toLowerCase();
  return BEYOND_ASCII.test(lower) ? lower.normalize('NFKD').replace(COMBINING, '') : lower;
}

/**
 * Whether a value is one of those given, in time that does not grow with their number. Texts are equal exactly, or as
 * one instant; a number equals a text that spells it; objects and lists are equal member by member. A number of more digits
 * than a double holds equals a text that spells them all, and a number that was rounded as it would be.
 */
function createEquality(candidates: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(candidates.filter((candidate) => !isStructure(candidate)));
  const structures = new Set(candidates.filter(isStructure).map(keyOf));
  const texts = candidates.filter((candidate) => typeof candidate === 'string');
  const times = new Set(texts.flatMap((text) => readTime(text) ?? []));
  const spelled = new Set(texts.flatMap((text) => spelledNumber(text) ?? []));
  const numbers = new Set(candidates.filter((candidate) => typeof candidate === 'number'));
  const equalsText = (text: string): boolean =>
    (times.size > 0 && holds(times, readTime(text))) || (numbers.size > 0 && holds(numbers, spelledNumber(text)));
  const equalsNumber = (digits: string): boolean => scalars.has(digits) || numbers.has(Number(digits));
  return (value) => {
    if (scalars.has(value)) return true;
    if (typeof value === 'string') {
      const digits = digitsOf(value);
      return digits === undefined ? equalsText(value) : equalsNumber(digits);
    }
    if (typeof value === 'number') return spelled.has(value);
    return structures.size > 0 && isStructure(value) && structures.has(keyOf(value));
  };
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Equal for equal structures; made once of each, however many conditions there are. */
const keyOf = oncePer((structure: object): string => digest(structure));

function holds(set: ReadonlySet<number>, value: number | undefined): boolean {
  return value !== undefined && set.has(value);
}
