import type { JsonSchema } from '../../../base/json/json.js';
import type { Operation } from '../../../base/protocol/operation.js';
import { RISK_TOLERANCES, type SafetyLoopConfig } from '../../../config/safety-config.js';
import { OUTCOMES } from '../../../policy/safety/evaluate-step.js';
import { LONGEST_HINT } from '../../../policy/safety/hints.js';
import { createOwnOperation, type OwnOperationDraft } from '../own-operation.js';

/** The operations of the safety loop; their names and categories are the specification's (section 8.5.4). */
const SAFETY_OPERATIONS = [
  'execute_agent',
  'record_execution_step',
  'complete_execution',
  'abort_execution',
  'confirm_operation',
  'verify_challenge',
] as const;

export type SafetyOperation = (typeof SAFETY_OPERATIONS)[number];

const text = (description: string, maxLength = 200): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
});

const AGENT = text('The name of the agent');

/** What one of them is; `output` holds the members of its answer. */
type Draft = Omit<OwnOperationDraft, 'name' | 'output' | 'sensitive'> & {
  readonly output: Readonly<Record<string, JsonSchema>>;
};

const STATE: Readonly<Record<string, JsonSchema>> = {
  execution_id: { type: 'string' },
  status: { type: 'string', enum: ['pending', 'running', 'completed', 'failed', 'cancelled'] },
  started_at: { type: 'string' },
  finished_at: { type: 'string' },
};

const DIRECTIVE: Readonly<Record<string, JsonSchema>> = {
  continue: { type: 'boolean', description: 'Whether you may take the step' },
  factors: { type: 'array', items: { type: 'string' } },
  stopped: { type: 'boolean', description: 'Blocked: stop everything until a person lifts it' },
  reason: { type: 'string' },
  stepsRemaining: { type: 'integer' },
  nextStepRisk: { type: 'string', enum: ['advisory', 'confirm', 'verify', 'danger_zone'] },
  notifications: { type: 'array', items: { type: 'object' } },
};

/** The operations as this configuration offers them; their texts say how it is configured. */
export function createSafetyOperations(config: SafetyLoopConfig): readonly Operation[] {
  const drafts = draftsOf(config);
  return SAFETY_OPERATIONS.map((name) =>
    createOwnOperation({
      ...drafts[name],
      name,
      output: { type: 'object', properties: drafts[name].output },
      sensitive: ['code'],
    }),
  );
}

function draftsOf({
  maxAutonomousSteps,
  riskTolerance,
  mode,
  ...config
}: SafetyLoopConfig): Readonly<Record<SafetyOperation, Draft>> {
  const tolerances = Object.keys(RISK_TOLERANCES);
  const patterns = (['deny', 'requiresApproval', 'autoApprove'] as const)
    .map((list) => `${list}: ${config[list].length === 0 ? 'none' : config[list].slice(0, MOST_SHOWN).join(', ')}`)
    .join('; ');
  return {
    execute_agent: {
      category: 'EXECUTE',
      danger: 'reversible',
      reason: 'starts an agent whose steps are judged',
      description:
        `Start an agent in the safety loop (mode ${mode}). Then report every action with record_execution_step before you take it, and end ` +
        `with complete_execution or abort_execution. Defaults: ${maxAutonomousSteps} steps without a person, risk tolerance ${riskTolerance}; ${patterns}`,
      parameters: {
        element_name: AGENT,
        parameters: { type: 'object', description: 'What the agent works on, such as its goal' },
        max_autonomous_steps: {
          type: 'integer',
          minimum: 1,
          description: `Fewer steps without a person than configured; ${maxAutonomousSteps} where absent`,
        },
        risk_tolerance: {
          type: 'string',
          enum: tolerances,
          description: `A lower one than configured; ${riskTolerance} where absent`,
        },
      },
      required: ['element_name'],
      output: { ...STATE, directive: { type: 'object', properties: DIRECTIVE } },
      example: { element_name: 'release-helper', parameters: { goal: 'Publish version 2' } },
    },
    record_execution_step: {
      category: 'CREATE',
      danger: 'safe',
      reason: 'records a step and judges it',
      description:
        'Report what your agent does next, before it does it. Go on only where the answer says continue: true; where it says stopped: true, stop everything',
      parameters: {
        element_name: AGENT,
        next_action_hint: text(
          "The action you will take next: the operation's name, on what, and what is dangerous in its parameters",
          LONGEST_HINT,
        ),
        step_description: text('What you have just done', LONGEST_HINT),
        outcome: { type: 'string', enum: [...OUTCOMES], description: 'How the last step ended' },
        findings: text('What you found out', LONGEST_TEXT),
      },
      required: ['element_name', 'next_action_hint'],
      spelling: { next_action_hint: 'nextActionHint', step_description: 'stepDescription' },
      output: DIRECTIVE,
      example: {
        element_name: 'release-helper',
        step_description: 'Read the change log',
        outcome: 'success',
        next_action_hint: 'calling create_release for version 2',
      },
    },
    complete_execution: {
      category: 'EXECUTE',
      danger: 'safe',
      reason: 'ends an agent that is done',
      description: 'End an agent that has done its work',
      parameters: {
        element_name: AGENT,
        execution_id: text('Its execution, where it should be checked'),
        outcome: { type: 'string', enum: [...OUTCOMES], description: 'How the last step ended' },
        summary: text('What was done', LONGEST_TEXT),
      },
      required: ['element_name'],
      output: STATE,
      example: { element_name: 'release-helper', summary: 'Version 2 is published' },
    },
    abort_execution: {
      category: 'EXECUTE',
      danger: 'safe',
      reason: 'ends an agent',
      description: 'End an agent before its work is done',
      parameters: {
        element_name: AGENT,
        execution_id: text('Its execution, where it should be checked'),
        reason: text('Why', LONGEST_TEXT),
      },
      required: ['element_name'],
      output: STATE,
      example: { element_name: 'release-helper', reason: 'The user wants to wait' },
    },
    confirm_operation: {
      category: 'EXECUTE',
      danger: 'safe',
      reason: 'confirms one thing that waits',
      description:
        "Confirm what another client's agent was paused for, or an operation that it may only call confirmed. Not for your own agent, unless a person gives you the code",
      parameters: {
        execution_id: text('The paused execution'),
        code: text('The code that a person was sent about the pause', LONGEST_CODE),
        confirmation_token: text('In place of execution_id: the token of the question about an operation'),
      },
      required: [],
      output: { confirmed: { type: 'boolean' }, execution_id: { type: 'string' }, operation: { type: 'string' } },
      example: { execution_id: 'exec_...' },
    },
    verify_challenge: {
      category: 'CREATE',
      danger: 'safe',
      reason: 'checks a code that a person was given',
      description: "End a pause or a block with a person's code. A wrong code uses the challenge up",
      parameters: {
        challenge_id: text("The 'verificationId' of a notification or a refusal"),
        code: text('The code, as the person has it', LONGEST_CODE),
      },
      required: ['challenge_id', 'code'],
      output: { verified: { type: 'boolean' }, unblocked: { type: 'boolean' }, execution_id: { type: 'string' } },
      example: { challenge_id: '3f1c9a52-6c1e-4f0e-9f0a-0d1b2c3d4e5f', code: 'VC-...' },
    },
  };
}

const LONGEST_TEXT = 20_000;
const LONGEST_CODE = 100;

/** Patterns of a list that a description shows. */
const MOST_SHOWN = 5;
