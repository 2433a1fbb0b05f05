import { type AuditTrail, openAuditTrail } from '../audit/audit-trail.js';
import { createApproverView, createRedactor } from '../audit/redact.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { digest } from '../lib/canonical-json.js';
import type { Observer } from '../observe/observation.js';
import type { Caller } from '../protocol/call.js';
import type { TrustLevel } from '../protocol/operation.js';
import { openStore } from '../store/open-store.js';
import type { StateStore } from '../store/state-store.js';
import { guardStore, type StoreState } from '../store/store-breaker.js';
import type { BatchPolicy, Gatekeeper } from './admission.js';
import { type ApprovalQueue, createApprovalQueue } from './approvals/approval-queue.js';
import { createWebhook, type Webhook } from './approvals/webhook.js';
import { createBatchPolicy } from './confirmation/batch-policy.js';
import { createConfirm } from './confirmation/confirm.js';
import { createConfirmationTokens } from './confirmation/tokens.js';
import { type CallRecorder, createCallRecorder, createGatekeeper } from './gatekeeper.js';
import { auditKeyFile, keepHeads } from './journal-heads.js';
import { createQuotaService } from './quota/quota.js';
import type { QuotaService } from './quota/quota-types.js';
import { createRuleEngine } from './rules/rule-engine.js';
import type { RuleEngine } from './rules/rule-types.js';

export type { StoreState } from '../store/store-breaker.js';

/** Decides whether a call may run, and records what was decided. */
export interface PolicyService {
  readonly gatekeeper: Gatekeeper;
  readonly batches: BatchPolicy;
  readonly rules: RuleEngine;
  readonly audit: AuditTrail;
  /** Whether the state store works. */
  storeState(): StoreState;
  readonly recordCall: CallRecorder;
  readonly quota: QuotaService;
  /** Absent where no operator can be asked. */
  readonly approvals: ApprovalQueue | undefined;
  /** Revokes a token of the caller; resolves with the token's public id. */
  revokeToken(token: string, caller: Caller): Promise<string>;
  /** Ends what belongs to a session: its tokens and its open requests. */
  endSession(sessionId: string): void;
  close(): Promise<void>;
}

interface PolicyDeps {
  readonly observe: Observer;
  /** Which program this is, for the audit trail: `serve`, `stdio`, a command's name. */
  readonly process: string;
}

/** How often expired state is removed from the store; the specification allows an hour. */
const PURGE_MS = 600_000;

/**
 * Opens the audit trail and the store, and composes the policy service from them.
 * @throws StoreError when the store cannot be opened: without its state, tokens and quotas cannot be checked
 */
export async function openPolicy(config: GatewayConfig, deps: PolicyDeps): Promise<PolicyService> {
  const { observe } = deps;
  const opened = await openStore(config.store, {
    onProblem: (message) => observe({ kind: 'notice', level: 'warn', message }),
  });
  const { store, state: storeState } = guardStore(opened);
  const audit = await openAuditTrail(config.audit, {
    ...deps,
    keyFile: auditKeyFile(config.dataDir),
    heads: store.shared ? keepHeads(store, config) : undefined,
  });
  const { confirmation, approvals: settings } = config.policy;
  const redact = createRedactor(config.audit);
  const rules = createRuleEngine(config.policy, trustByUpstream(config));
  const configuration = fingerprintConfig(config);
  const tokens = createConfirmationTokens({ store, audit, config: confirmation, configuration });
  const webhook = openWebhook(config, audit, observe);
  const approvals = isOperatorReachable(config, store)
    ? createApprovalQueue({
        store,
        audit,
        config: settings,
        ...(webhook === undefined ? {} : { notify: webhook.send }),
      })
    : undefined;
  const confirming = { tokens, approvals, settings, audit, redact, view: createApproverView(config.audit) };

  const background = createBackground(observe);
  const purging = setInterval(() => background.run('purging the store', store.purge()), PURGE_MS).unref();
  return {
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
    rules,
    audit,
    storeState,
    quota: createQuotaService({ store, tokens, config, observe, answerBytes: mostBytesOf(config) }),
    recordCall: createCallRecorder(config.audit, audit, redact),
    approvals,
    revokeToken: async (token, caller) => (await tokens.revoke(token, caller)).id,
    endSession(sessionId) {
      background.run('ending the tokens of a session', tokens.endSession(sessionId));
      if (approvals !== undefined) background.run('ending the requests of a session', approvals.endSession(sessionId));
    },
    async close() {
      clearInterval(purging);
      await background.settled();
      await webhook?.close();
      await audit.close();
      await store.close();
    },
  };
}

/** The most bytes of data that an answer has. */
function mostBytesOf({ results, limits }: GatewayConfig): number {
  return results.maxBytes === 0 ? limits.maxResponseSize : results.maxBytes;
}

/** The trust of each upstream by slug; an upstream that is not configured is untested. */
function trustByUpstream({ upstreams }: GatewayConfig): (slug: string) => TrustLevel {
  const levels = new Map(upstreams.map(({ slug, trust }) => [slug, trust]));
  return (slug) => levels.get(slug) ?? 'untested';
}

/** The command line runs in another process and needs a shared store; the HTTP API needs a configured operator. */
function isOperatorReachable({ policy }: GatewayConfig, store: StateStore): boolean {
  const { operator, operators } = policy.approvals;
  return operator && (store.shared || operators.length > 0);
}

function openWebhook({ policy, server }: GatewayConfig, audit: AuditTrail, observe: Observer): Webhook | undefined {
  const { webhook, publicUrl = describeAddress(server) } = policy.approvals;
  return webhook === undefined ? undefined : createWebhook(webhook, { publicUrl, audit, observe });
}

/** A link cannot lead to a wildcard address, so `localhost` replaces it. */
function describeAddress({ host, port, tls }: GatewayConfig['server']): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const scheme = tls === undefined ? 'http' : 'https';
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Work that is awaited only when the service closes. A failure leaves records behind, which expire by themselves. */
function createBackground(observe: Observer) {
  const running = new Set<Promise<void>>();
  return {
    run(what: string, work: Promise<void>): void {
      const task = work
        .catch((cause: unknown) => {
          const why = cause instanceof Error ? cause.message : String(cause);
          observe({ kind: 'notice', level: 'warn', message: `${what} failed: ${why}` });
        })
        .finally(() => running.delete(task));
      running.add(task);
    },
    settled: async (): Promise<void> => void (await Promise.all(running)),
  };
}

/**
 * The digest of the configuration that a question was asked under. A token is valid only under the same configuration: a
 * change of a rule, a trust level, a curation or an upstream's endpoint voids every earlier confirmation. Gateways that share
 * a store must have equal digests, so nothing that is specific to one machine goes into it.
 */
function fingerprintConfig({ policy, upstreams, pins, lock }: GatewayConfig): string {
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
  return digest({ readOnly, rules, confirmation, upstreams: behind, pins, lock: lock.content ?? null });
}
