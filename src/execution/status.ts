import { OperationError } from '../protocol/operation-error.js';

/** The states of the specification, section 8.4.1. */
export const EXECUTION_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** What each state may become (section 8.4.2), and nothing else. The specification's diagram draws failed to cancelled, its list does not. */
const NEXT: Readonly<Record<ExecutionStatus, readonly ExecutionStatus[]>> = {
  pending: ['running', 'cancelled'],
  running: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: ['running'],
  cancelled: [],
};

/** Whether it has ended. A failed execution may run again where it supports that; no other end is ever left. */
export function isEnded(status: ExecutionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Where an execution stands. */
interface Standing {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly supportsRetry: boolean;
}

/** Throws where the execution may not take this state now. */
export function requireTransition({ id, status, supportsRetry }: Standing, to: ExecutionStatus): void {
  const isRetry = status === 'failed' && to === 'running';
  if (NEXT[status].includes(to) && (supportsRetry || !isRetry)) return;
  const from = EXECUTION_STATUSES.filter((each) => NEXT[each].includes(to) && (supportsRetry || each !== 'failed'));
  const reason = isRetry ? ', and it cannot be run again' : '';
  throw new OperationError(
    'CONFLICT_INVALID_STATE',
    `Execution '${id}' is '${status}' and cannot become '${to}'${reason}. ${isEnded(status) ? 'It has ended' : "Read it with 'get_execution_status'"}`,
    { execution_id: id, status, allowed_from: from },
  );
}
