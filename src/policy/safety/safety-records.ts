import { cleanLabel } from '../../base/lib/text.js';
import type { Caller } from '../../base/protocol/caller.js';
import type { SafetyEvent } from '../audit/audit-event.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import { describeActor } from '../rules/gatekeeper.js';
import type { Challenge } from './challenge.js';
import type { AutonomyDirective } from './directive.js';
import type { Verdict } from './evaluate-step.js';
import { type Run, subjectOf } from './runs.js';

type Recorded = Partial<
  Omit<
    Extract<Parameters<AuditTrail['record']>[0], { readonly type: 'safety' }>,
    'type' | 'event' | 'agent' | 'subject'
  >
>;

/** What the audit trail has of agents. */
export class SafetyRecords {
  readonly #audit: Pick<AuditTrail, 'record'>;

  constructor(audit: Pick<AuditTrail, 'record'>) {
    this.#audit = audit;
  }

  event(event: SafetyEvent, { agent, subject, execution }: Run, caller: Caller, more: Recorded = {}): void {
    this.#audit.record({
      type: 'safety',
      event,
      agent,
      subject,
      execution,
      ...more,
      actor: describeActor(caller),
    });
  }

  directive(run: Run, directive: AutonomyDirective, { score, tier, factors }: Verdict, caller: Caller): void {
    this.event('DIRECTIVE', run, caller, {
      continue: directive.continue,
      ...(directive.stopped === undefined ? {} : { stopped: true }),
      ...(directive.reason === undefined ? {} : { reason: directive.reason }),
      ...(score === undefined ? {} : { score }),
      ...(tier === undefined ? {} : { tier }),
      factors,
    });
  }

  challenge(
    event: SafetyEvent,
    { agent, subject, execution }: Pick<Challenge, 'agent' | 'subject' | 'execution'>,
    id: string,
    more: Recorded = {},
  ): void {
    this.#audit.record({ type: 'safety', event, agent, subject, execution, challenge: id, actor: {}, ...more });
  }

  refusedCode(id: string, reason: string, caller: Caller): void {
    this.#audit.record({
      type: 'safety',
      event: 'CHALLENGE_FAILED',
      agent: '',
      subject: subjectOf(caller),
      challenge: cleanLabel(id),
      reason,
      actor: describeActor(caller),
    });
  }
}
