import type { JsonObject } from '../../protocol/json.js';
import type { CollectionQuery } from '../collection-query.js';
import { aggregateItems, findNumberless } from './aggregate-items.js';
import { checkFields } from './check-fields.js';
import { writePath } from './field-path.js';
import { filterItems } from './filter-items.js';
import { findKnownFields } from './known-fields.js';
import { refuseFaults } from './query-fault.js';
import { searchText } from './search-text.js';
import { createProjection, type Projection, type SelectionSource } from './select-fields.js';
import { sortItems } from './sort-items.js';

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
}

/**
 * Filters, searches, sorts and summarises the items of an answer. Paging and `fields` are left to whoever sends a page.
 * Throws an `OperationError` for fields, presets and sums that these items do not have.
 */
export function runQuery(items: readonly unknown[], query: CollectionQuery, options: QueryOptions): QueryOutcome {
  checkFields(query, findKnownFields(items, options), options.operation);
  const { aggregate } = query;
  if (aggregate !== undefined) checkNumbers(items, aggregate, options);
  const filtered = filterItems(items, query.filter, options);
  const found = query.text === undefined ? filtered : searchText(filtered, query.text);
  const ordered = sortItems(found, query.sort, options);
  if (aggregate === undefined) return { ordered };
  const { aggregations, truncatedGroups } = aggregateItems(found, aggregate, options);
  return { ordered, aggregations, ...(truncatedGroups.size === 0 ? {} : { truncatedGroups }) };
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
  return query.fields === undefined ? items : items.map(projectionOf(query, source, sample));
}

function checkNumbers(
  items: readonly unknown[],
  aggregate: NonNullable<CollectionQuery['aggregate']>,
  options: QueryOptions,
): void {
  if (items.length === 0) return;
  const faults = findNumberless(items, aggregate, options).map(({ label, name, path }) => {
    const param = `aggregate.${label}.${name}`;
    const message = `Parameter '${param}' must be a field with numbers: no item has a number in '${writePath(path)}'`;
    return { code: 'VALIDATION_INVALID_VALUE' as const, param, message, expected: 'a field with numbers' };
  });
  refuseFaults(faults, options.operation);
}
