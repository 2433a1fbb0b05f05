import type { AuditTrail } from '../audit/audit-trail.js';
import type { Execution } from '../execution/execution.js';
import type { Executions } from '../execution/executions.js';

/** What operators see and end of executions, in all gateways that share the store. */
export interface OperatorExecutions {
  /** The newest first. */
  all(): Promise<readonly Execution[]>;
  /** Rejects where it has ended. @param operator the name of the account or token */
  cancel(id: string, operator: string): Promise<Execution>;
}

/** Undefined where there are no executions. */
export function openOperatorExecutions(
  registry: Pick<Executions, 'everywhere' | 'cancelAnywhere'> | undefined,
  audit: Pick<AuditTrail, 'record'>,
): OperatorExecutions | undefined {
  if (registry === undefined) return undefined;
  return {
    all: () => registry.everywhere(),
    async cancel(id, operator) {
      const cancelled = await registry.cancelAnywhere(id, `by operator '${operator}'`);
      const actor = { operator, transport: 'http' } as const;
      audit.record({ type: 'admin', action: 'cancel_execution', details: { execution: id }, actor });
      return cancelled;
    },
  };
}
