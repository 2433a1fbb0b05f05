import type { CounterStep } from './state-store.js';

/** Whether all sums stay within their limits. @param values the counters before, in the order of the steps */
export function fitLimits(steps: readonly CounterStep[], values: readonly number[]): boolean {
  return steps.every(({ by, limit }, index) => limit === undefined || (values[index] ?? 0) + by <= limit);
}
