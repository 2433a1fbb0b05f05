import type { Observer } from '../base/observe/observation.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { PolicyService } from '../policy/policy.js';
import type { MemoryBudget } from './memory-budget.js';
import type { SnapshotPrograms } from './snapshot.js';

/** Programs over operations, where they are configured. */
export interface OpenedPrograms {
  readonly inSnapshots: SnapshotPrograms;
  endSession(sessionId: string): void;
  close(): void;
}

/** Undefined where they are not configured: nothing of them is loaded then. The engine itself is loaded with the first program. */
export async function openPrograms(
  { programs: settings }: Pick<GatewayConfig, 'programs'>,
  deps: { readonly policy: PolicyService; readonly observe: Observer; readonly budget: MemoryBudget },
): Promise<OpenedPrograms | undefined> {
  if (!settings.enabled) return undefined;
  const { policy, observe, budget } = deps;
  const [{ Programs }, { StoppedPrograms }, { runProgram, runProgramReadOnly }] = await Promise.all([
    import('./builtin/programs/handler.js'),
    import('../policy/confirmation/stopped-programs.js'),
    import('./builtin/programs/operations.js'),
  ]);
  const onDefect = (cause: unknown): void => observe({ kind: 'defect', where: 'program', cause });
  const stopped = new StoppedPrograms({
    store: policy.store,
    configuration: () => policy.decisions().configuration,
    keptMs: 1_000 * settings.keptSeconds,
  });
  const programs = new Programs({ settings, stopped, budget, onDefect });
  const handle: SnapshotPrograms['own'][number]['handle'] = (call) => programs.handle(call);
  return {
    inSnapshots: { own: [runProgram, runProgramReadOnly].map((operation) => ({ operation, handle })) },
    // They expire by themselves where the store cannot be reached.
    endSession: (sessionId) => void stopped.endSession(sessionId).catch(() => undefined),
    close: () => programs.close(),
  };
}
