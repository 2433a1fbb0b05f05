import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../base/json/json.js';
import type { GatewayFigures } from '../base/observe/metrics/figures.js';
import type { Caller } from '../base/protocol/call.js';
import { type LogLevel, mostVerbose } from '../base/protocol/log-message.js';
import type { ToolSet } from '../base/protocol/tools.js';
import type { DefinitionSet } from '../catalog/integrity/definition-guard.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { ApprovalService } from '../policy/approvals/approval-queue.js';
import type { AuditEvent } from '../policy/audit/audit-event.js';
import type { Explanation } from '../policy/rules/policy-types.js';
import type { SafetyOperators } from '../policy/safety/operators.js';
import type { Upstream } from '../upstream/upstream.js';
import type { UpstreamPool } from '../upstream/upstream-pool.js';
import { connectServers } from './connect-servers.js';
import type { Connections } from './credentials.js';
import { type OperatorExecutions, openOperatorExecutions } from './executions.js';
import { FairCalls } from './fair-calls.js';
import { describeFigures } from './figures.js';
import { type Foundations, type GatewayDeps, openFoundations } from './foundations.js';
import { SERVER_NAMES } from './kept-catalog.js';
import { type Audience, createNativeSurface, type NativeDeps, type NativeSurface } from './native.js';
import { type OpenedCatalog, openCatalog } from './open-catalog.js';
import { explainPolicy, type PolicyQuestion } from './operator-api.js';
import { Parts } from './parts.js';
import { createWarnedOnce } from './pipeline/warnings.js';
import { Reloader, type ReloadState } from './reload.js';
import type { ReloadPlan } from './reload-plan.js';
import type { Replicas } from './replicas.js';
import { listEnabled } from './snapshot.js';
import { type GatewayStatus, type StatusParts, statusOf } from './status.js';
import { countUses, createSurface, type Reloading, type Surface, type SurfaceServices } from './surface.js';
import { describeUnmatched } from './unmatched-rules.js';
import { type OpenedView, showInView } from './views.js';

export type { Connections } from './credentials.js';
export type { GatewayDeps } from './foundations.js';
export type { NameSettings } from './kept-catalog.js';
export type { NativeCall, NativeListener, NativeSurface } from './native.js';
export { withMeta } from './pipeline/shape.js';
export type { ReloadState } from './reload.js';
export type { Replicas } from './replicas.js';
export type { GatewayStatus, PlacedOperation, UpstreamSummary } from './status.js';
export type { ServerWords, ToolList } from './surface.js';
export { mayShow } from './view-filter.js';

/** What is recorded of entering and leaving the console. */
type SignInRecord = Pick<Extract<AuditEvent, { type: 'sign_in' }>, 'event' | 'way' | 'address' | 'reason'>;

/** What commands look at, whether its servers run or what they listed was captured. */
export interface Inspected
  extends Pick<Surface, 'handle' | 'shown' | 'toolList' | 'operations' | 'findOperation' | 'search'> {
  /** The configuration that is in force at this moment. */
  readonly config: GatewayConfig;
  /** The same as a view shows it; undefined where there is no such view. */
  inView(name: string): Inspected | undefined;
  /** The upstreams' tool lists exactly as they sent them. */
  toolSets(): readonly ToolSet[];
  /** What the upstreams define beside tools, one set each, in the form in which the lock has it; undefined where that is not known. */
  definitions(): Promise<readonly DefinitionSet[] | undefined>;
  /** Which rule decides about an operation, and why. */
  explainPolicy(question: PolicyQuestion): Explanation;
  status(): GatewayStatus;
  /** Reads the configuration anew and takes what changes. Never rejects: what is wrong with it is in the answer, and changes nothing. */
  reload(by: string): Promise<ReloadState>;
  /** Records an operator's action in the audit trail. @param operator the name of the account or token */
  recordAdmin(action: string, details: JsonObject, operator: string, transport?: 'cli' | 'http'): void;
}

/** A running gateway: the whole interface for servers and the command line. */
export interface Gateway extends Inspected, Surface {
  /** Calls the listener with a configuration that has taken the place of the one in force; returns a function that removes it. */
  onReloaded(listener: (config: GatewayConfig) => void): () => void;
  /** What the view is for, in the operator's words. */
  readonly purpose?: string | undefined;
  inView(name: string): Gateway | undefined;
  /** Resources, prompts and completions in MCP's own methods. */
  readonly native: NativeSurface;
  /** What monitoring reads. */
  figures(): GatewayFigures;
  /** The budgets of calls, as they are for a caller. */
  quotaStatus(caller: Caller): Promise<JsonObject>;
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

/** The longest time that a reload takes to be reported because new upstreams start, in milliseconds. */
const RELOAD_PATIENCE_MS = 5_000;

/**
 * Composes the gateway: opens the store of policy, starts to connect every upstream and resolves without waiting for them.
 * Calls made before an upstream is ready wait for it or fail with an explanation.
 * @throws StoreError when the store cannot be opened
 */
export async function openGateway(config: GatewayConfig, deps: GatewayDeps): Promise<Gateway> {
  const { observe, names = SERVER_NAMES } = deps;
  const parts = new Parts((name, cause) => observe({ kind: 'defect', where: `closing ${name}`, cause }));
  const foundations = await openFoundations(config, deps, parts);
  const { live, policy, pool, executions } = foundations;
  const opened = openCatalog(foundations, observe, parts);
  const { catalog, views, introductions, audiences } = opened;
  const listeners = new Set<(config: GatewayConfig) => void>();
  parts.add('listeners', {
    apply({ config: next }) {
      for (const listener of listeners) listener(next);
    },
  });
  const servers = addServers(foundations, opened, parts);
  const logLevels = new LogLevels(pool);
  parts.add('log levels', { apply: () => logLevels.apply() });
  parts.add('catalog', {
    apply: (plan) => reconfigureCatalog(catalog, plan),
    close: () => catalog.close(),
  });
  parts.add('audiences', { apply: ({ views: changed }) => audiences.viewsChanged(changed) });
  // What runs is cancelled before its upstream is gone.
  parts.add('executions', { close: () => executions?.registry.close() });
  const { tried, warmedUp } = connectServers(foundations, opened, names, parts);
  const warnOfUnmatched = (): void => {
    const unmatched = describeUnmatched(live.config, catalog.current().catalog.operations);
    const misfits = views.describeMisfits(catalog.current());
    for (const message of [...unmatched, ...misfits]) observe({ kind: 'notice', level: 'warn', message });
  };
  const reloading: Reloading = { untilDone: undefined };
  const reloader = new Reloader({
    load: deps.load,
    current: () => live.config,
    async apply(plan) {
      reloading.untilDone = parts.apply(plan).finally(() => {
        reloading.untilDone = undefined;
      });
      await reloading.untilDone;
      // Who asked for the reload may call what is new next.
      await Promise.race([servers.started(), delay(RELOAD_PATIENCE_MS, undefined, { ref: false })]);
      await catalog.settled();
      warnOfUnmatched();
    },
    observe,
    audit: policy.audit,
  });
  return createGateway({
    foundations,
    opened,
    reloader,
    deps,
    listeners,
    logLevels,
    reloading,
    statusParts: {
      policy,
      reloader,
      introductions,
      replicas: foundations.replicas,
      catalog,
      accounts: opened.accounts,
    },
    settled: tried.then(warnOfUnmatched),
    warmedUp,
    close: () => parts.close(),
  });
}

/** Servers, and what is kept of each: what a reload changes of one is dropped, and asked anew. */
function addServers(
  { pool, links }: Foundations,
  { handlers, introductions, primitives, readerCatalog }: OpenedCatalog,
  parts: Parts,
): { readonly started: () => Promise<void> } {
  let started = Promise.resolve();
  parts.add('upstreams', {
    apply({ config }) {
      started = pool.reconfigure(config.upstreams);
    },
    close: () => pool.close(),
  });
  parts.add('cached answers', {
    apply({ upstreams: { removed, replaced } }) {
      for (const { slug } of [...removed, ...replaced]) handlers.invalidate(slug);
    },
  });
  parts.add('definitions', {
    apply({ config, upstreams: { removed, reassigned, adjusted }, settings }) {
      // What they define is compared with a changed lock, or by their changed trust.
      const judgedAnew = settings.includes('lock') ? config.upstreams : adjusted;
      for (const { slug } of [...removed, ...reassigned, ...judgedAnew]) {
        introductions.forget(slug);
        primitives.forget(slug);
      }
      for (const { slug } of [...removed, ...reassigned]) {
        readerCatalog.forget(slug);
        links.forget(slug);
      }
      for (const { slug } of judgedAnew) {
        introductions.noteConnected({ upstream: slug, owner: undefined });
        primitives.noteChange({ upstream: slug, owner: undefined });
      }
    },
  });
  return { started: () => started };
}

/** Settings that are asked for with each call alone; policy decides what is offered, too. */
const ASKED_AT_CALLS: ReadonlySet<string> = new Set(['quotas', 'clients']);

function reconfigureCatalog(
  catalog: OpenedCatalog['catalog'],
  { config, upstreams, views, settings }: ReloadPlan,
): Promise<void> {
  const isConcerned = views.length > 0 || Object.values(upstreams).some((changed) => changed.length > 0);
  if (isConcerned || settings.some((each) => !ASKED_AT_CALLS.has(each)))
    catalog.reconfigure(
      listEnabled(config.upstreams),
      upstreams.replaced.map(({ slug }) => slug),
      upstreams.reassigned.map(({ slug }) => slug),
    );
  return catalog.settled();
}

/** Which of the upstreams' log messages each session wants: every upstream sends what any of them asks for. */
class LogLevels {
  readonly #levels = new Map<string, LogLevel>();
  readonly #pool: Pick<UpstreamPool, 'upstreams'>;

  constructor(pool: Pick<UpstreamPool, 'upstreams'>) {
    this.#pool = pool;
  }

  set(sessionId: string, level: LogLevel): void {
    this.#levels.set(sessionId, level);
    this.apply();
  }

  endSession(sessionId: string): void {
    this.#levels.delete(sessionId);
  }

  /** Tells servers that may be new. */
  apply(): void {
    const least = mostVerbose(this.#levels.values());
    if (least !== undefined) for (const upstream of this.#pool.upstreams.values()) upstream.setLogLevel(least);
  }
}

/** What the face of a gateway is made of. */
interface GatewayParts extends Pick<Gateway, 'settled' | 'warmedUp' | 'close'> {
  readonly foundations: Foundations;
  readonly opened: OpenedCatalog;
  readonly reloader: Reloader;
  readonly deps: Pick<GatewayDeps, 'observe' | 'beginTrace'>;
  readonly listeners: Set<(config: GatewayConfig) => void>;
  readonly logLevels: LogLevels;
  readonly reloading: Reloading;
  readonly statusParts: StatusParts;
}

/** The gateway as servers, the console and the command line see it. */
function createGateway(parts: GatewayParts): Gateway {
  const { foundations, opened, reloader, deps, listeners, logLevels, statusParts } = parts;
  const { live, policy, credentials, pool, replicas, results, executions, modules, safety, largeAnswers } = foundations;
  const { catalog, readerCatalog, readers, views, primitives, introductions, usage, audiences } = opened;
  const running = executions?.registry ?? safety?.executions;
  const warnedOnce = createWarnedOnce();
  const services: SurfaceServices = {
    live,
    reloading: parts.reloading,
    calls: new FairCalls(live.config.server),
    beginTrace: deps.beginTrace,
    observe: countUses(usage, deps.observe),
    noteProduct: (upstream, product) => usage.noteProduct(upstream, product),
    results,
    isFirstWarning: warnedOnce.isFirstWarning,
    shapeLarge: largeAnswers.shape,
    openBackground: executions?.openBackground,
    policy: safety?.guard(policy) ?? policy,
  };
  const openNative = (
    over: Pick<NativeDeps, 'primitivesOf' | 'snapshot' | 'handle'>,
    whose: Omit<Audience, 'listeners'>,
  ): NativeSurface => {
    const { sees, listeners: audience } = audiences.open(whose);
    const mayHaveMore = (): boolean =>
      [...pool.upstreams].some(([slug, upstream]) => sees(slug) && mayStillAnswer(upstream));
    return createNativeSurface({
      ...over,
      mayHaveMore,
      listeners: audience,
      endSubscriber: primitives.endSubscriber,
    });
  };
  const openView = (view: OpenedView): Gateway =>
    showInView(view, {
      gateway,
      catalog: readerCatalog,
      toolSets: () => catalog.toolSets(),
      services,
      pool,
      statusParts,
      openNative: (over, shows) =>
        openNative(
          { ...over, primitivesOf: (caller) => primitives.seenBy(readers.of(caller), shows, view.filter.hasOwn) },
          { view: view.config.name, sees: (upstream) => view.filter.mayHave(upstream) },
        ),
    });
  const openedViews = new Map<string, Gateway>();
  const gateway: Gateway = {
    get config() {
      return live.config;
    },
    reload: (by) => reloader.reload(by),
    onReloaded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    settled: parts.settled,
    warmedUp: parts.warmedUp,
    inView(name) {
      const view = views.open(name);
      if (view === undefined) return undefined;
      const shown = openedViews.get(name) ?? openView(view);
      openedViews.set(name, shown);
      return shown;
    },
    native: openNative(
      {
        primitivesOf: (caller) => primitives.seenBy(readers.of(caller)),
        snapshot: (asking) => readerCatalog.currentOfAll(asking),
        handle: (call) => gateway.handle(call),
      },
      { sees: () => true },
    ),
    ...createSurface(readerCatalog, services),
    status: () => statusOf(catalog.current(), pool.statuses(), statusParts),
    toolSets: () => catalog.toolSets(),
    definitions: () => introductions.join(catalog.toolSets(), primitives),
    figures: () =>
      describeFigures(gateway, catalog.current(), policy.audit.state(), {
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
    executions: openOperatorExecutions(running, policy.audit),
    get connections() {
      return credentials.connections;
    },
    setLogLevel: (sessionId, level) => logLevels.set(sessionId, level),
    replicas,
    restartUpstream: (name) => pool.restart(name),
    endSession(sessionId) {
      gateway.leaveSession(sessionId);
      running?.endSessionElsewhere(sessionId);
      modules.endSession(sessionId);
      policy.endSession(sessionId);
    },
    leaveSession(sessionId) {
      logLevels.endSession(sessionId);
      running?.endSession(sessionId);
      results.endSession(sessionId);
      warnedOnce.endSession(sessionId);
      primitives.endSubscriber(sessionId);
      pool.endSession(sessionId);
    },
    close: parts.close,
  };
  return gateway;
}

/** Whether it has not connected yet, and is tried. */
function mayStillAnswer(upstream: Upstream): boolean {
  return upstream.capabilities(undefined) === undefined && upstream.absence(undefined)?.stopped === undefined;
}
