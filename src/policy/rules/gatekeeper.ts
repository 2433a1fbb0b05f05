import type { JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import { DANGER_LEVELS, type DangerLevel, dangerRank, type Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { whenRuns } from '../../base/protocol/policy-decision.js';
import type { AuditConfig } from '../../config/gateway-config.js';
import type { AuditActor, AuditEvent, AuditSubject, AuditTrail } from '../audit/audit-trail.js';
import type { Redactor } from '../audit/redact.js';
import { minimumTrustFor } from './decide.js';
import type { Gatekeeper, Permit, PolicyDecision, PolicyRequest, RuleEngine } from './policy-types.js';

/** Gets the agreement that a decision requires: resolves with the permit, or rejects with the refusal or the question. */
export type Confirm = (request: PolicyRequest, decision: PolicyDecision) => Promise<Permit>;

interface GatekeeperDeps {
  readonly rules: RuleEngine;
  readonly confirm: Confirm;
  readonly audit: AuditTrail;
  readonly redact: Redactor;
  readonly recall: Gatekeeper['recall'];
  readonly recallOperation: Gatekeeper['recallOperation'];
}

/** The permit of every call that needs no agreement. */
const ALLOWED: Permit = Object.freeze({ outcome: 'allowed' });

/** From this danger on every decision is recorded, permission included (companion document "danger levels", 7.4). */
const RECORDED: ReadonlySet<DangerLevel> = new Set(DANGER_LEVELS.slice(dangerRank('destructive')));

/** Applies the rules, gets confirmation where they require it, and records each decision that matters before the call runs. */
export function createGatekeeper({
  rules,
  confirm,
  audit,
  redact,
  recall,
  recallOperation,
}: GatekeeperDeps): Gatekeeper {
  const admit = (request: PolicyRequest): Permit | Promise<Permit> => {
    const { operation } = request;
    const decision = rules.decide(operation, request.arguments, request.caller);
    const runs = whenRuns(decision.effect);
    if (runs === 'freely') {
      if (!RECORDED.has(decision.danger)) return ALLOWED;
      return after(record(request, decision, { outcome: 'allowed' }), (accepted) => {
        requireRecord(accepted);
        return ALLOWED;
      });
    }
    if (runs === 'when agreed') return confirm(request, decision);
    const denial = denyByDecision(operation, decision);
    return after(record(request, decision, { outcome: 'denied', code: denial.code }), () => {
      throw denial;
    });
  };
  const record = (
    request: PolicyRequest,
    decision: PolicyDecision,
    outcome: Parameters<typeof decisionEvent>[3],
  ): boolean | Promise<boolean> => audit.accept(decisionEvent(request, decision, { redact, audit }, outcome));
  const decide: Gatekeeper['decide'] = ({ operation, arguments: args, caller }) =>
    rules.decide(operation, args, caller);
  return {
    admit,
    decide,
    recall,
    recallOperation,
    staticDecision: (operation, view) => rules.staticDecision(operation, view),
  };
}

/** Goes on when the journal has taken the record: at once, unless it is full. */
function after<T>(accepted: boolean | Promise<boolean>, then: (accepted: boolean) => T): T | Promise<T> {
  return typeof accepted === 'boolean' ? then(accepted) : accepted.then(then);
}

const DENIALS: Readonly<
  Record<PolicyDecision['by'], (operation: Operation, decision: PolicyDecision) => OperationError>
> = {
  matrix: denyByMatrix,
  rule: denyByRule,
  'read-only': denyByReadOnly,
  // A declaration asks for a person and denies nothing.
  operation: denyByMatrix,
};

/** The error for a decision that denies: what decided, what would allow the call, and that a retry does not help. */
export function denyByDecision(operation: Operation, decision: PolicyDecision): OperationError {
  return DENIALS[decision.by](operation, decision);
}

function denyByMatrix(operation: Operation, { danger, trust }: PolicyDecision): OperationError {
  const { name } = operation;
  const needed = minimumTrustFor(danger);
  const way = `Do not retry: the operator has to trust upstream '${operation.upstream}' as '${needed}' or higher, or to name this operation in a policy rule`;
  if (dangerRank(danger) < dangerRank('destructive')) {
    return new OperationError(
      'PERMISSION_TRUST_LEVEL_INSUFFICIENT',
      `Operation '${name}' requires trust level '${needed}', adapter has '${trust}'. ${way}`,
      { operation: name, required_trust: needed, actual_trust: trust, danger_level: danger },
    );
  }
  return new OperationError(
    'PERMISSION_DANGER_LEVEL_DENIED',
    `Operation '${name}' (danger: ${danger}) denied for adapter trust level '${trust}'. ${way}`,
    {
      operation: name,
      danger_level: danger,
      adapter_trust: trust,
      minimum_trust_required: needed,
      reasons: operation.classification.danger.reasons,
    },
  );
}

function denyByRule({ name }: Operation, { rule, reason }: PolicyDecision): OperationError {
  const why = reason ?? 'a rule of the operator denies this call';
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: '${why}'. Do not retry it as it is; only the operator can change rule '${rule}'`,
    { operation: name, reason: why, rule },
  );
}

function denyByReadOnly({ name, classification }: Operation): OperationError {
  const reason = 'this gateway is read-only';
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: '${reason}'. Do not retry: '${name}' is ${classification.category}, and only READ operations run here`,
    { operation: name, reason },
  );
}

/** Records how a call ended, if calls of its danger are recorded. */
export type CallRecorder = (call: EndedCall) => void;

export type DecisionOutcome = Pick<DecisionEvent, 'outcome' | 'code' | 'token_id' | 'by'>;

interface EndedCall {
  /** The name that the caller sent where it is no operation's. */
  readonly operation: Operation | string;
  /** The bound arguments; what the caller sent where binding failed. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
  readonly code: string;
  readonly durationMs: number;
}

/** The recorder of a gateway without an audit trail. */
export const recordNoCalls: CallRecorder = () => undefined;

export function createCallRecorder(
  { calls, enabled }: Pick<AuditConfig, 'calls' | 'enabled'>,
  audit: AuditTrail,
  redact: Redactor,
): CallRecorder {
  if (!enabled) return recordNoCalls;
  return ({ operation, arguments: args, caller, code, durationMs }) => {
    const isOperation = typeof operation !== 'string';
    if (calls !== 'all' && !(isOperation && RECORDED.has(operation.classification.danger.level))) return;
    const ended = { type: 'call', code, duration_ms: Math.round(durationMs), actor: describeActor(caller) } as const;
    // Nobody knows which of the parameters of no operation are secret.
    const subject = isOperation
      ? { ...describeSubject(operation), parameters: redact(operation, args) }
      : { operation };
    audit.record({ ...ended, ...subject });
  };
}

type DecisionEvent = Extract<AuditEvent, { readonly type: 'decision' }>;

/** The audit record of a decision about a call and its outcome. */
export function decisionEvent(
  { operation, arguments: args, canonical, caller }: PolicyRequest,
  { rule, reason, trust }: PolicyDecision,
  { redact, audit }: { readonly redact: Redactor; readonly audit: Pick<AuditTrail, 'digest'> },
  outcome: DecisionOutcome,
): DecisionEvent {
  const digest = audit.digest(args, canonical);
  return {
    type: 'decision',
    ...outcome,
    ...describeSubject(operation),
    trust,
    ...(rule === null ? {} : { rule }),
    ...(reason === null ? {} : { reason }),
    parameters: redact(operation, args),
    ...(digest === undefined ? {} : { arguments: digest }),
    actor: describeActor(caller),
  };
}

/** Whether a decision's record is kept, so that the call may go on. @throws OperationError where it is not */
export function requireRecord(accepted: boolean): void {
  if (accepted) return;
  throw new OperationError(
    'INTERNAL_ERROR',
    "Internal error: 'the audit journal cannot be written, and this call must be recorded before it runs, so it was refused and did not run: send it again later'",
    { reason: 'unavailable', retryable: true },
  );
}

function describeSubject({ qualifiedName, upstream, classification, auditContext: context }: Operation): AuditSubject {
  const { category, danger } = classification;
  const subject = { operation: qualifiedName, upstream, category, danger: danger.level };
  return context === undefined ? subject : { ...subject, context };
}

export function describeActor(caller: Caller): AuditActor {
  const { sessionId, requestId, client, user, clientName, transport, view, program } = caller;
  return {
    session: sessionId,
    ...(requestId === undefined ? {} : { request: requestId }),
    ...(client === undefined ? {} : { client }),
    ...(user === undefined ? {} : { user }),
    client_name: clientName,
    transport,
    ...(view === undefined ? {} : { view }),
    ...(program === undefined ? {} : { program }),
  };
}
