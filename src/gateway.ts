import { setTimeout as delay } from 'node:timers/promises';
import { buildSnapshot } from './build-snapshot.js';
import { diffCatalogs } from './catalog/diff-catalogs.js';
import { createResultDesk } from './collection/desk/create-result-desk.js';
import type { GatewayConfig } from './config/gateway-config.js';
import { describeStatus, type GatewayStatus, type PlacedOperation, placeOperations } from './describe-status.js';
import type { EndpointPlan } from './endpoint/endpoint-plan.js';
import { explainPolicy, type PolicyQuestion } from './explain-policy.js';
import { createCachedHandler } from './handler/create-cached-handler.js';
import { createMergingHandler } from './handler/create-merging-handler.js';
import { findOperation } from './handler/find-operation.js';
import { createInnerCalls } from './inner-calls.js';
import { Lifecycle } from './lifecycle.js';
import type { Observer } from './observe/observation.js';
import { createBatchRunner } from './pipeline/batch/create-batch-runner.js';
import { readBatch } from './pipeline/batch/read-batch.js';
import { createPipeline } from './pipeline/pipeline.js';
import type { SearchHit, Snapshot } from './pipeline/snapshot.js';
import { fromFailedTool } from './pipeline/upstream-words.js';
import { createToldOnce } from './pipeline/warnings/create-told-once.js';
import type { ApprovalDesk } from './policy/approvals/approval.js';
import type { AuditTrail } from './policy/audit/audit-trail.js';
import { openPolicyDesk } from './policy/open-policy-desk.js';
import type { Explanation } from './policy/rules/rule-book.js';
import type { OperationHandler } from './protocol/handler.js';
import { OperationError } from './protocol/operation-error.js';
import type { RawCall } from './protocol/raw-call.js';
import type { ToolSet } from './protocol/raw-tool.js';
import type { Reply } from './protocol/result.js';
import { listBinDirectories } from './upstream/bin-directories.js';
import { openUpstreamPool, type UpstreamPool } from './upstream/upstream-pool.js';

/** The gateway's own MCP tools, as values and as the JSON text that is sent. */
export type ToolList = Pick<EndpointPlan, 'tools' | 'toolsJson'>;

export type { GatewayStatus, PlacedOperation, UpstreamSummary } from './describe-status.js';

/** A running gateway. Fronts and the command line see this and nothing behind it. */
export interface Gateway {
  readonly config: GatewayConfig;
  /** Answers one MCP tool call. Never rejects: every fault is an answer. */
  handle(call: RawCall): Promise<Reply>;
  toolList(): ToolList;
  /** Calls the listener when the tool list's JSON has changed; returns the way to stop. */
  onToolsChanged(listener: () => void): () => void;
  status(): GatewayStatus;
  /** Every operation at this moment, ordered by name, with the family that shows it. */
  operations(): readonly PlacedOperation[];
  /** The operations that answer to a request in anybody's words, best first; builds the index at first use. */
  search(query: string, limit: number): Promise<readonly SearchHit[]>;
  /** The upstreams' tool lists exactly as they sent them. */
  toolSets(): readonly ToolSet[];
  /** Which rule decides about an operation, and why. */
  explainPolicy(question: PolicyQuestion): Explanation;
  /** The operators' desk; absent where no operator can be asked. */
  readonly approvals: ApprovalDesk | undefined;
  /** Ends what belongs to a session: fronts call it once for each session that is over. */
  endSession(sessionId: string): void;
  /** Resolves when every enabled upstream has connected or failed once. Never rejects. */
  readonly settled: Promise<void>;
  /**
   * Resolves when it is time to let clients in: as soon as every upstream has been tried, but soon in any case. Many clients
   * read the tool list once and never again, so a moment's patience gives them the whole of it.
   */
  readonly warmedUp: Promise<void>;
  /** Ends every upstream and frees everything. Safe to call twice. */
  close(): Promise<void>;
}

/** How long clients wait at most for slow upstreams at start, in milliseconds. */
const WARM_UP_MS = 2_000;

export interface GatewayDeps {
  readonly observe: Observer;
  /** What the gateway calls itself towards upstreams. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Where the gateway itself is installed: programs of its own dependencies may be named without a path. */
  readonly packageDirectory: string;
  /** Which program this is, for the audit trail. */
  readonly process: string;
}

/**
 * Puts the house together: opens the gate's state, starts connecting every upstream and resolves. Calls made before an
 * upstream is ready wait for it or are told so.
 * @throws StoreError when the gate's state cannot be kept
 */
export async function openGateway(config: GatewayConfig, deps: GatewayDeps): Promise<Gateway> {
  const { observe } = deps;
  const policy = await openPolicyDesk(config, deps);
  const results = createResultDesk(config.results);
  const toldOnce = createToldOnce();
  const lifecycle = new Lifecycle((name, cause) => observe({ kind: 'defect', where: `closing ${name}`, cause }));
  const toolSets = new Map<string, ToolSet>();
  const firstToolSets = new Map<string, ToolSet>();
  const listeners = new Set<() => void>();
  lifecycle.opened('policy', () => policy.close());

  // Reads that belong to a write look past the cache, so the cache is outermost.
  const upstreams = createCachedHandler({
    inner: createMergingHandler({
      inner: createUpstreamHandler((slug) => pool.get(slug)),
      findOperation: (upstream, name) => findOperation(snapshot.catalog, upstream, name),
      explainFailure: fromFailedTool,
    }),
    maxBytes: config.cache.maxBytes,
  });
  const takeSnapshot = (): Snapshot =>
    buildSnapshot({
      config,
      toolSets: toolSets.values(),
      firstToolSets,
      policy: { outlook: policy.gatekeeper.outlook, revokeToken: policy.revokeToken, quotaStatus: policy.quota.status },
      results,
      innerCalls: createInnerCalls(
        (raw) => pipeline(raw, snapshot),
        () => snapshot,
      ),
      upstreamHandler: upstreams.handle,
    });
  let snapshot = takeSnapshot();
  let rebuild: NodeJS.Immediate | undefined;

  /** Several lists read in one turn make one catalog. */
  const scheduleRebuild = (): void => {
    rebuild ??= setImmediate(applyToolSets);
  };
  const applyToolSets = (): void => {
    clearImmediate(rebuild);
    rebuild = undefined;
    const before = snapshot;
    snapshot = takeSnapshot();
    reportChange(before, snapshot, observe, policy.audit);
    if (before.plan.toolsJson !== snapshot.plan.toolsJson) for (const listener of listeners) listener();
  };

  const pool: UpstreamPool = openUpstreamPool(config.upstreams, {
    observe,
    clientInfo: deps.clientInfo,
    binDirectories: listBinDirectories([config.directory, deps.packageDirectory]),
    events: {
      onTools(slug, tools) {
        const toolSet = { upstream: slug, tools };
        toolSets.set(slug, toolSet);
        // Whoever lists tools anew may have started anew.
        upstreams.invalidate(slug);
        if (!firstToolSets.has(slug)) firstToolSets.set(slug, toolSet);
        scheduleRebuild();
      },
      onLimits: policy.quota.noteLimits,
    },
  });
  lifecycle.opened('upstreams', () => pool.close());
  lifecycle.opened('catalog', () => clearImmediate(rebuild));

  const pipeline = createPipeline({
    gatekeeper: policy.gatekeeper,
    quota: policy.quota,
    limits: config.limits,
    observe,
    recordCall: policy.recordCall,
    results,
    isNews: toldOnce.isNews,
    slowMs: config.warnings.slowMs,
  });
  const batch = createBatchRunner({
    callOne: pipeline,
    ...config.batch,
    answerBytes: config.results.maxBytes,
    limits: config.limits,
    observe,
  });
  const settled = pool.settled.then(() => {
    if (rebuild !== undefined) applyToolSets();
  });
  const warmedUp = Promise.race([settled, delay(WARM_UP_MS, undefined, { ref: false })]);

  return {
    config,
    settled,
    warmedUp,
    handle(call) {
      const operations = readBatch(call);
      return operations === undefined ? pipeline(call, snapshot) : batch(call, operations, snapshot);
    },
    toolList: () => snapshot.plan,
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    status: () => describeStatus(snapshot, pool.statuses()),
    operations: () => placeOperations(snapshot),
    search: (query, limit) => snapshot.search(query, limit),
    toolSets: () => [...toolSets.values()],
    explainPolicy: (question) => explainPolicy(policy.rules, question),
    approvals: policy.approvals,
    endSession(sessionId) {
      results.endSession(sessionId);
      toldOnce.endSession(sessionId);
      policy.endSession(sessionId);
    },
    close: () => lifecycle.close(),
  };
}

/** Upstream tools as handlers: the operation says which upstream and which tool. */
function createUpstreamHandler(find: UpstreamPool['get']): OperationHandler {
  return async ({ operation, arguments: args, cancellation, onProgress }) => {
    const upstream = find(operation.upstream);
    if (upstream === undefined) {
      const message = `Internal error: 'upstream ${operation.upstream} is not connected'`;
      throw new OperationError('INTERNAL_ERROR', message, { upstream: operation.upstream, retryable: true });
    }
    const toolResult = await upstream.call({
      tool: operation.tool,
      arguments: args,
      retryable: operation.retryable,
      cancellation,
      ...(operation.timeoutMs === undefined ? {} : { timeoutMs: operation.timeoutMs }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    return { toolResult };
  };
}

function reportChange(before: Snapshot, after: Snapshot, observe: Observer, audit: AuditTrail): void {
  const change = diffCatalogs(before.catalog, after.catalog);
  observe({ kind: 'catalog', operations: after.catalog.operations.length, ...change });
  const known = new Set(before.catalog.findings.map(({ message }) => message));
  for (const finding of after.catalog.findings) {
    if (known.has(finding.message)) continue;
    observe({ ...finding, kind: 'finding' });
    const { severity, upstream, tool, message } = finding;
    if (severity === 'info') continue;
    audit.record({ type: 'integrity', severity, upstream, message, ...(tool === undefined ? {} : { tool }) });
  }
}
