import { isDeepStrictEqual } from 'node:util';
import { digest } from '../base/json/canonical-json.js';
import type { Observer } from '../base/observe/observation.js';
import type { TrustLevel } from '../base/protocol/operation.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { StateStore } from '../store/state-store.js';
import type { AuditTrail } from './audit/audit-trail.js';
import type { Redactor } from './audit/redact.js';
import { createBatchPolicy } from './confirmation/batch-policy.js';
import { type ConfirmDeps, createConfirm } from './confirmation/confirm.js';
import type { UsedTokens } from './confirmation/kept-calls.js';
import type { ConfirmationTokens } from './confirmation/token-types.js';
import { createConfirmationTokens } from './confirmation/tokens.js';
import { createQuotaService } from './quota/quota.js';
import type { AccountOf, QuotaService, QuotaSettings } from './quota/quota-types.js';
import { createGatekeeper } from './rules/gatekeeper.js';
import type { BatchPolicy, Gatekeeper, RuleEngine } from './rules/policy-types.js';
import { createRuleEngine } from './rules/rule-engine.js';

/** What follows from one configuration of policy: a reload makes another. */
export interface Decisions {
  /** Its digest. */
  readonly configuration: string;
  readonly rules: RuleEngine;
  readonly tokens: ConfirmationTokens;
  readonly gatekeeper: Gatekeeper;
  readonly batches: BatchPolicy;
  readonly quota: QuotaService;
  readonly quotaSettings: QuotaSettings;
}

/** What decisions are made with, whatever the configuration says. */
interface DecisionParts extends Omit<ConfirmDeps, 'tokens' | 'isInForce'> {
  readonly store: StateStore;
  readonly audit: AuditTrail;
  readonly redact: Redactor;
  readonly observe: Observer;
  readonly used: UsedTokens;
  readonly accountOf?: AccountOf | undefined;
  /** The digest of the configuration that decides now. */
  readonly inForce: () => string;
}

/** @param before the decisions that these replace: quotas that have not changed go on counting */
export function composeDecisions(config: GatewayConfig, parts: DecisionParts, before?: Decisions): Decisions {
  const { store, audit, redact, observe, used, accountOf, inForce } = parts;
  const { confirmation } = config.policy;
  const rules = createRuleEngine(config.policy, trustByUpstream(config));
  const configuration = fingerprintConfig(config);
  const tokens = createConfirmationTokens({ store, audit, config: confirmation, configuration, used });
  const confirming = { ...parts, tokens, isInForce: () => inForce() === configuration };
  const quotaSettings = quotaSettingsOf(config);
  return {
    configuration,
    rules,
    tokens,
    gatekeeper: createGatekeeper({
      rules,
      confirm: createConfirm(confirming),
      audit,
      redact,
      recallOperation: (token, caller) => tokens.recallOperation(token, caller),
      recall: ({ qualifiedName, name }, token, caller) =>
        tokens.recall(token, { operation: qualifiedName, label: name }, caller),
    }),
    batches: createBatchPolicy(rules, confirming, confirmation.batch),
    quota:
      before !== undefined && isDeepStrictEqual(before.quotaSettings, quotaSettings)
        ? before.quota
        : createQuotaService({ store, tokens, config, observe, answerTokens: mostTokensOf(config), accountOf }),
    quotaSettings,
  };
}

function quotaSettingsOf({ quotas, upstreams }: GatewayConfig): QuotaSettings {
  return { quotas, upstreams: upstreams.map(({ slug, apiLimits }) => ({ slug, apiLimits })) };
}

/** The most tokens of data that an answer has: where they are not bounded, a token for every four bytes. */
function mostTokensOf({ results, limits }: GatewayConfig): number {
  return results.maxTokens === 0 ? Math.ceil(limits.maxResponseSize / 4) : results.maxTokens;
}

/** The trust of each upstream by slug; an upstream that is not configured is untested. */
function trustByUpstream({ upstreams }: GatewayConfig): (slug: string) => TrustLevel {
  const levels = new Map(upstreams.map(({ slug, trust }) => [slug, trust]));
  return (slug) => levels.get(slug) ?? 'untested';
}

/**
 * The digest of the configuration that a question was asked under. A token is valid only under the same configuration: a
 * change of a rule, a trust level, a curation or an upstream's endpoint voids every earlier confirmation. Gateways that share
 * a store must have equal digests, so nothing that is specific to one machine goes into it.
 */
export function fingerprintConfig({ policy, upstreams, pins, lock }: GatewayConfig): string {
  const { readOnly, rules, confirmation } = policy;
  const behind = upstreams.map(({ slug, endpoint, trust, strict, group, curation, disabled }) => ({
    slug,
    endpoint,
    trust,
    strict,
    group: group ?? null,
    curation,
    disabled,
  }));
  return digest({ readOnly, rules, confirmation, upstreams: behind, pins, lock: lock.digest });
}
