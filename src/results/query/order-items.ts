import { unmarkedWithin } from '../../base/json/exact-numbers.js';
import { type Comparable, comparableOf, compareInOrder } from './comparable.js';
import { createFieldReader, type FieldSource, type ReadField } from './fields.js';
import type { FieldPath, SortKey } from './result-types.js';

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

export function firstComparable(read: ReadField, item: unknown): Comparable | undefined {
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

/** The first item of each value of a field: a missing one counts as null, and several values, as of a list, as one together. */
export function distinctItems(items: readonly unknown[], path: FieldPath, source: FieldSource): readonly unknown[] {
  const read = createFieldReader(path, source);
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = distinctKey(read(item));
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** The same for values that count as one. */
export function distinctKey(values: readonly unknown[]): string {
  return JSON.stringify(values.length === 0 ? [null] : values.map((value) => unmarkedWithin(value) ?? null));
}
