import type { Operation } from '../../protocol/operation.js';
import type { Warning } from '../../protocol/result.js';
import { createWarnings } from './create-warnings.js';
import { deprecationWarning } from './deprecation-warning.js';
import { slowOperationWarning } from './slow-operation-warning.js';

/** A call that has succeeded, as far as it is worth a warning. */
export interface WarnedCall {
  readonly operation: Operation;
  readonly durationMs: number;
  /** From which duration on a call counts as slow, where its operation does not say. */
  readonly slowMs: number;
  /** Whether the session has not been told yet that the operation is deprecated. */
  readonly isNews: () => boolean;
  /** What budgets say. */
  readonly near: readonly Warning[];
  /** What was made of the answer. */
  readonly shown: readonly Warning[];
}

const NONE: readonly Warning[] = [];

/** Everything worth telling of a call, deduplicated, most severe first, at most ten. Nearly every call has nothing. */
export function collectWarnings({
  operation,
  durationMs,
  slowMs,
  isNews,
  near,
  shown,
}: WarnedCall): readonly Warning[] {
  const slow = slowOperationWarning(operation, durationMs, operation.slowMs ?? slowMs);
  const deprecation = operation.deprecated === undefined || !isNews() ? undefined : deprecationWarning(operation);
  if (slow === undefined && deprecation === undefined && near.length === 0 && shown.length === 0) return NONE;
  const warnings = createWarnings();
  for (const warning of [...near, ...shown, deprecation, slow]) warnings.add(warning);
  return warnings.render();
}
