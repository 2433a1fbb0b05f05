import type { Caller } from '../../protocol/caller.js';
import type { Operation } from '../../protocol/operation.js';
import type { PolicyRequest } from '../admission.js';
import type { Ruling } from '../rules/rule-book.js';
import type { AuditActor, AuditEvent, AuditSubject } from './audit-trail.js';
import type { Redactor } from './redact.js';

type DecisionEvent = Extract<AuditEvent, { readonly type: 'decision' }>;

/** What came of a ruling. */
export type DecisionOutcome = Pick<DecisionEvent, 'outcome' | 'code' | 'token_id' | 'by'>;

/** A ruling on a call, and what came of it, as it goes on record. */
export function decisionEvent(
  { operation, arguments: args, caller }: PolicyRequest,
  { rule, reason, trust }: Ruling,
  redact: Redactor,
  outcome: DecisionOutcome,
): DecisionEvent {
  return {
    type: 'decision',
    ...outcome,
    ...describeSubject(operation),
    trust,
    ...(rule === null ? {} : { rule }),
    ...(reason === null ? {} : { reason }),
    parameters: redact(operation, args),
    actor: describeActor(caller),
  };
}

export function describeSubject({ qualifiedName, upstream, classification }: Operation): AuditSubject {
  const { category, danger } = classification;
  return { operation: qualifiedName, upstream, category, danger: danger.level };
}

export function describeActor({ sessionId, client, clientName, transport }: Caller): AuditActor {
  return {
    session: sessionId,
    ...(client === undefined ? {} : { client }),
    client_name: clientName,
    transport,
  };
}
