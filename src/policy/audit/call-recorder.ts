import type { AuditConfig } from '../../config/policy-config.js';
import type { Caller } from '../../protocol/caller.js';
import { dangerRank } from '../../protocol/danger.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import type { AuditTrail } from './audit-trail.js';
import { describeActor, describeSubject } from './decision-event.js';
import type { Redactor } from './redact.js';

/** How one call ended. */
export interface EndedCall {
  readonly operation: Operation;
  /** As far as they were understood: bound arguments, else what the caller sent. */
  readonly arguments: JsonObject;
  readonly caller: Caller;
  readonly code: string;
  readonly durationMs: number;
}

/** Puts the end of a call on record, if it is of the kind that is recorded. */
export type CallRecorder = (call: EndedCall) => void;

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
