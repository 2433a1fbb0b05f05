import type { Caller } from '../protocol/caller.js';
import type { TrustLevel } from '../protocol/danger.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';

/** What a decision is made about. */
export interface PolicyRequest {
  readonly operation: Operation;
  readonly arguments: JsonObject;
  readonly caller: Caller;
}

/** Says no by throwing an `OperationError`; returning is the permission. */
export type Gatekeeper = (request: PolicyRequest) => void | Promise<void>;

/** The trust that an operation needs before it may run at all, where the default gate asks for more than a vouched-for upstream. */
const FORBIDDEN_NEEDS: TrustLevel = 'certified';

/**
 * The default gate: operations rated `forbidden` never run, whoever asks. The rating is the operator's to change
 * (`danger` in the upstream's curation).
 * @param trustOf the trust level of an upstream, by slug
 */
export function createGatekeeper(trustOf: (upstream: string) => TrustLevel): Gatekeeper {
  return ({ operation }) => {
    const { danger } = operation.classification;
    if (danger.level !== 'forbidden') return;
    const trust = trustOf(operation.upstream);
    throw new OperationError(
      'PERMISSION_DANGER_LEVEL_DENIED',
      `Operation '${operation.name}' (danger: forbidden) denied for adapter trust level '${trust}'`,
      {
        operation: operation.name,
        danger_level: danger.level,
        adapter_trust: trust,
        minimum_trust_required: FORBIDDEN_NEEDS,
        reasons: danger.reasons,
      },
    );
  };
}
