import type { Observer } from '../base/observe/observation.js';
import type { OperationHandler } from '../base/protocol/call.js';
import type { Operation } from '../base/protocol/operation.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { createRedactor } from '../policy/audit/redact.js';
import type { Executions } from '../policy/execution/executions.js';
import type { PolicyService } from '../policy/policy.js';
import { Blocks } from '../policy/safety/blocks.js';
import { ChallengeAnswers } from '../policy/safety/challenge-answers.js';
import { Challenges } from '../policy/safety/challenges.js';
import { openChannels } from '../policy/safety/channels/channels.js';
import { guardCalls } from '../policy/safety/guard-calls.js';
import type { KnownOperations } from '../policy/safety/hints.js';
import { SafetyOperators } from '../policy/safety/operators.js';
import { Runs } from '../policy/safety/runs.js';
import { SafetyLoop } from '../policy/safety/safety-loop.js';
import { SafetyRecords } from '../policy/safety/safety-records.js';
import { failClosed } from '../store/fail-closed.js';
import { createSafetyHandlers } from './builtin/safety-loop/handler.js';
import { createSafetyOperations } from './builtin/safety-loop/operations.js';
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
  const records = new SafetyRecords(audit);
  const loop = new SafetyLoop({ config: safetyLoop, runs, executions, challenges, blocks, records, redact });
  const answers = new ChallengeAnswers({ runs, challenges, blocks, records });
  // Sessions move between gateways of one store alone.
  const runningElsewhere = async (sessionId: string): Promise<readonly string[]> =>
    (await executions.runningElsewhere(sessionId)).flatMap(({ kind, subject }) => (kind === 'agent' ? subject : []));
  const movesSessions = policy.store.openSpace !== undefined;
  const guarding = { config: safetyLoop, loop, runs, ...(movesSessions ? { runningElsewhere } : {}) };
  return {
    operations: createSafetyOperations(safetyLoop),
    handlersOver: (known) => createSafetyHandlers({ loop, answers }, known),
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
