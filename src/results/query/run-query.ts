import type { JsonObject } from '../../base/json/json.js';
import type { Warning } from '../../base/protocol/result.js';
import { aggregateItems, findNumberless } from './aggregate-items.js';
import { findKnownFields, warnOfFields } from './check-fields.js';
import { createFieldReader, writePath } from './fields.js';
import { findUncompared } from './filter-items.js';
import { firstComparable } from './order-items.js';
import { chooseItems } from './parts.js';
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
  /** About fields that no item has. */
  readonly fieldWarnings?: readonly Warning[];
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
 * Throws an `OperationError` for presets and sums that these items do not have.
 */
export function runQuery(items: readonly unknown[], query: CollectionQuery, options: QueryOptions): QueryOutcome {
  const warnings = warnOfFields(query, findKnownFields(items, options), options.seen);
  const fieldWarnings = warnings.length > 0 && { fieldWarnings: warnings };
  const { aggregate } = query;
  if (aggregate !== undefined) checkNumbers(items, aggregate, options);
  const ordered = chooseItems(items, query, options);
  const uncompared = countUncompared(items, query.filter, options);
  const amounts = countAmounts(ordered, query.sort, options);
  const amountsAsText = amounts.size > 0 && { amountsAsText: amounts };
  if (aggregate === undefined)
    return { ordered, ...fieldWarnings, ...(uncompared.size > 0 && { notNumbers: uncompared }), ...amountsAsText };
  const { aggregations, truncatedGroups, notNumbers: unsummed } = aggregateItems(ordered, aggregate, options);
  const notNumbers = new Map([...uncompared, ...unsummed]);
  return {
    ordered,
    ...fieldWarnings,
    aggregations,
    ...(truncatedGroups.size > 0 && { truncatedGroups }),
    ...(notNumbers.size > 0 && { notNumbers }),
    ...amountsAsText,
  };
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
