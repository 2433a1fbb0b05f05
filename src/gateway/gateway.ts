import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { IntrospectionPolicy } from '../builtin/introspect/handler.js';
import { Usage } from '../builtin/introspect/usage.js';
import { diffCatalogsInSlices } from '../catalog/build-catalog.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Sliced } from '../lib/turns.js';
import type { Observer } from '../observe/observation.js';
import { createFailureReader } from '../pipeline/read-tool-failure.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import { createWarnedOnce } from '../pipeline/warnings.js';
import type { ApprovalService } from '../policy/approvals/approval-queue.js';
import { describeActor } from '../policy/gatekeeper.js';
import { openPolicy, type PolicyService } from '../policy/policy.js';
import type { Explanation } from '../policy/rules/rule-types.js';
import { createPrimitives } from '../primitives/primitives.js';
import type { JsonObject } from '../protocol/json.js';
import { type LogLevel, mostVerbose } from '../protocol/log-message.js';
import type { Operation } from '../protocol/operation.js';
import type { ToolSet } from '../protocol/tools.js';
import { createResultService } from '../results/results.js';
import { ServerLogs } from '../upstream/server-logs.js';
import { listBinDirectories } from '../upstream/transport/resolve-command.js';
import type { Upstream } from '../upstream/upstream.js';
import { createUpstreamPool, type UpstreamPool } from '../upstream/upstream-pool.js';
import { createHandlers } from './handlers.js';
import {
  type CatalogKeeper,
  combineKnown,
  createCatalogKeeper,
  KEEPS_NOTHING,
  KEPT_CATALOG_FILE,
  type KnownCatalog,
  readKeptCatalog,
  readLockedCatalog,
} from './kept-catalog.js';
import { openLargeAnswers } from './large-answers.js';
import { createLiveCatalog, type LiveCatalog } from './live-catalog.js';
import { serverLogDirectory } from './log-review.js';
import { createNativeSurface, type NativeDeps, type NativeListener, type NativeSurface } from './native.js';
import { explainPolicy, type PolicyQuestion } from './operator-api.js';
import { buildSnapshotInSlices } from './snapshot.js';
import { describeDependencies, describeStatus, type GatewayStatus } from './status.js';
import { createSurface, type Surface } from './surface.js';
import { describeUnmatched } from './unmatched-rules.js';
import { type OpenedView, Views } from './views.js';

export type { NativeCall, NativeListener, NativeListKind, NativeSurface } from './native.js';
export type { GatewayStatus, NamedOperation, PlacedOperation, UpstreamSummary } from './status.js';
export type { ToolList } from './surface.js';

/** A running gateway: the whole interface for servers and the command line. */
export interface Gateway extends Surface {
  readonly config: GatewayConfig;
  /** What the view is for, in the operator's words. */
  readonly purpose?: string;
  /** The same gateway as a view shows it; undefined where there is no such view. */
  inView(name: string): Gateway | undefined;
  /** Resources, prompts and completions in MCP's own methods. */
  readonly native: NativeSurface;
  status(): GatewayStatus;
  /** The upstreams' tool lists exactly as they sent them. */
  toolSets(): readonly ToolSet[];
  /** Which rule decides about an operation, and why. */
  explainPolicy(question: PolicyQuestion): Explanation;
  /** Records an operator's action in the audit trail. @param operator the name of the account or token */
  recordAdmin(action: string, details: JsonObject, operator: string): void;
  /** The approval service for operators; absent where approvals by operators are not configured. */
  readonly approvals: ApprovalService | undefined;
  /** Which of the upstreams' log messages a session wants: every upstream sends what any session asks for. */
  setLogLevel(sessionId: string, level: LogLevel): void;
  /** Frees what belongs to a session; servers call it once when a session ends. */
  endSession(sessionId: string): void;
  /** Resolves when every enabled upstream has connected or failed once. Never rejects. */
  readonly settled: Promise<void>;
  /**
   * Resolves when clients may connect: when every upstream has been tried, or after a short time at the latest. What they ask
   * for waits for the tools that were listed until then, which are still being read.
   */
  readonly warmedUp: Promise<void>;
  /** Closes every upstream and frees all resources. Safe to call twice. */
  close(): Promise<void>;
}

export interface GatewayDeps {
  readonly observe: Observer;
  /** The client name and version that the gateway sends to upstreams. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Where the gateway is installed: configurations can name programs of its own dependencies without a path. */
  readonly packageDirectory: string;
  /** The name of this process in the audit trail. */
  readonly process: string;
  /** A server's settings where absent. */
  readonly names?: NameSettings;
  /** Whether one client has this process for its whole life, so that upstreams need not keep callers apart. */
  readonly oneClient?: boolean;
  /** Whether clients connect that upstreams may ask something; false where absent. */
  readonly servesClients?: boolean;
}

/** How a process treats the names of operations. */
export interface NameSettings {
  /** How long new names wait for an upstream never seen: milliseconds from its first start, or until all were tried once. */
  readonly wait: number | 'until tried';
  /** Whether names and lists are kept for the next start. */
  readonly keep: boolean;
}

/** A server that starts with its neighbours may be some seconds late; a name that is given stays given. */
const SERVER_NAMES: NameSettings = { wait: 10_000, keep: true };

/** The longest time that clients wait for slow upstreams at start, in milliseconds. */
const WARM_UP_MS = 2_000;

/**
 * Composes the gateway: opens the store of policy, starts to connect every upstream and resolves without waiting for them.
 * Calls made before an upstream is ready wait for it or fail with an explanation.
 * @throws StoreError when the store cannot be opened
 */
export async function openGateway(config: GatewayConfig, deps: GatewayDeps): Promise<Gateway> {
  const { observe } = deps;
  const lifecycle = new Lifecycle((name, cause) => observe({ kind: 'defect', where: `closing ${name}`, cause }));
  const memory = await openCatalogMemory(config, deps);
  lifecycle.opened('kept catalog', () => memory.keeper.close());
  const policy = await openPolicy(config, deps);
  lifecycle.opened('policy', () => policy.close());
  const pool = createPool(config, deps);
  const results = createResultService(config.results, {
    isPrivate: ({ upstream }) => pool.upstreams.get(upstream)?.isIsolated === true,
  });
  const largeAnswers = openLargeAnswers(config, results, observe);
  lifecycle.opened('threads', () => largeAnswers.close());
  const warnedOnce = createWarnedOnce();
  const handlers = createHandlers(config, pool.upstreams, policy);
  const usage = new Usage();
  const audiences: NativeAudience[] = [];
  const primitives = createPrimitives({
    upstreams: pool.upstreams,
    isAllowed: (operation, args, caller) => policy.rules.decide(operation, args, caller).effect === 'allow',
    onDiagnostic: (upstream, message) => observe({ kind: 'diagnostic', severity: 'warning', upstream, message }),
    onListChanged: (kind, upstream) => {
      for (const { listeners, sees } of audiences) {
        if (sees(upstream)) for (const listener of listeners) listener.listChanged(kind);
      }
    },
    onResourceUpdated: (uri, subscribers) => {
      for (const { listeners } of audiences)
        for (const listener of listeners) listener.resourceUpdated(uri, subscribers);
    },
  });
  const logLevels = new Map<string, LogLevel>();
  const enabled = config.upstreams.filter(({ disabled }) => !disabled).map(({ slug }) => slug);
  const snapshotServices = {
    config,
    policy: describePolicy(policy),
    results,
    readPart: largeAnswers.readPart,
    usage,
    primitives,
    connections: {
      absenceOf: (slug: string) => pool.upstreams.get(slug)?.absence(),
      introductionOf: (slug: string) => pool.upstreams.get(slug)?.introduction(),
      retryNow: (slug: string) => pool.upstreams.get(slug)?.retryNow(),
    },
  };
  const views = new Views(config.views, snapshotServices);
  const catalog = createLiveCatalog({
    *build(offered) {
      const snapshot = yield* buildSnapshotInSlices({ ...offered, ...snapshotServices, handlers });
      yield* views.prepare(snapshot);
      return snapshot;
    },
    *onChange(before, after, known) {
      memory.keeper.keep(known);
      yield* reportChange(before, after, observe, policy.audit);
    },
    onDefect: (cause) => observe({ kind: 'defect', where: 'catalog', cause }),
    enabled,
    known: memory.known,
  });
  lifecycle.opened('upstreams', () => pool.close());
  lifecycle.opened('catalog', () => catalog.close());

  const services = {
    config,
    policy,
    observe,
    usage,
    results,
    warnedOnce,
    largeAnswers,
    explainFailure: createFailureReader(config.errors.upstreamWords),
  };
  const surface = createSurface(catalog, services);
  const namesWait = new NamesWait((deps.names ?? SERVER_NAMES).wait, catalog);
  lifecycle.opened('waiting for names', () => namesWait.end());
  const connected = pool.connect({
    onTools(slug, tools) {
      // A server that lists its tools again may have restarted, so its cached answers may be stale.
      handlers.invalidate(slug);
      catalog.offer(slug, tools);
    },
    onStateLost: handlers.invalidate,
    onLimits: policy.quota.noteLimits,
    onConnected: (slug) => primitives.noteChange(slug),
    onListChanged: (slug, kind) => primitives.noteChange(slug, kind),
    onResourceUpdated: (slug, uri) => primitives.noteUpdate(slug, uri),
    onAsked: (upstream, { method, outcome, caller }) =>
      policy.audit.record({
        type: 'question',
        upstream,
        method,
        outcome,
        actor: caller === undefined ? {} : describeActor(caller),
      }),
    onFirstStart: (slug) => namesWait.started(slug),
    onCannotStart: (slug) => catalog.giveUpOn(slug),
  });
  const settled = connected.then(async () => {
    namesWait.allTried(enabled);
    await catalog.settled();
    const unmatched = describeUnmatched(config, catalog.current().catalog.operations);
    const misfits = views.describeMisfits(catalog.current());
    for (const message of [...unmatched, ...misfits]) observe({ kind: 'notice', level: 'warn', message });
  });
  const warmedUp = Promise.race([connected, delay(WARM_UP_MS, undefined, { ref: false })]);
  void warmedUp.then(() => namesWait.warmedUp());
  const openNative = (over: Pick<NativeDeps, 'primitives' | 'snapshot' | 'handle'>, sees: NativeAudience['sees']) => {
    const listeners = new Set<NativeListener>();
    audiences.push({ listeners, sees });
    const mayHaveMore = (): boolean =>
      [...pool.upstreams].some(([slug, upstream]) => sees(slug) && mayStillAnswer(upstream));
    return createNativeSurface({ ...over, mayHaveMore, listeners, endSubscriber: primitives.endSubscriber });
  };
  const openView = (view: OpenedView): Gateway => {
    const { name, endpoint, description } = view.config;
    const seen = view.over(catalog);
    const { handle, ...rest } = createSurface(seen, { ...services, policy: inView(policy, name) });
    const handleInView: Gateway['handle'] = (call) =>
      handle(call.caller.view === name ? call : { ...call, caller: { ...call.caller, view: name } });
    const shows = (upstream: string): boolean => seen.current().upstreams.has(upstream);
    const over = { primitives: primitives.within(shows), snapshot: seen.currentOfAll, handle: handleInView };
    return {
      ...gateway,
      ...rest,
      handle: handleInView,
      config: { ...config, endpoint },
      ...(description === undefined ? {} : { purpose: description }),
      native: openNative(over, view.filter.mayHave),
      status: () =>
        statusOf(
          seen.current(),
          pool.statuses().filter(({ slug }) => shows(slug)),
          policy,
        ),
      toolSets: () => catalog.toolSets().filter(({ upstream }) => shows(upstream)),
      explainPolicy: (question) => gateway.explainPolicy({ ...question, view: name }),
    };
  };
  const opened = new Map<string, Gateway>();
  const gateway: Gateway = {
    config,
    settled,
    warmedUp,
    inView(name) {
      const view = views.open(name);
      const known = opened.get(name) ?? (view === undefined ? undefined : openView(view));
      if (known !== undefined) opened.set(name, known);
      return known;
    },
    native: openNative(
      { primitives, snapshot: () => catalog.currentOfAll(), handle: (call) => gateway.handle(call) },
      () => true,
    ),
    ...surface,
    status: () => statusOf(catalog.current(), pool.statuses(), policy),
    toolSets: catalog.toolSets,
    explainPolicy: (question) => explainPolicy(policy.rules, question),
    recordAdmin: (action, details, operator) =>
      policy.audit.record({ type: 'admin', action, details, actor: { operator, transport: 'cli' } }),
    approvals: policy.approvals,
    setLogLevel(sessionId, level) {
      logLevels.set(sessionId, level);
      const least = mostVerbose(logLevels.values());
      if (least !== undefined) for (const upstream of pool.upstreams.values()) upstream.setLogLevel(least);
    },
    endSession(sessionId) {
      logLevels.delete(sessionId);
      results.endSession(sessionId);
      warnedOnce.endSession(sessionId);
      policy.endSession(sessionId);
      primitives.endSubscriber(sessionId);
      pool.endSession(sessionId);
    },
    close: () => lifecycle.close(),
  };
  return gateway;
}

/** What the lock and the last run say of names, and what keeps them for the next. */
async function openCatalogMemory(
  { dataDir, lock, upstreams }: GatewayConfig,
  { observe, names = SERVER_NAMES }: GatewayDeps,
): Promise<{ readonly known: KnownCatalog; readonly keeper: CatalogKeeper }> {
  const file = join(dataDir, KEPT_CATALOG_FILE);
  const slugs = upstreams.map(({ slug }) => slug);
  return {
    known: combineKnown(readLockedCatalog(lock.content, upstreams), await readKeptCatalog(file, observe)),
    keeper: names.keep ? createCatalogKeeper(file, slugs, observe) : KEEPS_NOTHING,
  };
}

/**
 * The time that new names wait for upstreams: those of an earlier run have the time of the start, those never seen have their own
 * from when each is started, so that one which hangs costs the others no more than that (docs/adr/0016-names-belong-to-upstreams.md).
 */
class NamesWait {
  readonly #wait: NameSettings['wait'];
  readonly #catalog: LiveCatalog;
  readonly #timers = new Set<NodeJS.Timeout>();
  #isEnded = false;

  constructor(wait: NameSettings['wait'], catalog: LiveCatalog) {
    this.#wait = wait;
    this.#catalog = catalog;
  }

  started(slug: string): void {
    if (this.#isEnded || this.#wait === 'until tried') return;
    this.#timers.add(setTimeout(() => this.#catalog.giveUpOn(slug), this.#wait).unref());
  }

  allTried(slugs: readonly string[]): void {
    if (this.#isEnded || this.#wait !== 'until tried') return;
    for (const slug of slugs) this.#catalog.giveUpOn(slug);
  }

  warmedUp(): void {
    if (!this.#isEnded) this.#catalog.stopWaitingForKnown();
  }

  end(): void {
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

function createPool(config: GatewayConfig, deps: GatewayDeps): UpstreamPool {
  const { observe, clientInfo, packageDirectory, oneClient = false, servesClients = false } = deps;
  const binDirectories = listBinDirectories([config.directory, packageDirectory]);
  const logs = new ServerLogs({ directory: serverLogDirectory(config), observe });
  return createUpstreamPool(
    config.upstreams,
    { observe, clientInfo, binDirectories, logs, servesClients },
    { oneClient },
  );
}

/** Whether it has not connected yet, and is tried. */
function mayStillAnswer(upstream: Upstream): boolean {
  return upstream.capabilities() === undefined && upstream.absence()?.stopped === undefined;
}

/** The part of policy that introspection may show. */
function describePolicy({ gatekeeper, revokeToken, quota }: PolicyService): IntrospectionPolicy {
  return { staticDecision: gatekeeper.staticDecision, revokeToken, quotaStatus: quota.status };
}

function statusOf(
  snapshot: Snapshot,
  statuses: ReturnType<UpstreamPool['statuses']>,
  policy: Pick<PolicyService, 'audit' | 'storeState'>,
): GatewayStatus {
  return describeStatus(snapshot, statuses, describeDependencies(policy.audit.state(), policy.storeState()));
}

/** Who hears of changes of which upstreams' resources and prompts. */
interface NativeAudience {
  readonly listeners: Set<NativeListener>;
  sees(upstream: string): boolean;
}

/** Policy as it holds for all calls of a view. */
function inView(
  policy: PolicyService,
  view: string,
): Pick<PolicyService, 'gatekeeper' | 'batches' | 'quota' | 'recordCall'> {
  const { gatekeeper } = policy;
  const staticDecision = (operation: Operation) => gatekeeper.staticDecision(operation, view);
  return { ...policy, gatekeeper: { ...gatekeeper, staticDecision } };
}

function* reportChange(before: Snapshot, after: Snapshot, observe: Observer, audit: AuditTrail): Sliced<void> {
  const change = yield* diffCatalogsInSlices(before.catalog, after.catalog);
  observe({ kind: 'catalog', operations: after.catalog.operations.length, ...change });
  const known = new Set(before.catalog.diagnostics.map(({ message }) => message));
  for (const diagnostic of after.catalog.diagnostics) {
    if (known.has(diagnostic.message)) continue;
    yield;
    observe({ ...diagnostic, kind: 'diagnostic' });
    const { severity, upstream, tool, message } = diagnostic;
    if (severity === 'info') continue;
    audit.record({ type: 'integrity', severity, upstream, message, ...(tool === undefined ? {} : { tool }) });
  }
}

/** Resources opened in order and closed in reverse order, even when opening stops halfway. */
export class Lifecycle {
  readonly #closers: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  readonly #onFault: (name: string, cause: unknown) => void;
  #closing: Promise<void> | undefined;

  /** @param onFault called when closing a resource fails; the others are still closed */
  constructor(onFault: (name: string, cause: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Registers a resource that was just opened. */
  opened(name: string, close: () => Promise<void> | void): void {
    this.#closers.push({ name, close });
  }

  /** Closes all resources, last opened first. A second call waits for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const { name, close } of this.#closers.toReversed()) {
      try {
        await close();
      } catch (cause) {
        this.#onFault(name, cause);
      }
    }
  }
}
