import type { AuditActor, AuditEvent, AuditSubject, AuditTrail } from '../audit/audit-trail.js';
import type { Redactor } from '../audit/redact.js';
import type { AuditConfig } from '../config/gateway-config.js';
import type { Caller } from '../protocol/call.js';
import type { JsonObject } from '../protocol/json.js';
import { dangerRank, type Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { PolicyRequest } from './admission.js';
import type { PolicyDecision } from './rules/rule-types.js';

/** Records how a call ended, if calls of its danger are recorded. */
export type CallRecorder = (call: EndedCall) => void;

/** The outcome of a decision. */
export type DecisionOutcome = Pick<DecisionEvent, 'outcome' | 'code' | 'token_id' | 'by'>;

/** How one call ended. */
interface EndedCall {
  readonly operation: Operation;
  /** The bound arguments; what the caller sent where binding failed. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
  readonly code: string;
  readonly durationMs: number;
}

/** The recorder of a gateway without an audit trail. */
export const recordNoCalls: CallRecorder = () => undefined;

const GATED_FROM = dangerRank('destructive');

export function createCallRecorder(
  { calls, enabled }: Pick<AuditConfig, 'calls' | 'enabled'>,
  audit: AuditTrail,
  redact: Redactor,
): CallRecorder {
  if (!enabled) return recordNoCalls;
  return ({ operation, arguments: args, caller, code, durationMs }) => {
    if (calls === 'gated' && dangerRank(operation.classification.danger.level) < GATED_FROM) return;
    audit.record({
      type: 'call',
      ...describeSubject(operation),
      code,
      duration_ms: Math.round(durationMs),
      parameters: redact(operation, args),
      actor: describeActor(caller),
    });
  };
}

type DecisionEvent = Extract<AuditEvent, { readonly type: 'decision' }>;

/** The audit record of a decision about a call and its outcome. */
export function decisionEvent(
  { operation, arguments: args, caller }: PolicyRequest,
  { rule, reason, trust }: PolicyDecision,
  { redact, audit }: { readonly redact: Redactor; readonly audit: Pick<AuditTrail, 'digest'> },
  outcome: DecisionOutcome,
): DecisionEvent {
  const digest = audit.digest(args);
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

export function describeActor({ sessionId, requestId, client, clientName, transport }: Caller): AuditActor {
  return {
    session: sessionId,
    ...(requestId === undefined ? {} : { request: requestId }),
    ...(client === undefined ? {} : { client }),
    client_name: clientName,
    transport,
  };
}
