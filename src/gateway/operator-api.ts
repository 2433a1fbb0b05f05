import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { Observer } from '../base/observe/observation.js';
import type { CallerFacts } from '../base/protocol/call.js';
import type { Operation } from '../base/protocol/operation.js';
import { bindArguments } from '../catalog/arguments/bind-arguments.js';
import { operationOfCall } from '../catalog/operation.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { ApprovalService } from '../policy/approvals/approval-queue.js';
import { openPolicy } from '../policy/policy.js';
import type { Explanation, RuleEngine } from '../policy/rules/policy-types.js';
import type { Connections } from '../upstream/credentials/credential-service.js';
import { Credentials } from './credentials.js';
import type { SharedAgents } from './shared-agents.js';

export type { ShownUpdate } from '../base/protocol/approval.js';
export type { Approval, ApprovalService, ApprovalStatus, DecisionFault } from '../policy/approvals/approval-queue.js';
export type { SharedAgents } from './shared-agents.js';
export { describeUnmatched } from './unmatched-rules.js';

/** A call that has not been made. */
export interface PolicyQuestion extends CallerFacts {
  readonly operation: Operation;
  /** In the form that a caller would send. */
  readonly params: JsonObject;
}

/** What users have granted, in the store that running gateways share. */
export interface SharedGrants {
  readonly list: Connections['list'];
  /** Ends what an owner has granted for a server; false where there is nothing. Running gateways find that out with their next request. */
  revoke(upstream: string, owner: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The approval service of gateways that run in other processes. */
interface SharedApprovals {
  readonly service: ApprovalService;
  close(): Promise<void>;
}

/**
 * Opens the approval service over the configured store, which running gateways share.
 * Resolves with undefined for a store in memory, because no other process could see the decisions.
 * @throws StoreError when the store cannot be opened
 */
export async function openSharedApprovals(
  config: GatewayConfig,
  observe: Observer,
): Promise<SharedApprovals | undefined> {
  if (config.store.type === 'memory') return undefined;
  const { policy } = config;
  const policyService = await openPolicy(
    // This process sends no notifications, and lists requests even where the configuration takes no new ones.
    { ...config, policy: { ...policy, approvals: { ...withoutWebhook(policy.approvals), operator: true } } },
    { observe, process: 'approvals' },
  );
  const { approvals } = policyService;
  return approvals === undefined ? undefined : { service: approvals, close: () => policyService.close() };
}

function withoutWebhook({
  webhook: _webhook,
  ...approvals
}: GatewayConfig['policy']['approvals']): GatewayConfig['policy']['approvals'] {
  return approvals;
}

/** The agents of gateways that run in other processes; loaded where it is asked for, as few gateways have a safety loop. */
export async function openSharedAgents(config: GatewayConfig): Promise<SharedAgents | undefined> {
  const agents = await import('./shared-agents.js');
  return agents.openSharedAgents(config);
}

/** What policy would decide about a call. Parameters that do not fit the operation are judged one by one, those in `input` too. */
export function explainPolicy(rules: RuleEngine, { operation, params, ...caller }: PolicyQuestion): Explanation {
  const bound = bindArguments(operation, params);
  const args = bound.ok ? bound.arguments : asNamed(operation, params);
  return rules.explain(operationOfCall(operation, args), args, caller);
}

/** Parameters as far as they are known, in the upstream's spelling. */
function asNamed({ scope }: Operation, { input, ...params }: JsonObject): JsonObject {
  const given =
    scope.hasInput && isJsonObject(input)
      ? { ...params, ...input }
      : { ...params, ...(input !== undefined && { input }) };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [scope.byName.get(name)?.upstreamName ?? name, value]),
  );
}

/**
 * Opens the grants of running gateways. Resolves with undefined where they are in the memory of those alone.
 * @throws StoreError when the store cannot be opened
 */
export async function openSharedGrants(config: GatewayConfig): Promise<SharedGrants | undefined> {
  if (config.store.type === 'memory' || config.credentials.key === undefined) return undefined;
  const policy = await openPolicy(config, { observe: () => undefined, process: 'credentials' });
  const credentials = new Credentials(() => undefined, policy);
  // What was granted for servers that have been removed since can be ended, too.
  const service = await credentials.open(config);
  const { connections } = service;
  for (const upstream of config.upstreams) service.rightsOf(upstream);
  return {
    list: connections.list,
    revoke: (slug, owner) => connections.flow.revoke(slug, owner),
    close: policy.close,
  };
}
