import type { ScenarioResult } from './run-suite.mjs';

/** Scenarios that cannot pass, and why. */
export interface Exception {
  readonly side: 'server' | 'client';
  readonly sets: readonly string[];
  readonly reason: string;
  readonly scenarios: readonly string[];
}

export function readExpected(): readonly Exception[];
export function compare(
  results: readonly ScenarioResult[],
  expected: readonly Exception[],
): { readonly judged: readonly (ScenarioResult & { readonly reason?: string })[]; readonly faults: readonly string[] };
export function findStale(results: readonly ScenarioResult[], expected: readonly Exception[]): readonly string[];
export function compareWays(ways: {
  readonly direct: readonly ScenarioResult[];
  readonly through: readonly ScenarioResult[];
}): {
  readonly judged: readonly (ScenarioResult & { readonly through: Pick<ScenarioResult, 'status' | 'words'> })[];
  readonly faults: readonly string[];
};
