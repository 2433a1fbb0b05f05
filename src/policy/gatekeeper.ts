import type { AuditTrail } from '../audit/audit-trail.js';
import type { Redactor } from '../audit/redact.js';
import { dangerRank, type Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { Gatekeeper, Permit, PolicyRequest } from './admission.js';
import { decisionEvent } from './audit-events.js';
import { minimumTrustFor } from './rules/decide.js';
import type { RuleBook, Ruling } from './rules/rule-types.js';

/** Gets the agreement that a ruling demands: resolves with the permit, or rejects with the refusal or the question. */
export type Confirm = (request: PolicyRequest, ruling: Ruling) => Promise<Permit>;

interface GatekeeperDeps {
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

const DENIALS: Readonly<Record<Ruling['by'], (operation: Operation, ruling: Ruling) => OperationError>> = {
  matrix: denyByMatrix,
  rule: denyByRule,
  'read-only': denyByReadOnly,
};

/** A ruling that denies, as the caller is told: who decided, what it would take, and that trying again is no use. */
export function denyByRuling(operation: Operation, ruling: Ruling): OperationError {
  return DENIALS[ruling.by](operation, ruling);
}

function denyByMatrix(operation: Operation, { danger, trust }: Ruling): OperationError {
  const { name } = operation;
  const needed = minimumTrustFor(danger);
  const way = `Do not retry: the operator has to trust upstream '${operation.upstream}' at least as '${needed}', or to name this operation in a policy rule`;
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

function denyByRule({ name }: Operation, { rule, reason }: Ruling): OperationError {
  const told = reason ?? 'a rule of the operator denies this call';
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: '${told}'. Do not retry it as it is; rule '${rule}' is the operator's to change`,
    { operation: name, reason: told, rule },
  );
}

function denyByReadOnly({ name, classification }: Operation): OperationError {
  const reason = 'this gateway is read-only';
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: '${reason}'. Do not retry: '${name}' is ${classification.category}, and READ operations alone run here`,
    { operation: name, reason },
  );
}
