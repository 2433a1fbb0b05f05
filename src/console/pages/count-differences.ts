import type { Gateway } from '../../gateway/gateway.js';
import { reviewDefinitions } from '../../gateway/review/definition-review.js';

interface Counted {
  /** What the count depends on. */
  readonly of: readonly unknown[];
  readonly value: Promise<number>;
}

const counts = new WeakMap<Gateway, Counted>();

/** How many definitions differ from the lock; 0 where there is none. Compared anew only where something has changed. */
export function countDifferences(gateway: Gateway): Promise<number> {
  const of = [gateway.revision(), gateway.config, ...gateway.toolSets()];
  const known = counts.get(gateway);
  if (known !== undefined && isSame(known.of, of)) return known.value;
  const value = reviewDefinitions(gateway).then(({ differences }) => differences.length);
  counts.set(gateway, { of, value });
  return value;
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
