import type { JsonObject } from '../../base/json/json.js';
import { aggregateItems, findNumberless } from './aggregate-items.js';
import { checkFields, findKnownFields } from './check-fields.js';
import { type Comparable, comparableOf, compareInOrder } from './comparable.js';
import { createFieldReader, type FieldSource, type ReadField, writePath } from './fields.js';
import { compileFilter, compileTextSearch, findUncompared } from './filter-items.js';
import { refuseFaults } from './query-fault.js';
import type { CollectionQuery, SortKey } from './result-types.js';
import { createProjection, type Projection, type SelectionSource } from './select-fields.js';

export interface QueryOptions extends SelectionSource {
  /** The operation's name, for errors. */
  readonly operation: string;
}

/** What a query found, before a page is cut out of it. */
export interface QueryOutcome {
  /** The items that were found, whole and in order. */
  readonly ordered: readonly unknown[];
  /** By the caller's labels; absent where nothing was to be computed. */
  readonly aggregations?: JsonObject;
  /** How many groups `aggregations` leaves out, by label. */
  readonly truncatedGroups?: ReadonlyMap<string, number>;
  /** How many items have a value that a sum, an average or a comparison leaves out because it is no number. */
  readonly notNumbers?: ReadonlyMap<string, number>;
  /** How many items have an amount, by the field that they are sorted by, which is no number and so in the order of texts. */
  readonly amountsAsText?: ReadonlyMap<string, number>;
}

/**
 * Filters, searches, sorts and summarises the items of an answer. Paging and `fields` are applied later.
 * Throws an `OperationError` for fields, presets and sums that these items do not have.
 */
export function runQuery(items: readonly unknown[], query: CollectionQuery, options: QueryOptions): QueryOutcome {
  checkFields(query, findKnownFields(items, options), options.operation);
  const { aggregate } = query;
  if (aggregate !== undefined) checkNumbers(items, aggregate, options);
  const found = findItems(items, query, options);
  const ordered = sortItems(found, query.sort, options);
  const uncompared = countUncompared(items, query.filter, options);
  const amounts = countAmounts(found, query.sort, options);
  const amountsAsText = amounts.size > 0 && { amountsAsText: amounts };
  if (aggregate === undefined)
    return { ordered, ...(uncompared.size > 0 && { notNumbers: uncompared }), ...amountsAsText };
  const { aggregations, truncatedGroups, notNumbers: unsummed } = aggregateItems(found, aggregate, options);
  const notNumbers = new Map([...uncompared, ...unsummed]);
  return {
    ordered,
    aggregations,
    ...(truncatedGroups.size > 0 && { truncatedGroups }),
    ...(notNumbers.size > 0 && { notNumbers }),
    ...amountsAsText,
  };
}

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

/** How many items have a text, such as an amount with its currency, where a condition compares with a number. */
function countUncompared(
  items: readonly unknown[],
  filter: CollectionQuery['filter'],
  options: QueryOptions,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const condition of filter) {
    const isUncompared = findUncompared(condition, options);
    if (isUncompared === undefined) continue;
    const count = items.filter(isUncompared).length;
    if (count > 0) counts.set(`filter.${writePath(condition.path)}`, count);
  }
  return counts;
}

/** A number with groups of digits, a currency, a share or a unit: `1,000.50`, `$7`, `12 %`, `5 MB`. */
const AMOUNT =
  /^(?:[-+]?\p{Sc} ?|\p{Lu}{3} )?[-+]?(?!0\d)(?:\d{1,3}(?:[,.'\u00a0\u202f ]\d{3}){1,6}|\d{1,15})(?:[.,]\d{1,6})?(?: ?[%\p{Sc}]| \p{L}{1,5})?$/u;
const LONGEST_AMOUNT = 40;

/** How many items have an amount that is sorted as a text: `1,000.50` before `2`. */
function countAmounts(
  items: readonly unknown[],
  keys: readonly SortKey[],
  options: QueryOptions,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of keys) {
    const read = createFieldReader(path, options);
    const isAmount = (item: unknown): boolean => {
      const value = firstComparable(read, item)?.value;
      return typeof value === 'string' && value.length <= LONGEST_AMOUNT && AMOUNT.test(value);
    };
    const count = items.filter(isAmount).length;
    if (count > 1) counts.set(`sort.${writePath(path)}`, count);
  }
  return counts;
}

/** What is sent of each item. @param sample the items by which presets choose their fields */
export function projectionOf(
  { fields }: Pick<CollectionQuery, 'fields'>,
  source: SelectionSource,
  sample: readonly unknown[],
): Projection {
  return fields === undefined ? (item) => item : createProjection(fields, sample, source);
}

/** The items of a page as they are sent. @param sample the items by which presets choose their fields: all that were found */
export function project(
  items: readonly unknown[],
  query: CollectionQuery,
  source: SelectionSource,
  sample: readonly unknown[] = items,
): readonly unknown[] {
  if (query.fields === undefined) return items;
  return items.map(projectionOf(query, source, sample));
}

function checkNumbers(
  items: readonly unknown[],
  aggregate: NonNullable<CollectionQuery['aggregate']>,
  options: QueryOptions,
): void {
  if (items.length === 0) return;
  const numberless = findNumberless(items, aggregate, options);
  const faults = numberless.map(({ label, name, path }) => {
    const param = `aggregate.${label}.${name}`;
    const message = `Parameter '${param}' must be a field with numbers: no item has a number in '${writePath(path)}'`;
    return { code: 'VALIDATION_INVALID_VALUE' as const, param, message, expected: 'a field with numbers' };
  });
  refuseFaults(faults, options.operation);
}

/** The values of one sort key, by item; undefined where there is nothing to sort by. */
interface Column {
  readonly values: readonly (Comparable | undefined)[];
  readonly direction: 1 | -1;
}

/**
 * The items in order; those that compare equal keep their order. Null, missing and incomparable values come last whatever
 * the order, and of several values the first one counts. The values are read once per item, not once per comparison.
 */
export function sortItems(
  items: readonly unknown[],
  keys: readonly SortKey[],
  source: FieldSource,
): readonly unknown[] {
  if (keys.length === 0) return items;
  const columns = keys.map((key) => readColumn(items, key, source));
  const order = Array.from(items.keys()).sort((a, b) => compareRows(columns, a, b));
  return order.map((index) => items[index]);
}

function readColumn(items: readonly unknown[], { path, order }: SortKey, source: FieldSource): Column {
  const read = createFieldReader(path, source);
  return { values: items.map((item) => firstComparable(read, item)), direction: order === 'desc' ? -1 : 1 };
}

function firstComparable(read: ReadField, item: unknown): Comparable | undefined {
  for (const value of read(item)) {
    for (const candidate of Array.isArray(value) ? value : [value]) {
      const comparable = comparableOf(candidate);
      if (comparable !== undefined) return comparable;
    }
  }
  return undefined;
}

function compareRows(columns: readonly Column[], a: number, b: number): number {
  for (const { values, direction } of columns) {
    const first = values[a];
    const second = values[b];
    if (first === undefined || second === undefined) {
      if (first !== second) return first === undefined ? 1 : -1;
    } else {
      const order = compareInOrder(first, second);
      if (order !== 0) return order * direction;
    }
  }
  return 0;
}
