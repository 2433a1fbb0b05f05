import type { Observer } from '../base/observe/observation.js';
import type { InnerCalls } from '../base/protocol/call.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { AuditTrail } from '../policy/audit/audit-trail.js';
import type { DetailsSealer, Execution } from '../policy/execution/execution.js';
import type { Executions } from '../policy/execution/executions.js';
import type { PolicyService } from '../policy/policy.js';
import type { ResultService } from '../results/query/result-types.js';
import type { OwnOperation } from './module.js';
import type { BackgroundCalls } from './pipeline/background.js';
import type { SnapshotExecutions } from './snapshot.js';

/** Makes the calls of one surface that may go on in the background. */
export type OpenBackground = (calls: InnerCalls) => BackgroundCalls;

/** What operators see and end of executions, in all gateways that share the store. */
export interface OperatorExecutions {
  /** The newest first. */
  all(): Promise<readonly Execution[]>;
  /** Rejects where it has ended. @param operator the name of the account or token */
  cancel(id: string, operator: string): Promise<Execution>;
}

interface ExecutionServices extends Pick<PolicyService, 'store' | 'storeState'> {
  readonly audit: AuditTrail;
  readonly observe: Observer;
  readonly results: ResultService;
  readonly sealer: DetailsSealer | undefined;
}

/** What the gateway has of executions where they are configured. */
interface OpenedExecutions {
  readonly registry: Executions;
  readonly openBackground: OpenBackground;
  readonly own: readonly OwnOperation[];
  readonly inSnapshots: SnapshotExecutions;
}

/** Undefined where they are not configured: nothing of them is loaded then. */
export async function openExecutions(
  { executions: settings }: Pick<GatewayConfig, 'executions'>,
  { store, storeState, audit, observe, results, sealer }: ExecutionServices,
): Promise<OpenedExecutions | undefined> {
  if (!settings.enabled) return undefined;
  const [{ openRegistry }, { createExecutionHandlers }, { BackgroundCalls: Background }] = await Promise.all([
    import('./execution-registry.js'),
    import('./builtin/executions/handlers.js'),
    import('./pipeline/background.js'),
  ]);
  const { maxPerClient: perOwner, max: all, keptSeconds } = settings;
  const registry = await openRegistry(
    { store, storeState, audit, observe, sealer },
    { perOwner, all, keptMs: 1_000 * keptSeconds },
  );
  const { backgroundAfterMs: afterMs } = settings;
  return {
    registry,
    openBackground: (calls) => new Background({ executions: registry, results, afterMs, calls }),
    own: createExecutionHandlers({ executions: registry, results }),
    inSnapshots: registry,
  };
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
