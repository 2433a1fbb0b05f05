import type { Observer } from '../base/observe/observation.js';
import type { Caller } from '../base/protocol/call.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { hasOperators } from '../config/policy-config.js';
import { publicUrlOf } from '../config/public-url.js';
import { guardStore, type StoreState } from '../store/fail-closed.js';
import { openStore } from '../store/open-store.js';
import type { StateStore } from '../store/state-store.js';
import { type ApprovalQueue, createApprovalQueue } from './approvals/approval-queue.js';
import { createWebhook, type Webhook } from './approvals/webhook.js';
import { type AuditTrail, openAuditTrail } from './audit/audit-trail.js';
import { createApproverView, createRedactor } from './audit/redact.js';
import type { KeepForCaller } from './confirmation/confirm.js';
import { UsedTokens } from './confirmation/kept-calls.js';
import { composeDecisions, type Decisions } from './decisions.js';
import { auditKeyFile, keepHeads } from './journal-heads.js';
import type { AccountOf, QuotaService } from './quota/quota-types.js';
import { type CallRecorder, createCallRecorder } from './rules/gatekeeper.js';
import type { BatchPolicy, Gatekeeper, RuleEngine } from './rules/policy-types.js';

export type { StoreState } from '../store/fail-closed.js';

/** Decides whether a call may run, and records what was decided. */
export interface PolicyService {
  readonly gatekeeper: Gatekeeper;
  /** What batches ask now; another configuration may have another. */
  readonly batches: BatchPolicy;
  readonly rules: RuleEngine;
  readonly audit: AuditTrail;
  /** What outlives a call and a restart. */
  readonly store: StateStore;
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
  /** What decides until the configuration changes: for who asks anew after each `apply`, and would rather not ask twice. */
  decisions(): Pick<Decisions, 'gatekeeper' | 'quota' | 'batches' | 'configuration'>;
  /** Decides by another configuration from now on. The store, the journal and the way to operators stay as they are. */
  apply(config: GatewayConfig): void;
  close(): Promise<void>;
}

interface PolicyDeps {
  readonly observe: Observer;
  /** Which program this is, for the audit trail: `serve`, `stdio`, a command's name. */
  readonly process: string;
  /** Keeps what a question shows in part, for the caller to read. */
  readonly keep?: KeepForCaller;
  /** All callers use the same accounts where absent. */
  readonly accountOf?: AccountOf;
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
  const { approvals: settings } = config.policy;
  const redact = createRedactor(config.audit);
  const webhook = openWebhook(config, audit, observe);
  const approvals = isOperatorReachable(config, store)
    ? createApprovalQueue({
        store,
        audit,
        config: settings,
        ...(webhook === undefined ? {} : { notify: webhook.send }),
      })
    : undefined;
  const view = createApproverView(config.audit);
  const inForce = (): string => decisions.configuration;
  const { keep } = deps;
  const parts = {
    store,
    audit,
    redact,
    observe,
    approvals,
    settings,
    view,
    used: new UsedTokens(),
    inForce,
    keep,
    accountOf: deps.accountOf,
  };
  let decisions = composeDecisions(config, parts);

  const background = createBackground(observe);
  const purging = setInterval(() => background.run('purging the store', store.purge()), PURGE_MS).unref();
  return {
    gatekeeper: {
      admit: (request) => decisions.gatekeeper.admit(request),
      decide: (request) => decisions.gatekeeper.decide(request),
      staticDecision: (operation, view) => decisions.gatekeeper.staticDecision(operation, view),
      recallOperation: (token, caller) => decisions.gatekeeper.recallOperation(token, caller),
      recall: (operation, token, caller) => decisions.gatekeeper.recall(operation, token, caller),
    },
    get batches() {
      return decisions.batches;
    },
    rules: {
      decide: (operation, args, caller) => decisions.rules.decide(operation, args, caller),
      staticDecision: (operation, view) => decisions.rules.staticDecision(operation, view),
      explain: (operation, args, caller) => decisions.rules.explain(operation, args, caller),
    },
    audit,
    store,
    storeState,
    quota: {
      get isIdle() {
        return decisions.quota.isIdle;
      },
      charge: (request) => decisions.quota.charge(request),
      chargeParts: (parts, made, characters) => decisions.quota.chargeParts(parts, made, characters),
      chargeRepeat: (operation, caller) => decisions.quota.chargeRepeat(operation, caller),
      noteLimits: (...limits) => decisions.quota.noteLimits(...limits),
      status: (caller, scope) => decisions.quota.status(caller, scope),
    },
    recordCall: createCallRecorder(config.audit, audit, redact),
    approvals,
    revokeToken: async (token, caller) => (await decisions.tokens.revoke(token, caller)).id,
    endSession(sessionId) {
      background.run('ending the tokens of a session', decisions.tokens.endSession(sessionId));
      if (approvals !== undefined) background.run('ending the requests of a session', approvals.endSession(sessionId));
    },
    decisions: () => decisions,
    apply(next) {
      decisions = composeDecisions(next, parts, decisions);
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

/** The command line runs in another process and needs a shared store; the HTTP API needs a configured operator. */
function isOperatorReachable({ policy }: GatewayConfig, store: StateStore): boolean {
  return policy.approvals.operator && (store.shared || hasOperators(policy.approvals));
}

function openWebhook({ policy, server }: GatewayConfig, audit: AuditTrail, observe: Observer): Webhook | undefined {
  const { webhook, publicUrl = publicUrlOf(server) } = policy.approvals;
  return webhook === undefined ? undefined : createWebhook(webhook, { publicUrl, audit, observe });
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
