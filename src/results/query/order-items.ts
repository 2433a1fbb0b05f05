import { unmarkedWithin } from '../../base/json/exact-numbers.js';
import { type Comparable, comparableOf, compareValues } from './comparable.js';
import { createFieldReader, type FieldSource, type ReadField } from './fields.js';
import type { FieldPath, SortKey } from './result-types.js';

/** The values of one sort key, by item, in parts: an object of each would take more than the text that it is of. */
interface Column {
  /** 0 where there is nothing to sort by, else the rank and 1. */
  readonly ranks: Uint8Array;
  readonly values: readonly Comparable['value'][];
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
  const order = new Uint32Array(items.length).map((_, index) => index);
  order.sort((a, b) => compareRows(columns, a, b) || a - b);
  return items.map((_, at) => items[order[at] ?? 0]);
}

function readColumn(items: readonly unknown[], { path, order }: SortKey, source: FieldSource): Column {
  const read = createFieldReader(path, source);
  const ranks = new Uint8Array(items.length);
  const values = items.map((item, index) => {
    const comparable = firstComparable(read, item);
    if (comparable === undefined) return 0;
    ranks[index] = comparable.rank + 1;
    return comparable.value;
  });
  return { ranks, values, direction: order === 'desc' ? -1 : 1 };
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
  for (const { ranks, values, direction } of columns) {
    const [first = 0, second = 0] = [ranks[a], ranks[b]];
    if (first === 0 || second === 0) {
      if (first !== second) return first === 0 ? 1 : -1;
    } else {
      const order = first === second ? compareValues(values[a] ?? 0, values[b] ?? 0) : first - second;
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
