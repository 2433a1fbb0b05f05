import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { IntrospectionPolicy } from '../builtin/introspect/handler.js';
import { Usage } from '../builtin/introspect/usage.js';
import { diffCatalogsInSlices } from '../catalog/build-catalog.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import { PassthroughTool } from '../endpoint/passthrough-tools.js';
import type { Sliced } from '../lib/turns.js';
import type { Observer } from '../observe/observation.js';
import { type Request, readRequest } from '../pipeline/decode.js';
import { withMeta } from '../pipeline/shape.js';
import type { SearchAnswer, Snapshot } from '../pipeline/snapshot.js';
import { createWarnedOnce } from '../pipeline/warnings.js';
import type { ApprovalService } from '../policy/approvals/approval-queue.js';
import { describeActor } from '../policy/gatekeeper.js';
import { openPolicy, type PolicyService } from '../policy/policy.js';
import type { Explanation } from '../policy/rules/rule-types.js';
import { createPrimitives } from '../primitives/primitives.js';
import type { RawCall } from '../protocol/call.js';
import type { HeaderParameter } from '../protocol/header-parameters.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { type LogLevel, mostVerbose } from '../protocol/log-message.js';
import { GATEWAY_SOURCE } from '../protocol/operation.js';
import { REQUEST_ID, type Reply } from '../protocol/result.js';
import type { ToolSet } from '../protocol/tools.js';
import { createResultService } from '../results/results.js';
import { ServerLogs } from '../upstream/server-logs.js';
import { listBinDirectories } from '../upstream/transport/resolve-command.js';
import type { Upstream } from '../upstream/upstream.js';
import { createUpstreamPool, type UpstreamPool } from '../upstream/upstream-pool.js';
import { type CallPath, createCallPath } from './call-path.js';
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
import { type NameSettings, NamesWait } from './names-wait.js';
import { createNativeSurface, type NativeListener, type NativeSurface } from './native.js';
import { explainPolicy, type PolicyQuestion } from './operator-api.js';
import { Reloader, type ReloadState } from './reload.js';
import type { ReloadPlan } from './reload-plan.js';
import { buildSnapshotInSlices } from './snapshot.js';
import {
  describeDependencies,
  describeStatus,
  findOperation,
  type GatewayStatus,
  type NamedOperation,
  type PlacedOperation,
  placeOperations,
} from './status.js';
import { describeUnmatched } from './unmatched-rules.js';

export type { NameSettings } from './names-wait.js';
export type { NativeCall, NativeListener, NativeListKind, NativeSurface } from './native.js';
export type { ReloadState } from './reload.js';
export type { GatewayStatus, NamedOperation, PlacedOperation, UpstreamSummary } from './status.js';

/** The gateway's own MCP tools, as values and as the JSON text that is sent. */
export type ToolList = Pick<EndpointPlan, 'tools' | 'toolsJson'>;

/** A running gateway: the whole interface for servers and the command line. */
export interface Gateway {
  /** The configuration that is in force at this moment. */
  readonly config: GatewayConfig;
  /** Reads the configuration anew and takes what changes. Never rejects: what is wrong with it is in the answer, and changes nothing. */
  reload(by: string): Promise<ReloadState>;
  /** Answers one MCP tool call. Never rejects: every failure is an answer. */
  handle(call: RawCall): Promise<Reply>;
  /** The list of this moment; waits while the first tools of an upstream are read, as many clients ask for it only once. */
  toolList(): ToolList | Promise<ToolList>;
  /** The parameters of a tool that calls over HTTP repeat in headers; none of a tool that is not there. */
  headerParametersOf(tool: string): readonly HeaderParameter[];
  /** Calls the listener when the tool list's JSON has changed; returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
  /** Resources, prompts and completions in MCP's own methods. */
  readonly native: NativeSurface;
  status(): GatewayStatus;
  /** All current operations, ordered by name, each with its family. */
  operations(): readonly PlacedOperation[];
  /** What a name means: its operation, or in words what it could have meant, as a caller would be answered. */
  findOperation(name: string): Promise<NamedOperation>;
  /** The operations that match a request in free text, best first; builds the index at first use. */
  search(query: string, limit: number): Promise<SearchAnswer>;
  /** The upstreams' tool lists exactly as they sent them. */
  toolSets(): readonly ToolSet[];
  /** Which rule decides about an operation, and why. */
  explainPolicy(question: PolicyQuestion): Explanation;
  /** Records an operator's action in the audit trail. @param operator the name of the account or token */
  recordAdmin(action: string, details: JsonObject, operator: string, transport?: 'cli' | 'http'): void;
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
  const lifecycle = new Lifecycle((name, cause) => observe({ kind: 'defect', where: `closing ${name}`, cause }));
  const memory = await openCatalogMemory(() => live.config, deps);
  lifecycle.opened('kept catalog', () => memory.keeper.close());
  const policy = await openPolicy(config, deps);
  lifecycle.opened('policy', () => policy.close());
  const pool = createPool(config, deps);
  const results = createResultService(config.results, {
    isPrivate: ({ upstream }) => pool.upstreams.get(upstream)?.isIsolated === true,
  });
  const largeAnswers = openLargeAnswers(() => live.config, results, observe);
  lifecycle.opened('threads', () => largeAnswers.close());
  const warnedOnce = createWarnedOnce();
  const handlers = createHandlers(config, pool.upstreams, policy);
  const usage = new Usage();
  const nativeListeners = new Set<NativeListener>();
  const primitives = createPrimitives({
    upstreams: pool.upstreams,
    isAllowed: (operation, args, caller) => policy.rules.decide(operation, args, caller).effect === 'allow',
    onDiagnostic: (upstream, message) => observe({ kind: 'diagnostic', severity: 'warning', upstream, message }),
    onListChanged: (kind) => {
      for (const listener of nativeListeners) listener.listChanged(kind);
    },
    onResourceUpdated: (uri, subscribers) => {
      for (const listener of nativeListeners) listener.resourceUpdated(uri, subscribers);
    },
  });
  const logLevels = new Map<string, LogLevel>();
  const catalog = createLiveCatalog({
    build: (offered) =>
      buildSnapshotInSlices({
        ...offered,
        config: live.config,
        policy: describePolicy(policy),
        results,
        readPart: largeAnswers.readPart,
        handlers,
        usage,
        primitives,
        connections: {
          absenceOf: (slug) => pool.upstreams.get(slug)?.absence(),
          introductionOf: (slug) => pool.upstreams.get(slug)?.introduction(),
          retryNow: (slug) => pool.upstreams.get(slug)?.retryNow(),
        },
      }),
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

  const openPath = (): CallPath =>
    createCallPath(live.config, {
      policy,
      catalog,
      observe: countUses(usage, observe),
      results,
      isFirstWarning: warnedOnce.isFirstWarning,
      shapeLarge: largeAnswers.shape,
    });
  let path = openPath();
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
  const warnOfUnmatched = (): void => {
    const unmatched = describeUnmatched(live.config, catalog.current().catalog.operations);
    for (const message of unmatched) observe({ kind: 'notice', level: 'warn', message });
  };
  const settled = connected.then(async () => {
    namesWait.allTried(enabledOf(config));
    await catalog.settled();
    warnOfUnmatched();
  });
  const warmedUp = Promise.race([connected, delay(WARM_UP_MS, undefined, { ref: false })]);
  void warmedUp.then(() => namesWait.warmedUp());
  /** Calls that begin meanwhile wait, so that each is judged by one configuration. */
  let applying: Promise<void> | undefined;
  const apply = async ({ config: next, upstreams: { removed, replaced } }: ReloadPlan): Promise<void> => {
    live.config = next;
    policy.apply(next);
    started = pool.reconfigure(next.upstreams);
    for (const { slug } of [...removed, ...replaced]) handlers.invalidate(slug);
    for (const { slug } of removed) primitives.forget(slug);
    catalog.reconfigure(
      enabledOf(next),
      replaced.map(({ slug }) => slug),
    );
    path = openPath();
    applyLogLevel();
    await catalog.settled();
  };
  let started = Promise.resolve();
  const reloader = new Reloader({
    load: deps.load,
    current: () => live.config,
    async apply(plan) {
      applying = apply(plan).finally(() => {
        applying = undefined;
      });
      await applying;
      // Who asked for the reload may call what is new next.
      await Promise.race([started, delay(RELOAD_PATIENCE_MS, undefined, { ref: false })]);
      await catalog.settled();
      warnOfUnmatched();
    },
    observe,
    audit: policy.audit,
  });
  const applyLogLevel = (): void => {
    const least = mostVerbose(logLevels.values());
    if (least !== undefined) for (const upstream of pool.upstreams.values()) upstream.setLogLevel(least);
  };
  const gateway: Gateway = {
    get config() {
      return live.config;
    },
    reload: (by) => reloader.reload(by),
    settled,
    warmedUp,
    native: createNativeSurface({
      primitives,
      mayHaveMore: () => [...pool.upstreams.values()].some(mayStillAnswer),
      snapshot: () => catalog.currentOfAll(),
      handle: (call) => gateway.handle(call),
      listeners: nativeListeners,
    }),
    async handle(raw) {
      if (applying !== undefined) await applying;
      const { plan } = catalog.current();
      const request = readRequest(raw, plan);
      const current = catalog.currentOf(() => namesOf(request, plan));
      const snapshot = current instanceof Promise ? await current : current;
      const { single, batch } = path;
      const reply = await (request.kind === 'batch' ? batch(request, snapshot) : single(request.call, snapshot));
      const answer = withMeta(reply, { [REQUEST_ID]: request.call.caller.requestId });
      return snapshot.plan.reachOf(raw.tool) === undefined ? { ...answer, protocolError: 'unknown-tool' } : answer;
    },
    ...describeState(catalog, pool, policy, reloader),
    explainPolicy: (question) => explainPolicy(policy.rules, question),
    recordAdmin: (action, details, operator, transport = 'cli') =>
      policy.audit.record({ type: 'admin', action, details, actor: { operator, transport } }),
    approvals: policy.approvals,
    setLogLevel(sessionId, level) {
      logLevels.set(sessionId, level);
      applyLogLevel();
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

/** Passes observations on, and counts the calls of upstreams' operations that succeeded. */
function countUses(usage: Usage, observe: Observer): Observer {
  return (observation) => {
    observe(observation);
    if (observation.kind !== 'call' || observation.code !== 'OK') return;
    if (observation.upstream !== GATEWAY_SOURCE) usage.count(observation.operation);
  };
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

/** By slug. */
function enabledOf({ upstreams }: GatewayConfig): readonly string[] {
  return upstreams.filter(({ disabled }) => !disabled).map(({ slug }) => slug);
}

/** The part of policy that introspection may show. */
function describePolicy({ gatekeeper, revokeToken, quota }: PolicyService): IntrospectionPolicy {
  return { staticDecision: gatekeeper.staticDecision, revokeToken, quotaStatus: quota.status };
}

/** The current state for servers and the command line. */
function describeState(
  catalog: LiveCatalog,
  pool: UpstreamPool,
  policy: Pick<PolicyService, 'audit' | 'storeState'>,
  reloader: Pick<Reloader, 'state'>,
): Pick<
  Gateway,
  | 'toolList'
  | 'headerParametersOf'
  | 'onToolsChanged'
  | 'status'
  | 'operations'
  | 'findOperation'
  | 'search'
  | 'toolSets'
> {
  return {
    headerParametersOf: (tool) => {
      const reach = catalog.current().plan.reachOf(tool);
      return reach instanceof PassthroughTool ? reach.headerParameters : [];
    },
    toolList: () => {
      const current = catalog.currentOfAll();
      return current instanceof Promise ? current.then(({ plan }) => plan) : current.plan;
    },
    onToolsChanged: catalog.onToolsChanged,
    status: () =>
      describeStatus(
        catalog.current(),
        pool.statuses(),
        describeDependencies(policy.audit.state(), policy.storeState()),
        reloader.state(),
      ),
    operations: () => placeOperations(catalog.current()),
    findOperation: (name) => findOperation(catalog.current(), name),
    search: (query, limit) => catalog.current().search(query, limit),
    toolSets: catalog.toolSets,
  };
}

/** The operations that a request names, as far as it is well formed. */
function namesOf(request: Request, plan: EndpointPlan): readonly string[] {
  const reach = plan.reachOf(request.call.tool);
  if (reach instanceof PassthroughTool) return reach.operationNames;
  const requests = request.kind === 'batch' ? request.operations : [request.call.arguments];
  return requests.flatMap((request) => {
    const name = isJsonObject(request) ? request['operation'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
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
