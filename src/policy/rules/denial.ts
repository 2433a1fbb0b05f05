import { dangerRank } from '../../protocol/danger.js';
import type { Operation } from '../../protocol/operation.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Ruling } from './rule-book.js';
import { minimumTrustFor } from './trust-matrix.js';

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
