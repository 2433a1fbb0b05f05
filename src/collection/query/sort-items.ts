import type { SortKey } from '../collection-query.js';
import { type Comparable, comparableOf, compareInOrder } from './comparable.js';
import { createFieldReader, type FieldSource, type ReadField } from './field-reader.js';

/** What one sort key sees: by item, undefined where there is nothing to sort by. */
interface Column {
  readonly values: readonly (Comparable | undefined)[];
  readonly direction: 1 | -1;
}

/**
 * The items in order; those that compare equal keep their places. Null, missing and incomparable values come last whatever
 * the order, and of several values the first one counts. The values are read once an item, not once a comparison.
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
