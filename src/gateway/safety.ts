import { createRedactor } from '../audit/redact.js';
import { createSafetyHandlers } from '../builtin/safety-loop/handler.js';
import { createSafetyOperations } from '../builtin/safety-loop/operations.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Executions } from '../execution/executions.js';
import type { Observer } from '../observe/observation.js';
import type { PolicyService } from '../policy/policy.js';
import type { OperationHandler } from '../protocol/call.js';
import type { Operation } from '../protocol/operation.js';
import { Blocks } from '../safety/blocks.js';
import { Challenges } from '../safety/challenges.js';
import { openChannels } from '../safety/channels/channels.js';
import { guardCalls } from '../safety/guard-calls.js';
import { SafetyOperators } from '../safety/operators.js';
import type { KnownOperations } from '../safety/resolve-hint.js';
import { Runs } from '../safety/runs.js';
import { SafetyLoop } from '../safety/safety-loop.js';
import { failClosed } from '../store/fail-closed.js';
import { openRegistry } from './execution-registry.js';

/** The safety loop as the gateway composes it; absent where it is disabled. */
export interface Safety {
  readonly operations: readonly Operation[];
  /** What runs them, over the operations that agents can call. */
  handlersOver(known: KnownOperations): ReadonlyMap<string, OperationHandler>;
  /** The same decisions, with agents held to what they report. */
  guard(policy: JudgingPolicy): JudgingPolicy;
  readonly operators: SafetyOperators;
  /** The agents among them; the gateway's own where it has some. */
  readonly executions: Executions;
  close(): Promise<void>;
}

/** The part of policy that judges calls. */
type JudgingPolicy = Pick<PolicyService, 'decisions' | 'recordCall'>;

export interface SafetyDeps {
  readonly policy: PolicyService;
  readonly observe: Observer;
  /** Those of the gateway, where it has some. */
  readonly executions: Executions | undefined;
}

/** Where agents alone are executions. */
const BOUNDS = { perOwner: 100, all: 10_000, keptMs: 86_400_000 };

export async function openSafety(
  config: GatewayConfig,
  { policy, observe, executions: shared }: SafetyDeps,
): Promise<Safety> {
  const { safetyLoop } = config;
  const { audit } = policy;
  const executions = shared ?? (await openRegistry({ ...policy, observe }, BOUNDS));
  const store = failClosed(policy.store);
  const channels = await openChannels(config, { audit, observe });
  const { expiresSeconds } = safetyLoop.challenge;
  const challenges = new Challenges({ store, expiresSeconds, announce: channels.announce });
  const [blocks, runs] = [new Blocks(store), new Runs()];
  const redactor = createRedactor(config.audit);
  const redact = (text: string): string => String(redactor({}, { text })['text']);
  const loop = new SafetyLoop({ config: safetyLoop, runs, executions, challenges, blocks, audit, redact });
  // Sessions move between gateways of one Redis alone.
  const runningElsewhere = async (sessionId: string): Promise<readonly string[]> =>
    (await executions.runningElsewhere(sessionId)).flatMap(({ kind, subject }) => (kind === 'agent' ? subject : []));
  const guarding = {
    config: safetyLoop,
    loop,
    runs,
    ...(config.store.type === 'redis' ? { runningElsewhere } : {}),
  };
  return {
    operations: createSafetyOperations(safetyLoop),
    handlersOver: (known) => createSafetyHandlers(loop, known),
    guard: (decided) => ({
      recordCall: decided.recordCall,
      decisions() {
        const { gatekeeper, ...others } = decided.decisions();
        return { ...others, gatekeeper: guardCalls(gatekeeper, guarding) };
      },
    }),
    operators: new SafetyOperators({ challenges, blocks, audit }),
    executions,
    async close() {
      await channels.close();
      if (shared === undefined) await executions.close();
    },
  };
}
