import type { AuditTrail } from '../audit/audit-trail.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Execution } from '../execution/execution.js';
import type { Executions } from '../execution/executions.js';
import type { Observer } from '../observe/observation.js';
import type { BackgroundCalls } from '../pipeline/background.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import { ownerOf } from '../policy/caller-key.js';
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

interface ExecutionServices {
  readonly store: PolicyService['store'];
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
  { store, audit, observe, results }: ExecutionServices,
): Promise<OpenedExecutions | undefined> {
  if (!settings.enabled) return undefined;
  const [{ Executions: Registry }, { createExecutionHandlers }, { BackgroundCalls: Background }] = await Promise.all([
    import('../execution/executions.js'),
    import('../builtin/executions/handlers.js'),
    import('../pipeline/background.js'),
  ]);
  const registry = new Registry({
    store,
    ownerOf,
    bounds: { perOwner: settings.maxPerClient, all: settings.max, keptMs: 1_000 * settings.keptSeconds },
    onStoreFault: (cause) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      observe({ kind: 'notice', level: 'warn', message: `The end of an execution could not be kept: ${why}` });
    },
  });
  await registry.restore();
  registry.onChanged((execution, before) => {
    if (execution.status !== before?.status) recordChange(audit, execution);
  });
  const { backgroundAfterMs: afterMs } = settings;
  return {
    registry,
    openBackground: (send, current) => new Background({ executions: registry, results, afterMs, send, current }),
    inSnapshots: {
      own: createExecutionHandlers({ executions: registry, results }),
      subjectOf: (id) => registry.find(id)?.subject,
    },
  };
}

function recordChange(audit: AuditTrail, { id, kind, status, subject, owner, session, error }: Execution): void {
  const failure = error === undefined ? {} : { code: error.code };
  audit.record({ type: 'execution', execution: id, kind, status, subject, owner, ...failure, actor: { session } });
}
