import type { Operation } from '../../protocol/operation.js';
import type { Warning } from '../../protocol/result.js';

/** The warning of a call that took longer than it should; undefined where it did not. Both times in milliseconds. */
export function slowOperationWarning(
  { name }: Operation,
  durationMs: number,
  thresholdMs: number,
): Warning | undefined {
  if (durationMs <= thresholdMs) return undefined;
  const duration = Math.round(durationMs);
  return {
    code: 'PERFORMANCE_SLOW_QUERY_WARNING',
    message: `Operation '${name}' took ${duration} ms; more than ${thresholdMs} ms is slow. Ask for less, or expect to wait`,
    details: { operation: name, duration_ms: duration, threshold_ms: thresholdMs },
    severity: 'low',
  };
}
