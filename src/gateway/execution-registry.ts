import type { Observer } from '../base/observe/observation.js';
import type { AuditTrail } from '../policy/audit/audit-trail.js';
import type { DetailsSealer, Execution } from '../policy/execution/execution.js';
import { type ExecutionBounds, Executions } from '../policy/execution/executions.js';
import { SharedExecutions } from '../policy/execution/shared-executions.js';
import type { PolicyService } from '../policy/policy.js';
import { ownerOf } from '../policy/rules/caller-key.js';

interface RegistryServices extends Pick<PolicyService, 'store' | 'storeState'> {
  readonly audit: Pick<AuditTrail, 'record'>;
  readonly observe: Observer;
  readonly sealer?: DetailsSealer | undefined;
}

/** The registry of executions: with those of the other gateways where the store is shared. */
export async function openRegistry(
  { store, storeState, audit, observe, sealer }: RegistryServices,
  bounds: ExecutionBounds,
): Promise<Executions> {
  const onStoreFault = (cause: unknown): void => {
    const why = cause instanceof Error ? cause.message : String(cause);
    observe({ kind: 'notice', level: 'warn', message: `The state of an execution could not be kept: ${why}` });
  };
  const { keptMs } = bounds;
  const storeWorksForMs = (): number => storeState().worksForMs;
  const deps = { store, storeWorksForMs, keptMs, onStoreFault, now: Date.now, sealer };
  const shared = store.shared ? new SharedExecutions(deps) : undefined;
  const registry = new Executions({ shared, ownerOf, bounds });
  registry.onChanged((execution, before) => {
    if (execution.status !== before?.status) recordChange(audit, execution);
  });
  await registry.open();
  return registry;
}

function recordChange(
  audit: RegistryServices['audit'],
  { id, kind, status, subject, owner, session, error }: Execution,
): void {
  const failure = error === undefined ? {} : { code: error.code };
  audit.record({ type: 'execution', execution: id, kind, status, subject, owner, ...failure, actor: { session } });
}
