import { digitsOf, exactNumber, unmarkedWithin } from '../../base/json/exact-numbers.js';
import type { JsonObject } from '../../base/json/json.js';
import { type Comparable, comparableOf, compareInOrder, exactValue, spelledNumber } from './comparable.js';
import { createFieldReader, type FieldSource, type ReadField, writePath } from './fields.js';
import { distinctKey } from './order-items.js';
import {
  type Aggregation,
  type CollectionQuery,
  FIELD_FUNCTIONS,
  type FieldFunction,
  type FieldPath,
} from './result-types.js';

/** Groups beyond these, the smallest ones, are left out. */
export const MAX_GROUPS = 1000;

/** The results of a query's aggregations. */
interface Aggregated {
  /**
   * By label. One function is its value, several are an object of them; with `group_by` that is what each group has:
   * `{active: 18}` or `{active: {count: 18, avg: 2}}`. The largest groups come first, except that JSON objects put keys
   * that are whole numbers before all others.
   */
  readonly aggregations: JsonObject;
  /** How many groups were left out, by label; empty where all are there. */
  readonly truncatedGroups: ReadonlyMap<string, number>;
  /** Of how many items a sum or an average leaves out a value that is no number, by label and function; null is no value. */
  readonly notNumbers: ReadonlyMap<string, number>;
}

/** A function of the items of one group. */
type Compute = (items: readonly unknown[]) => unknown;

/** The functions of a field. Average, minimum and maximum of no values are null. */
const FUNCTIONS = {
  sum: (read) => (items) => sumOf(numbersOf(items, read)),
  avg: (read) => (items) => {
    const numbers = numbersOf(items, read);
    return numbers.length === 0 ? null : total(numbers.map(Number)) / numbers.length;
  },
  min: (read) => (items) => extremeOf(items, read, (order) => order < 0),
  max: (read) => (items) => extremeOf(items, read, (order) => order > 0),
  distinct: (read) => (items) => new Set(items.map((item) => distinctKey(read(item)))).size,
} as const satisfies Readonly<Record<FieldFunction, (read: ReadField) => Compute>>;

/** Computes what `aggregate` asks of items that were filtered already (companion document "aggregations", section 4). */
export function aggregateItems(
  items: readonly unknown[],
  labelled: NonNullable<CollectionQuery['aggregate']>,
  source: FieldSource,
): Aggregated {
  const truncatedGroups = new Map<string, number>();
  const groupsBy = shareGroups(items, source);
  const entries: [label: string, value: unknown][] = [];
  for (const [label, aggregation] of labelled) {
    const compute = compileFunctions(aggregation, source);
    if (aggregation.groupBy === undefined) {
      entries.push([label, compute(items)]);
      continue;
    }
    const groups = groupsBy(aggregation.groupBy);
    if (groups.length > MAX_GROUPS) truncatedGroups.set(label, groups.length - MAX_GROUPS);
    const largest = groups.slice(0, MAX_GROUPS).map(([name, members]) => [name, compute(members)]);
    entries.push([label, Object.fromEntries(largest)]);
  }
  const notNumbers = countOthers(items, labelled, source);
  return { aggregations: Object.fromEntries(entries), truncatedGroups, notNumbers };
}

function countOthers(
  items: readonly unknown[],
  labelled: NonNullable<CollectionQuery['aggregate']>,
  source: FieldSource,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { label, name, path } of summed(labelled)) {
    const read = createFieldReader(path, source);
    const isOther = (value: unknown): boolean => !isEmpty(value) && numberOf(value).length === 0;
    const others = items.filter((item) => flatValues(read(item)).some(isOther)).length;
    if (others > 0) counts.set(`${label}.${name}`, others);
  }
  return counts;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** The sums and averages of a query. */
function summed(labelled: NonNullable<CollectionQuery['aggregate']>): readonly Numberless[] {
  return labelled.flatMap(([label, aggregation]) =>
    (['sum', 'avg'] as const).flatMap((name) => {
      const path = aggregation[name];
      return path === undefined ? [] : [{ label, name, path }];
    }),
  );
}

/** The sums and averages of fields in which no item has a number: the label, the function and the field of each. */
export function findNumberless(
  items: readonly unknown[],
  labelled: NonNullable<CollectionQuery['aggregate']>,
  source: FieldSource,
): readonly Numberless[] {
  const found: Numberless[] = [];
  for (const each of summed(labelled)) {
    const read = createFieldReader(each.path, source);
    // What no item has is told otherwise.
    const held = items.filter((item) => read(item).length > 0);
    if (held.length > 0 && !held.some((item) => numbersOf([item], read).length > 0)) found.push(each);
  }
  return found;
}

interface Numberless {
  readonly label: string;
  readonly name: 'sum' | 'avg';
  readonly path: FieldPath;
}

function compileFunctions(aggregation: Aggregation, source: FieldSource): Compute {
  const functions: [name: string, compute: Compute][] = aggregation.count ? [['count', (items) => items.length]] : [];
  for (const name of FIELD_FUNCTIONS) {
    const path = aggregation[name];
    if (path !== undefined) functions.push([name, FUNCTIONS[name](createFieldReader(path, source))]);
  }
  const [only] = functions;
  if (only !== undefined && functions.length === 1) return only[1];
  return (items) => Object.fromEntries(functions.map(([name, compute]) => [name, compute(items)]));
}

type Groups = readonly [name: string, members: unknown[]][];

/** Groups the items once for each field, however many aggregations group by it. */
function shareGroups(items: readonly unknown[], source: FieldSource): (path: FieldPath) => Groups {
  const known = new Map<string, Groups>();
  return (path) => {
    const name = writePath(path);
    const groups = known.get(name) ?? groupItems(items, createFieldReader(path, source));
    known.set(name, groups);
    return groups;
  };
}

/** Largest groups first, then by name. An item with several values, as in a list of tags, is in the group of each. */
function groupItems(items: readonly unknown[], read: ReadField): Groups {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    for (const name of groupNames(flatValues(read(item)))) {
      const members = groups.get(name);
      if (members === undefined) groups.set(name, [item]);
      else members.push(item);
    }
  }
  return [...groups].sort(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1));
}

/** Names in JSON are texts: null and missing are `null`, the text `null` is `"null"`, an object is its JSON text. */
function groupNames(values: readonly unknown[]): Iterable<string> {
  if (values.length === 0) return [MISSING];
  return new Set(values.map(unmarkedWithin).map(groupName));
}

const MISSING = 'null';

function groupName(value: unknown): string {
  return typeof value === 'string' && value !== MISSING ? value : JSON.stringify(value);
}

/** A list at the end of a path stands for its elements. */
function flatValues(values: readonly unknown[]): readonly unknown[] {
  return values.some(Array.isArray) ? values.flat() : values;
}

function numbersOf(items: readonly unknown[], read: ReadField): readonly (number | bigint)[] {
  return items.flatMap((item) => flatValues(read(item)).flatMap(numberOf));
}

/** Texts that spell a number count, as they do in filters and sorts: databases send decimals so. */
function numberOf(value: unknown): readonly (number | bigint)[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'string') return [];
  const digits = digitsOf(value);
  const number = digits === undefined ? spelledNumber(value) : exactValue(digits);
  return number === undefined ? [] : [number];
}

/** Where all are whole, to the last digit. */
function sumOf(numbers: readonly (number | bigint)[]): unknown {
  const sum = total(numbers.map(Number));
  const isExact = Number.isSafeInteger(sum) && numbers.every((number) => typeof number === 'number');
  if (isExact || !numbers.every(isWhole)) return sum;
  return exactNumber(String(numbers.reduce<bigint>((all, number) => all + BigInt(number), 0n)));
}

/** Larger doubles are written with an exponent, and their digits are not those that somebody wrote. */
const LARGEST_WHOLE = 1e21;

function isWhole(number: number | bigint): boolean {
  return typeof number === 'bigint' || (Number.isInteger(number) && Math.abs(number) < LARGEST_WHOLE);
}

/** Beyond these a double has no exact decimals anyway. */
const MAX_DECIMALS = 15;
const LARGEST_WITH_DECIMALS = 1e15;

/** The sum to as many decimals as the numbers have, so that 0.1 and 0.2 make 0.3 (Neumaier's summation, then rounded). */
function total(numbers: readonly number[]): number {
  let [sum, lost, decimals] = [0, 0, 0];
  for (const number of numbers) {
    const next = sum + number;
    lost += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
    sum = next;
    if (!Number.isInteger(number)) decimals = Math.max(decimals, decimalsOf(number));
  }
  const exact = sum + lost;
  const isRounded = decimals <= MAX_DECIMALS && Math.abs(exact) < LARGEST_WITH_DECIMALS;
  return isRounded ? Number(exact.toFixed(decimals)) : exact;
}

function decimalsOf(number: number): number {
  const text = String(number);
  return text.includes('e') ? Number.POSITIVE_INFINITY : text.length - text.indexOf('.') - 1;
}

/** The value that comes first or last of all in the order that items are sorted by; null where none has an order. */
function extremeOf(items: readonly unknown[], read: ReadField, isBetter: (order: number) => boolean): unknown {
  let best: { readonly value: unknown; readonly comparable: Comparable } | undefined;
  for (const item of items) {
    for (const value of flatValues(read(item))) {
      const comparable = comparableOf(value);
      if (comparable === undefined) continue;
      if (best === undefined || isBetter(compareInOrder(comparable, best.comparable))) best = { value, comparable };
    }
  }
  return best?.value ?? null;
}
