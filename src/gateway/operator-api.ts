import { bindArguments } from '../catalog/arguments/bind-arguments.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Observer } from '../observe/observation.js';
import type { ApprovalDesk } from '../policy/approvals/approval-queue.js';
import { openPolicyDesk } from '../policy/policy.js';
import type { Explanation, RuleBook } from '../policy/rules/rule-types.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';

export type { Approval, ApprovalDesk, ApprovalStatus, DecisionFault } from '../policy/approvals/approval-queue.js';

/** A call that has not been made. */
export interface PolicyQuestion {
  readonly operation: Operation;
  /** As a caller would send them. */
  readonly params: JsonObject;
  /** The authenticated client that would call. */
  readonly client?: string;
}

/** The operators' desk of gateways that run in other processes. */
interface SharedDesk {
  readonly desk: ApprovalDesk;
  close(): Promise<void>;
}

/**
 * Opens the desk over the configured store, beside the gateways that use it.
 * Resolves with undefined where no other process could see what is decided: a store in memory.
 * @throws StoreError when the store cannot be opened
 */
export async function openSharedDesk(config: GatewayConfig, observe: Observer): Promise<SharedDesk | undefined> {
  if (config.store.type === 'memory') return undefined;
  const { policy } = config;
  const policyDesk = await openPolicyDesk(
    // Whoever works at the desk notifies nobody, and may look at it while it is closed to new requests.
    { ...config, policy: { ...policy, approvals: { ...withoutWebhook(policy.approvals), operator: true } } },
    { observe, process: 'approvals' },
  );
  const { approvals } = policyDesk;
  return approvals === undefined ? undefined : { desk: approvals, close: () => policyDesk.close() };
}

function withoutWebhook({
  webhook: _webhook,
  ...approvals
}: GatewayConfig['policy']['approvals']): GatewayConfig['policy']['approvals'] {
  return approvals;
}

/** What policy would say of a call. Parameters that do not fit the operation are looked at as they are. */
export function explainPolicy(rules: RuleBook, { operation, params, client }: PolicyQuestion): Explanation {
  const bound = bindArguments(operation, params);
  const args = bound.ok ? bound.arguments : params;
  return rules.explain(operation, args, client === undefined ? {} : { client });
}
