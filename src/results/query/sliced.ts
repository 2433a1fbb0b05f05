import type { Sliced } from '../../base/turns/turns.js';

export { runAtOnce, runInSlices, type Sliced } from '../../base/turns/turns.js';

/** Maps a list, with a stop after each so many items. */
export function* mapSliced<T>(
  items: readonly unknown[],
  perSlice: number,
  map: (item: unknown) => T,
): Sliced<readonly T[]> {
  const mapped: T[] = [];
  for (const item of items) {
    mapped.push(map(item));
    if (mapped.length % perSlice === 0) yield;
  }
  return mapped;
}

/** Characters that one slice reads, times the conditions on them: some milliseconds of the slowest of them. */
const SLICE_WORK = 250_000;

/** Counted beside an item's characters: an item costs something even if it is empty. */
const ITEM_WORK = 20;

/**
 * How many items fit in one slice.
 * @param characters of all items together
 * @param steps how often each item is read
 */
export function itemsPerSlice(items: number, characters: number, steps: number): number {
  const work = (characters / Math.max(1, items) + ITEM_WORK) * Math.max(1, steps);
  return Math.max(1, Math.floor(SLICE_WORK / work));
}
