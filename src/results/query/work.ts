import type { CollectionQuery, ControlSet } from './result-types.js';

/**
 * Bytes of an answer, times how often a query reads each of them, up to which it is answered where it is. Above, a thread answers it: so
 * much takes some 25 milliseconds, and twice that in code that runs for the first time.
 */
export const MOST_WORK = 5_000_000;

/** How often a query reads each byte of an answer, about: each computed field reads all of them once more. */
export function workOf(query: CollectionQuery | undefined, { computed = [] }: ControlSet): number {
  if (query === undefined) return 1;
  const { filter, text, sort, fields, aggregate = [] } = query;
  const functions = aggregate.reduce((sum, [, aggregation]) => sum + Object.keys(aggregation).length, 0);
  const steps = filter.length + (text?.terms.length ?? 0) + sort.length + functions + (fields?.paths.length ?? 0);
  return (1 + steps) * (1 + computed.length);
}
