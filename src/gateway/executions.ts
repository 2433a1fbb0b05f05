import type { AuditTrail } from '../audit/audit-trail.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Executions } from '../execution/executions.js';
import type { Observer } from '../observe/observation.js';
import type { BackgroundCalls } from '../pipeline/background.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { PolicyService } from '../policy/policy.js';
import type { RawCall } from '../protocol/call.js';
import type { Reply } from '../protocol/result.js';
import type { ResultService } from '../results/result-types.js';
import type { SnapshotExecutions } from './snapshot.js';

/** Makes the calls of one surface that may go on in the background. @param send sends a call through its whole pipeline */
export type OpenBackground = (
  send: (raw: RawCall) => Promise<Reply>,
  current: () => Pick<Snapshot, 'catalog' | 'plan'>,
) => BackgroundCalls;

interface ExecutionServices extends Pick<PolicyService, 'store' | 'storeState'> {
  readonly audit: AuditTrail;
  readonly observe: Observer;
  readonly results: ResultService;
}

/** What the gateway has of executions where they are configured. */
export interface OpenedExecutions {
  readonly registry: Executions;
  readonly openBackground: OpenBackground;
  readonly inSnapshots: SnapshotExecutions;
}

/** Undefined where they are not configured: nothing of them is loaded then. */
export async function openExecutions(
  { executions: settings }: Pick<GatewayConfig, 'executions'>,
  { store, storeState, audit, observe, results }: ExecutionServices,
): Promise<OpenedExecutions | undefined> {
  if (!settings.enabled) return undefined;
  const [{ openRegistry }, { createExecutionHandlers }, { BackgroundCalls: Background }] = await Promise.all([
    import('./execution-registry.js'),
    import('../builtin/executions/handlers.js'),
    import('../pipeline/background.js'),
  ]);
  const { maxPerClient: perOwner, max: all, keptSeconds } = settings;
  const registry = await openRegistry(
    { store, storeState, audit, observe },
    { perOwner, all, keptMs: 1_000 * keptSeconds },
  );
  const { backgroundAfterMs: afterMs } = settings;
  return {
    registry,
    openBackground: (send, current) => new Background({ executions: registry, results, afterMs, send, current }),
    inSnapshots: {
      own: createExecutionHandlers({ executions: registry, results }),
      subjectOf: (id) => registry.subjectOf(id),
    },
  };
}
