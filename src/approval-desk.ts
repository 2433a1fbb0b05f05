import type { GatewayConfig } from './config/gateway-config.js';
import type { Observer } from './observe/observation.js';
import type { ApprovalDesk } from './policy/approvals/approval.js';
import { openPolicyDesk } from './policy/open-policy-desk.js';

export type {
  Approval,
  ApprovalDesk,
  ApprovalStatus,
  DecisionFault,
  DecisionResult,
} from './policy/approvals/approval.js';

/** The operators' desk of gateways that run in other processes. */
export interface SharedDesk {
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
