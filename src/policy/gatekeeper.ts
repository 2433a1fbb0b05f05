import { dangerRank } from '../protocol/danger.js';
import type { Gatekeeper, Permit, PolicyRequest } from './admission.js';
import type { AuditTrail } from './audit/audit-trail.js';
import { decisionEvent } from './audit/decision-event.js';
import type { Redactor } from './audit/redact.js';
import { denyByRuling } from './rules/denial.js';
import type { RuleBook, Ruling } from './rules/rule-book.js';

/** Gets the agreement that a ruling demands: resolves with the permit, or rejects with the refusal or the question. */
export type Confirm = (request: PolicyRequest, ruling: Ruling) => Promise<Permit>;

export interface GatekeeperDeps {
  readonly rules: RuleBook;
  readonly confirm: Confirm;
  readonly audit: AuditTrail;
  readonly redact: Redactor;
}

/** Shared by every call that nothing gates. */
const ALLOWED: Permit = Object.freeze({ outcome: 'allowed' });

/** From this danger on every decision is on record, permission included (companion document "danger levels", 7.4). */
const RECORDED_FROM = dangerRank('destructive');

/** Rules decide, confirmation follows where they ask for it, and every decision that matters is recorded before the call runs. */
export function createGatekeeper({ rules, confirm, audit, redact }: GatekeeperDeps): Gatekeeper {
  const admit = (request: PolicyRequest): Permit | Promise<Permit> => {
    const { operation } = request;
    const ruling = rules.ruleOn(operation, request.arguments, request.caller);
    if (ruling.decision === 'allow') {
      if (dangerRank(ruling.danger) >= RECORDED_FROM) record(request, ruling, { outcome: 'allowed' });
      return ALLOWED;
    }
    if (ruling.decision === 'confirm') return confirm(request, ruling);
    const denial = denyByRuling(operation, ruling);
    record(request, ruling, { outcome: 'denied', code: denial.code });
    throw denial;
  };
  const record = (request: PolicyRequest, ruling: Ruling, outcome: Parameters<typeof decisionEvent>[3]): void =>
    audit.record(decisionEvent(request, ruling, redact, outcome));
  return { admit, outlook: (operation) => rules.outlook(operation) };
}
