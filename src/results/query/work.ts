import { readsOf } from './parts.js';
import type { CollectionQuery, ControlSet } from './result-types.js';

/**
 * Bytes of an answer, times how often each is read, up to which it is made where it is. Above, a thread makes it: so much takes some 25
 * milliseconds, and twice that in code that runs for the first time.
 */
export const MOST_WORK = 5_000_000;

/** Parsing an answer, writing it, keeping it and its items for later: what a query of no condition or a cut takes. */
const LEAST_READS = 10;

/** How often making an answer reads each of its bytes, about: each computed field of a query reads all of them once more. */
export function workOf(query: CollectionQuery | undefined, { computed = [] }: ControlSet): number {
  if (query === undefined) return LEAST_READS;
  return (LEAST_READS + readsOf(query)) * (1 + computed.length);
}
