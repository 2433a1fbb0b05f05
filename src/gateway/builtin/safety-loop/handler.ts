import type { JsonObject } from '../../../base/json/json.js';
import type { HandlerCall, OperationHandler } from '../../../base/protocol/call.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import { RISK_TOLERANCES, type RiskTolerance } from '../../../config/safety-config.js';
import type { ChallengeAnswers } from '../../../policy/safety/challenge-answers.js';
import { OUTCOMES, type Outcome } from '../../../policy/safety/evaluate-step.js';
import type { KnownOperations } from '../../../policy/safety/hints.js';
import type { SafetyLoop } from '../../../policy/safety/safety-loop.js';
import type { SafetyOperation } from './operations.js';

interface SafetyServices {
  /** What agents say. */
  readonly loop: SafetyLoop;
  /** What is answered to agents that are held. */
  readonly answers: ChallengeAnswers;
}

type Handled = Readonly<Record<SafetyOperation, (args: JsonObject, call: HandlerCall) => Promise<object>>>;

/** The handlers of the operations of the safety loop. Their arguments were held against the schemas, and are read here without casts. */
export function createSafetyHandlers(
  { loop, answers }: SafetyServices,
  known: KnownOperations,
): ReadonlyMap<string, OperationHandler> {
  const handled: Handled = {
    execute_agent: (args, { caller }) =>
      loop.start(
        {
          agent: agentIn(args),
          ...optional('maxAutonomousSteps', numberIn(args, 'max_autonomous_steps')),
          ...optional('riskTolerance', toleranceIn(args)),
        },
        caller,
      ),
    record_execution_step: (args, { caller }) =>
      loop.step(
        { agent: agentIn(args), hint: textIn(args, 'nextActionHint') ?? '', ...optional('outcome', outcomeIn(args)) },
        caller,
        known,
      ),
    complete_execution: (args, { caller }) =>
      loop.complete({ agent: agentIn(args), ...executionIn(args) }, textIn(args, 'summary'), caller),
    abort_execution: (args, { caller }) =>
      loop.abort({ agent: agentIn(args), ...executionIn(args) }, textIn(args, 'reason'), caller),
    confirm_operation: (args, { caller }) => {
      const [execution, token] = [textIn(args, 'execution_id'), textIn(args, 'confirmation_token')];
      if ((execution === undefined) === (token === undefined)) throw oneOf();
      return token === undefined
        ? answers.confirm(execution ?? '', textIn(args, 'code'), caller)
        : answers.confirmPermission(token, caller);
    },
    verify_challenge: (args, { caller }) =>
      answers.verify(textIn(args, 'challenge_id') ?? '', textIn(args, 'code') ?? '', caller),
  };
  return new Map(
    Object.entries(handled).map(([name, answer]) => [
      name,
      async (call: HandlerCall) => ({ data: await answer(call.arguments, call) }),
    ]),
  );
}

function oneOf(): OperationError {
  const message =
    "Missing required parameter: 'execution_id' or 'confirmation_token', and not both: each names one thing that waits";
  return new OperationError('VALIDATION_MISSING_PARAM', message, { param: 'execution_id' });
}

function agentIn(args: JsonObject): string {
  return textIn(args, 'element_name') ?? '';
}

function executionIn(args: JsonObject): { readonly execution?: string } {
  return optional('execution', textIn(args, 'execution_id'));
}

function textIn(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

function outcomeIn(args: JsonObject): Outcome | undefined {
  return OUTCOMES.find((outcome) => outcome === args['outcome']);
}

function toleranceIn(args: JsonObject): RiskTolerance | undefined {
  const value = args['risk_tolerance'];
  return isTolerance(value) ? value : undefined;
}

function isTolerance(value: unknown): value is RiskTolerance {
  return typeof value === 'string' && Object.hasOwn(RISK_TOLERANCES, value);
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  const given: Partial<Record<K, V>> = {};
  if (value !== undefined) given[key] = value;
  return given;
}
