import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../base/json/json.js';
import type { GatewayFigures } from '../base/observe/metrics/figures.js';
import type { Observer } from '../base/observe/observation.js';
import type { BeginTrace, Caller } from '../base/protocol/call.js';
import { type LogLevel, mostVerbose } from '../base/protocol/log-message.js';
import type { ToolSet } from '../base/protocol/tools.js';
import type { DefinitionSet } from '../catalog/integrity/definition-guard.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { ApprovalService } from '../policy/approvals/approval-queue.js';
import type { AuditEvent } from '../policy/audit/audit-event.js';
import { openPolicy, type PolicyService } from '../policy/policy.js';
import { describeActor } from '../policy/rules/gatekeeper.js';
import type { Explanation } from '../policy/rules/policy-types.js';
import type { SafetyOperators } from '../policy/safety/operators.js';
import { createResultService } from '../results/results.js';
import { listBinDirectories } from '../upstream/transport/resolve-command.js';
import { ServerLogs } from '../upstream/transport/server-logs.js';
import type { Upstream } from '../upstream/upstream.js';
import { createUpstreamPool, type UpstreamPool } from '../upstream/upstream-pool.js';
import type { IntrospectionPolicy } from './builtin/introspect/handler.js';
import { Usage } from './builtin/introspect/usage.js';
import { type Connections, Credentials } from './credentials.js';
import { type OperatorExecutions, openExecutions, openOperatorExecutions } from './executions.js';
import { FairCalls } from './fair-calls.js';
import { describeFigures } from './figures.js';
import { createHandlers } from './handlers.js';
import { openIntroductions } from './introductions.js';
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
import { Lifecycle } from './lifecycle.js';
import { createLiveCatalog, type NameSettings, NamesWait } from './live-catalog.js';
import { serverLogDirectory } from './log-review.js';
import { type Audience, Audiences, createNativeSurface, type NativeDeps, type NativeSurface } from './native.js';
import { openConfiguredSafety } from './open-safety.js';
import { explainPolicy, type PolicyQuestion } from './operator-api.js';
import { createWarnedOnce } from './pipeline/warnings.js';
import { createPrimitives } from './primitives/primitives.js';
import { ResourceLinks } from './primitives/resource-links.js';
import { type StatusParts, statusOf } from './read-status.js';
import { Reloader, type ReloadState } from './reload.js';
import type { ReloadPlan } from './reload-plan.js';
import { openReplicas, type Replicas } from './replicas.js';
import { reportChange, reportDiagnostic } from './report-diagnostic.js';
import { buildSnapshotInSlices } from './snapshot.js';
import type { GatewayStatus } from './status.js';
import { countUses, createSurface, type Reloading, type Surface } from './surface.js';
import { describeUnmatched } from './unmatched-rules.js';
import { type OpenedView, showInView, Views } from './views.js';

export type { Connections } from './credentials.js';
export type { NameSettings } from './live-catalog.js';
export type { NativeCall, NativeListener, NativeSurface } from './native.js';
export { withMeta } from './pipeline/shape.js';
export type { ReloadState } from './reload.js';
export type { Replicas } from './replicas.js';
export type { GatewayStatus, PlacedOperation, UpstreamSummary } from './status.js';
export type { ToolList } from './surface.js';
export { mayShow } from './view-filter.js';

/** What is recorded of entering and leaving the console. */
type SignInRecord = Pick<Extract<AuditEvent, { type: 'sign_in' }>, 'event' | 'way' | 'address' | 'reason'>;

/** A running gateway: the whole interface for servers and the command line. */
export interface Gateway extends Surface {
  /** The configuration that is in force at this moment. */
  readonly config: GatewayConfig;
  /** Reads the configuration anew and takes what changes. Never rejects: what is wrong with it is in the answer, and changes nothing. */
  reload(by: string): Promise<ReloadState>;
  /** Calls the listener with a configuration that has taken the place of the one in force; returns a function that removes it. */
  onReloaded(listener: (config: GatewayConfig) => void): () => void;
  /** What the view is for, in the operator's words. */
  readonly purpose?: string | undefined;
  /** The same gateway as a view shows it; undefined where there is no such view. */
  inView(name: string): Gateway | undefined;
  /** Resources, prompts and completions in MCP's own methods. */
  readonly native: NativeSurface;
  status(): GatewayStatus;
  /** What monitoring reads. */
  figures(): GatewayFigures;
  /** The upstreams' tool lists exactly as they sent them. */
  toolSets(): readonly ToolSet[];
  /** What the upstreams define beside tools, one set each, in the form in which the lock has it; undefined where that is not known. */
  definitions(): Promise<readonly DefinitionSet[] | undefined>;
  /** Which rule decides about an operation, and why. */
  explainPolicy(question: PolicyQuestion): Explanation;
  /** The budgets of calls, as they are for a caller. */
  quotaStatus(caller: Caller): Promise<JsonObject>;
  /** Records an operator's action in the audit trail. @param operator the name of the account or token */
  recordAdmin(action: string, details: JsonObject, operator: string, transport?: 'cli' | 'http'): void;
  /** Records who enters or leaves the console, and who is kept out. @param operator undefined where nobody is known */
  recordSignIn(signIn: SignInRecord, operator: string | undefined): void;
  /** The approval service for operators; absent where approvals by operators are not configured. */
  readonly approvals: ApprovalService | undefined;
  /** What operators see and decide of agents; absent where the safety loop is disabled. */
  readonly safety: SafetyOperators | undefined;
  /** What operators see and end of executions; absent where neither executions nor the safety loop are configured. */
  readonly executions: OperatorExecutions | undefined;
  /** How users connect their accounts of upstreams; absent where no upstream wants that. */
  readonly connections: Connections | undefined;
  /** Which of the upstreams' log messages a session wants: every upstream sends what any session asks for. */
  setLogLevel(sessionId: string, level: LogLevel): void;
  /** Starts or connects an upstream anew, whatever its state. Returns whether there is one of this name that is not disabled. */
  restartUpstream(name: string): boolean;
  /** Frees what belongs to a session; servers call it once when a session ends. */
  endSession(sessionId: string): void;
  /** Frees what this process has of a session that goes on in another one. */
  leaveSession(sessionId: string): void;
  /** What is shared with other gateways of the store; undefined where it is of one machine. */
  readonly replicas: Replicas | undefined;
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
  /** Absent where calls are not traced. */
  readonly beginTrace?: BeginTrace | undefined;
  /** The client name and version that the gateway sends to upstreams. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Where the gateway is installed: configurations can name programs of its own dependencies without a path. */
  readonly packageDirectory: string;
  /** The name of this process in the audit trail. */
  readonly process: string;
  /** A server's settings where absent. */
  readonly names?: NameSettings;
  /** Reads and validates the configuration anew; without it nothing can be reloaded. Rejects with a readable message. */
  readonly load?: () => Promise<GatewayConfig>;
  /** Whether one client has this process for its whole life, so that upstreams need not keep callers apart. */
  readonly oneClient?: boolean;
  /** Whether clients connect that upstreams may ask something; false where absent. */
  readonly servesClients?: boolean;
}

/** A server that starts with its neighbours may be some seconds late; a name that is given stays given. */
const SERVER_NAMES: NameSettings = { wait: 10_000, keep: true };

/** The longest time that clients wait for slow upstreams at start, in milliseconds. */
const WARM_UP_MS = 2_000;

/** The longest time that a reload takes to be reported because new upstreams start, in milliseconds. */
const RELOAD_PATIENCE_MS = 5_000;

/**
 * Composes the gateway: opens the store of policy, starts to connect every upstream and resolves without waiting for them.
 * Calls made before an upstream is ready wait for it or fail with an explanation.
 * @throws StoreError when the store cannot be opened
 */
export async function openGateway(config: GatewayConfig, deps: GatewayDeps): Promise<Gateway> {
  const { observe } = deps;
  /** What is in force; a reload replaces it. */
  const live = { config };
  const reloading: Reloading = { untilDone: undefined };
  const lifecycle = new Lifecycle((name, cause) => observe({ kind: 'defect', where: `closing ${name}`, cause }));
  const memory = await openCatalogMemory(() => live.config, deps);
  lifecycle.opened('kept catalog', () => memory.keeper.close());
  const policy = await openPolicy(config, deps);
  lifecycle.opened('policy', () => policy.close());
  const credentials = new Credentials(observe, policy);
  await credentials.prepare(config);
  const pool = createPool(config, deps, credentials);
  const replicas = await openReplicas(policy.store, () => live.config, observe);
  lifecycle.opened('replicas', () => replicas?.close());
  const results = createResultService(config.results, {
    isPrivate: ({ upstream }) => pool.upstreams.get(upstream)?.isIsolated === true,
    replicas: replicas && { bytes: replicas.results, key: () => replicas.keyFor('cursors') },
  });
  const executions = await openExecutions(config, { ...policy, observe, results });
  const safety = await openConfiguredSafety(config, { policy, observe, executions: executions?.registry });
  const running = executions?.registry ?? safety?.executions;
  if (safety !== undefined) lifecycle.opened('safety loop', () => safety.close());
  const judging = safety?.guard(policy) ?? policy;
  const links = new ResourceLinks(pool.upstreams);
  const largeAnswers = openLargeAnswers({ settings: () => live.config, results, links, observe });
  lifecycle.opened('threads', () => largeAnswers.close());
  const warnedOnce = createWarnedOnce();
  const handlers = createHandlers(config, pool.upstreams, policy, links);
  const usage = new Usage(replicas?.rankings);
  const audiences = new Audiences();
  const introductions = openIntroductions(
    () => live.config,
    pool.upstreams,
    (finding) => reportDiagnostic(finding, observe, policy.audit),
  );
  const primitives = createPrimitives({
    upstreams: pool.upstreams,
    links,
    guard: introductions.guard,
    isCounted: introductions.isShown,
    isAllowed: (operation, args, caller) => policy.rules.decide(operation, args, caller).effect === 'allow',
    onDiagnostic: (upstream, message) => observe({ kind: 'diagnostic', severity: 'warning', upstream, message }),
    onListChanged: (kind, upstream) => audiences.listChanged(kind, upstream),
    onResourceUpdated: (uri, subscribers) => audiences.tell((listener) => listener.resourceUpdated(uri, subscribers)),
  });
  const logLevels = new Map<string, LogLevel>();
  const configListeners = new Set<(config: GatewayConfig) => void>();
  const snapshotServices = {
    get config() {
      return live.config;
    },
    policy: describePolicy(policy),
    results,
    readPart: largeAnswers.readPart,
    usage,
    primitives,
    ...(safety === undefined ? {} : { safety }),
    executions: executions?.inSnapshots,
    connections: {
      absenceOf: (slug: string) => pool.upstreams.get(slug)?.absence(),
      introductionOf: introductions.of,
      retryNow: (slug: string) => pool.upstreams.get(slug)?.retryNow(),
    },
  };
  const views = new Views(config.views, snapshotServices);
  const catalog = createLiveCatalog({
    *build(offered) {
      const snapshot = yield* buildSnapshotInSlices({
        ...offered,
        ...snapshotServices,
        config: live.config,
        handlers,
      });
      yield* views.prepare(snapshot);
      return snapshot;
    },
    *onChange(before, after, known) {
      memory.keeper.keep(known);
      yield* reportChange(before, after, observe, policy.audit);
    },
    onDefect: (cause) => observe({ kind: 'defect', where: 'catalog', cause }),
    enabled: enabledOf(config),
    known: memory.known,
  });
  lifecycle.opened('upstreams', () => pool.close());
  lifecycle.opened('catalog', () => catalog.close());
  // What runs is cancelled before its upstream is gone.
  if (executions !== undefined) lifecycle.opened('executions', () => executions.registry.close());

  const stages = {
    live,
    reloading,
    calls: new FairCalls(config.server),
    beginTrace: deps.beginTrace,
    observe: countUses(usage, observe),
    results,
    isFirstWarning: warnedOnce.isFirstWarning,
    shapeLarge: largeAnswers.shape,
    openBackground: executions?.openBackground,
  };
  const surface = createSurface(catalog, { ...stages, policy: judging });
  const namesWait = new NamesWait((deps.names ?? SERVER_NAMES).wait, catalog);
  lifecycle.opened('waiting for names', () => namesWait.end());
  const connected = pool.connect({
    onTools(slug, tools) {
      // A server that lists its tools again may have restarted, so its cached answers may be stale.
      handlers.invalidate(slug);
      links.noteTools(slug, tools);
      catalog.offer(slug, tools);
    },
    onStateLost: handlers.invalidate,
    onLimits: policy.quota.noteLimits,
    onConnected(slug) {
      introductions.noteConnected(slug);
      primitives.noteChange(slug);
    },
    onListChanged: (slug, kind) => primitives.noteChange(slug, kind),
    onResourceUpdated: primitives.noteUpdate,
    onLog: (sessionId, message) => audiences.tell((listener) => listener.logged(sessionId, message)),
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
  const warnOfUnmatched = (): void => {
    const unmatched = describeUnmatched(live.config, catalog.current().catalog.operations);
    const misfits = views.describeMisfits(catalog.current());
    for (const message of [...unmatched, ...misfits]) observe({ kind: 'notice', level: 'warn', message });
  };
  const settled = connected.then(async () => {
    namesWait.allTried(enabledOf(config));
    await catalog.settled();
    warnOfUnmatched();
  });
  const warmedUp = Promise.race([connected, delay(WARM_UP_MS, undefined, { ref: false })]);
  void warmedUp.then(() => namesWait.warmedUp());
  const apply = async ({
    config: next,
    upstreams: { removed, replaced, adjusted },
    settings,
    views: changedViews,
  }: ReloadPlan): Promise<void> => {
    await credentials.prepare(next);
    live.config = next;
    views.replace(next.views);
    policy.apply(next);
    for (const listener of configListeners) listener(next);
    started = pool.reconfigure(next.upstreams);
    for (const { slug } of [...removed, ...replaced]) handlers.invalidate(slug);
    // What they define is compared with a changed lock, or by their changed trust.
    const judgedAnew = settings.includes('lock') ? next.upstreams : adjusted;
    for (const { slug } of [...removed, ...judgedAnew]) {
      introductions.forget(slug);
      primitives.forget(slug);
    }
    for (const { slug } of judgedAnew) {
      introductions.noteConnected(slug);
      primitives.noteChange(slug);
    }
    catalog.reconfigure(
      enabledOf(next),
      replaced.map(({ slug }) => slug),
    );
    applyLogLevel();
    await catalog.settled();
    audiences.viewsChanged(changedViews);
  };
  let started = Promise.resolve();
  const reloader = new Reloader({
    load: deps.load,
    current: () => live.config,
    async apply(plan) {
      reloading.untilDone = apply(plan).finally(() => {
        reloading.untilDone = undefined;
      });
      await reloading.untilDone;
      // Who asked for the reload may call what is new next.
      await Promise.race([started, delay(RELOAD_PATIENCE_MS, undefined, { ref: false })]);
      await catalog.settled();
      warnOfUnmatched();
    },
    observe,
    audit: policy.audit,
  });
  const statusParts: StatusParts = { policy, reloader, introductions, replicas };
  const applyLogLevel = (): void => {
    const least = mostVerbose(logLevels.values());
    if (least !== undefined) for (const upstream of pool.upstreams.values()) upstream.setLogLevel(least);
  };
  const openNative = (
    over: Pick<NativeDeps, 'primitives' | 'snapshot' | 'handle'>,
    whose: Omit<Audience, 'listeners'>,
  ) => {
    const { sees, listeners } = audiences.open(whose);
    const mayHaveMore = (): boolean =>
      [...pool.upstreams].some(([slug, upstream]) => sees(slug) && mayStillAnswer(upstream));
    return createNativeSurface({ ...over, mayHaveMore, listeners, endSubscriber: primitives.endSubscriber });
  };
  const openView = (view: OpenedView): Gateway =>
    showInView(view, {
      gateway,
      catalog,
      services: { ...stages, policy: judging },
      pool,
      statusParts,
      openNative: (over, shows) =>
        openNative(
          { ...over, primitives: primitives.within(shows) },
          { view: view.config.name, sees: (upstream) => view.filter.mayHave(upstream) },
        ),
    });
  const opened = new Map<string, Gateway>();
  const gateway: Gateway = {
    get config() {
      return live.config;
    },
    reload: (by) => reloader.reload(by),
    onReloaded(listener) {
      configListeners.add(listener);
      return () => configListeners.delete(listener);
    },
    settled,
    warmedUp,
    inView(name) {
      const view = views.open(name);
      if (view === undefined) return undefined;
      const shown = opened.get(name) ?? openView(view);
      opened.set(name, shown);
      return shown;
    },
    native: openNative(
      { primitives, snapshot: () => catalog.currentOfAll(), handle: (call) => gateway.handle(call) },
      { sees: () => true },
    ),
    ...surface,
    status: () => statusOf(catalog.current(), pool.statuses(), statusParts),
    toolSets: catalog.toolSets,
    definitions: () => introductions.join(catalog.toolSets(), primitives),
    figures: () =>
      describeFigures(gateway, catalog.current().plan, policy.audit.state(), {
        threads: largeAnswers.load(),
        executions: running?.counts(),
        replicas: replicas?.others(),
      }),
    explainPolicy: (question) => explainPolicy(policy.rules, question),
    quotaStatus: (caller) => policy.quota.status(caller),
    recordAdmin: (action, details, operator, transport = 'cli') =>
      policy.audit.record({ type: 'admin', action, details, actor: { operator, transport } }),
    recordSignIn: (signIn, operator) =>
      policy.audit.record({ type: 'sign_in', ...signIn, actor: { ...(operator && { operator }), transport: 'http' } }),
    approvals: policy.approvals,
    safety: safety?.operators,
    executions: openOperatorExecutions(executions?.registry ?? safety?.executions, policy.audit),
    get connections() {
      return credentials.connections;
    },
    setLogLevel(sessionId, level) {
      logLevels.set(sessionId, level);
      applyLogLevel();
    },
    replicas,
    restartUpstream: (name) => pool.restart(name),
    endSession(sessionId) {
      gateway.leaveSession(sessionId);
      running?.endSessionElsewhere(sessionId);
      policy.endSession(sessionId);
    },
    leaveSession(sessionId) {
      logLevels.delete(sessionId);
      running?.endSession(sessionId);
      results.endSession(sessionId);
      warnedOnce.endSession(sessionId);
      primitives.endSubscriber(sessionId);
      pool.endSession(sessionId);
    },
    close: () => lifecycle.close(),
  };
  return gateway;
}

/** What the lock and the last run say of names, and what keeps them for the next. */
async function openCatalogMemory(
  current: () => GatewayConfig,
  { observe, names = SERVER_NAMES }: GatewayDeps,
): Promise<{ readonly known: KnownCatalog; readonly keeper: CatalogKeeper }> {
  const { dataDir, lock, upstreams } = current();
  const file = join(dataDir, KEPT_CATALOG_FILE);
  const slugs = (): readonly string[] => current().upstreams.map(({ slug }) => slug);
  return {
    known: combineKnown(readLockedCatalog(lock.content, upstreams), await readKeptCatalog(file, observe)),
    keeper: names.keep ? createCatalogKeeper(file, slugs, observe) : KEEPS_NOTHING,
  };
}

function createPool(config: GatewayConfig, deps: GatewayDeps, { rightsOf }: Credentials): UpstreamPool {
  const { observe, clientInfo, packageDirectory, oneClient = false, servesClients = false } = deps;
  const binDirectories = listBinDirectories([config.directory, packageDirectory]);
  const logs = new ServerLogs({ directory: serverLogDirectory(config), observe });
  return createUpstreamPool(
    config.upstreams,
    { observe, clientInfo, binDirectories, logs, servesClients },
    { oneClient, rightsOf },
  );
}

/** Whether it has not connected yet, and is tried. */
function mayStillAnswer(upstream: Upstream): boolean {
  return upstream.capabilities() === undefined && upstream.absence()?.stopped === undefined;
}

/** By slug. */
function enabledOf({ upstreams }: GatewayConfig): readonly string[] {
  return upstreams.filter(({ disabled }) => !disabled).map(({ slug }) => slug);
}

/** The part of policy that introspection may show. */
function describePolicy({ gatekeeper, revokeToken, quota }: PolicyService): IntrospectionPolicy {
  return { staticDecision: gatekeeper.staticDecision, revokeToken, quotaStatus: quota.status };
}
