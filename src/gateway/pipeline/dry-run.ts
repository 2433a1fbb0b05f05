import type { JsonObject } from '../../base/json/json.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { whenRuns } from '../../base/protocol/policy-decision.js';
import { withPlaceholders } from '../../catalog/arguments/placeholders.js';
import type { QuotaService } from '../../policy/quota/quota-types.js';
import { denyByDecision } from '../../policy/rules/gatekeeper.js';
import type { Gatekeeper, PolicyDecision } from '../../policy/rules/policy-types.js';
import { policyRequestOf } from './authorize.js';
import type { ValidatedCall } from './validate.js';

interface DryRunDeps {
  readonly gatekeeper: Pick<Gatekeeper, 'decide'>;
  readonly quota: Pick<QuotaService, 'isIdle' | 'status'>;
}

/**
 * What a call would do (specification, operations document, 4.4.1): how it counts, what policy would say of it, the budgets that it would count
 * against, and what would be sent. Nothing is sent, counted or asked for this.
 */
export async function describeDryRun(call: ValidatedCall, { gatekeeper, quota }: DryRunDeps): Promise<JsonObject> {
  const { operation, arguments: args, raw } = call;
  const { name, upstream, tool, classification, merge } = operation;
  const { category, danger } = classification;
  const isServers = upstream !== GATEWAY_SOURCE;
  const shown = withPlaceholders(operation, args);
  const isHidden = JSON.stringify(shown) !== JSON.stringify(args);
  const notes = [
    ...(isHidden ? ['A secret stands there as <name>; the value given would be sent'] : []),
    ...(merge === undefined
      ? []
      : ['Other members of the resource are read first, and sent too where the tool replaces the whole']),
  ];
  const budgets = { operations: [operation], upstreams: isServers ? [upstream] : [] };
  return {
    dry_run: true,
    operation: name,
    category,
    danger: danger.level,
    reasons: danger.reasons,
    policy: describeDecision(operation, gatekeeper.decide(policyRequestOf(call))),
    would_send: { ...(isServers && { upstream, tool }), arguments: shown },
    ...(notes.length > 0 && { note: notes.join('. ') }),
    ...(quota.isIdle ? {} : { quota: await quota.status(raw.caller, budgets) }),
  };
}

function describeDecision(operation: Operation, decision: PolicyDecision): JsonObject {
  const { effect, requires, by, rule, reason } = decision;
  return {
    effect,
    by,
    ...(rule !== null && { rule }),
    ...(reason !== null && { reason }),
    ...(whenRuns(effect) === 'when agreed' && { requires }),
    ...(whenRuns(effect) === 'never' && { refusal: denyByDecision(operation, decision).message }),
  };
}
