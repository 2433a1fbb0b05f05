import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../base/json/json.js';
import type { Caller } from '../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../base/protocol/operation.js';
import type { ToolSet } from '../base/protocol/tools.js';
import { findOperation, type WholeCatalog } from '../catalog/catalog.js';
import { fitEndpointPlan } from '../catalog/endpoint/fit-plan.js';
import type { GatewayConfig, ViewConfig } from '../config/gateway-config.js';
import type { QuotaScope } from '../policy/quota/quota-types.js';
import type { Explanation } from '../policy/rules/policy-types.js';
import { EVERYBODY } from '../upstream/readers.js';
import type { UpstreamPool } from '../upstream/upstream-pool.js';
import type { IntrospectionPolicy } from './builtin/introspect/handler.js';
import { introspectOperation } from './builtin/introspect/operation.js';
import type { OwnOperation, Shown } from './module.js';
import type { NativeDeps, NativeSurface } from './native.js';
import type { PolicyQuestion } from './operator-api.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { Primitives } from './primitives/primitives.js';
import type { ReaderCatalog } from './reader-catalog.js';
import {
  listBuiltins,
  listEnabled,
  openSnapshot,
  refusedBy,
  type SnapshotServices,
  type WholeSnapshot,
} from './snapshot.js';
import { type GatewayStatus, type StatusParts, statusOf } from './status.js';
import { createSurface, type Surface, type SurfaceCatalog, type SurfaceServices } from './surface.js';
import { compileViewFilter, type ViewFilter } from './view-filter.js';

/** The snapshots of a view. */
interface ViewCatalog extends SurfaceCatalog {
  current(caller: Caller | undefined): ViewSnapshot;
}

/** A view with what was built of it. */
export class OpenedView {
  readonly #services: ViewServices;
  /** Each goes with the snapshot of the whole that it is of. */
  readonly #built = new WeakMap<WholeSnapshot, ViewSnapshot>();
  /** What is the same for all readers of one catalog. */
  readonly #parts = new WeakMap<WholeCatalog, ViewParts>();
  #config: ViewConfig;
  #filter: ViewFilter;

  constructor(config: ViewConfig, services: ViewServices) {
    this.#config = config;
    this.#filter = compileViewFilter(config);
    this.#services = services;
  }

  /** What is in force of the view. */
  get config(): ViewConfig {
    return this.#config;
  }

  get filter(): ViewFilter {
    return this.#filter;
  }

  /** Takes a changed configuration for the snapshots that follow. */
  replace(config: ViewConfig): void {
    this.#config = config;
    this.#filter = compileViewFilter(config);
  }

  /** What the view shows of a snapshot. */
  of(whole: WholeSnapshot): ViewSnapshot {
    const known = this.#built.get(whole);
    if (known !== undefined) return known;
    const parts = this.#parts.get(whole.catalog) ?? buildViewParts(this.#config, this.#filter, whole, this.#services);
    this.#parts.set(whole.catalog, parts);
    const snapshot = openViewSnapshot(parts, whole, this.#services);
    this.#built.set(whole, snapshot);
    return snapshot;
  }

  /** The view of the snapshots of this moment. */
  over(catalog: ReaderCatalog): ViewCatalog {
    const of = (whole: WholeSnapshot): ViewSnapshot => this.of(whole);
    return {
      current: (caller) => of(catalog.current(caller)),
      currentFor: (caller, tool) => catalog.currentFor(caller, tool).then(of),
      currentOf: (asking, names) => catalog.currentOf(asking, names).then(of),
      currentOfAll: (asking) => catalog.currentOfAll(asking).then(of),
      async afterNews(caller, tool) {
        const { isRead, snapshot } = await catalog.afterNews(caller, tool);
        return { isRead, snapshot: of(snapshot) };
      },
      onToolsChanged: (listener) => catalog.onToolsChanged(listener, (whole) => of(whole).plan.toolsJson),
    };
  }
}

/** The configured views. One that is not asked for is not built. */
export class Views {
  readonly #services: ViewServices;
  /** Those of before too: a name may come back, and is the same view then. */
  readonly #known = new Map<string, OpenedView>();
  #views: ReadonlyMap<string, OpenedView> = new Map();
  readonly #open = new Set<OpenedView>();

  constructor(views: readonly ViewConfig[], services: ViewServices) {
    this.#services = services;
    this.replace(views);
  }

  /** From now on there are these and no others. Calls that go on in a view that is gone see what they saw. */
  replace(views: readonly ViewConfig[]): void {
    this.#views = new Map(
      views.map((config) => {
        const view = this.#known.get(config.name) ?? new OpenedView(config, this.#services);
        this.#known.set(config.name, view);
        if (view.config !== config) view.replace(config);
        return [config.name, view];
      }),
    );
    for (const view of this.#open) if (!this.#views.has(view.config.name)) this.#open.delete(view);
  }

  /** From now on it is built with each snapshot. Undefined where there is no such view. */
  open(name: string): OpenedView | undefined {
    const view = this.#views.get(name);
    if (view !== undefined) this.#open.add(view);
    return view;
  }

  /** Builds the views that are in use of a snapshot that is about to be the current one, each in a turn of its own. */
  async prepare(whole: WholeSnapshot): Promise<void> {
    for (const view of this.#open) {
      await nextTurn();
      view.of(whole);
    }
  }

  /** One sentence for each view that shows nothing, or less than it says because of its token budget. */
  describeMisfits(whole: WholeSnapshot): readonly string[] {
    return [...this.#views.values()].flatMap((view) => {
      const { name, tokenBudget } = view.config;
      const isEmpty = !whole.catalog.operations.some(
        (operation) => operation.upstream !== GATEWAY_SOURCE && view.filter.has(operation),
      );
      const empty = isEmpty ? [`The view '${name}' has no operation of the servers that are connected.`] : [];
      const cut = tokenBudget === undefined ? undefined : view.of(whole).cut;
      return cut === undefined
        ? empty
        : [...empty, `The tools of view '${name}' are shown in less space than configured: ${cut}.`];
    });
  }
}

/** What a view shows otherwise than the gateway does. */
interface ShownByView extends Surface {
  readonly config: GatewayConfig;
  readonly purpose?: string | undefined;
  readonly connections: unknown;
  readonly native: NativeSurface;
  status(): GatewayStatus;
  toolSets(): readonly ToolSet[];
  explainPolicy(question: PolicyQuestion): Explanation;
}

interface ShownParts<Whole extends ShownByView> {
  readonly gateway: Whole;
  readonly catalog: ReaderCatalog;
  readonly toolSets: () => readonly ToolSet[];
  readonly services: SurfaceServices;
  readonly pool: Pick<UpstreamPool, 'statuses'>;
  readonly statusParts: StatusParts;
  /** What the upstreams that exist in the view have beside tools. */
  readonly openNative: (
    over: Pick<NativeDeps, 'snapshot' | 'handle'>,
    shows: (upstream: string) => boolean,
  ) => NativeSurface;
}

/** The gateway as a view shows it. The view's configuration may be replaced meanwhile. */
export function showInView<Whole extends ShownByView>(view: OpenedView, parts: ShownParts<Whole>): Whole {
  const { gateway, catalog, pool } = parts;
  const { name } = view.config;
  const seen = view.over(catalog);
  const { handle, ...rest } = createSurface(seen, { ...parts.services, view: name });
  const handleInView: Surface['handle'] = (call) =>
    handle(call.caller.view === name ? call : { ...call, caller: { ...call.caller, view: name } });
  const shows = (upstream: string): boolean => seen.current(undefined).upstreams.has(upstream);
  return {
    ...gateway,
    ...rest,
    handle: handleInView,
    get config() {
      return { ...gateway.config, endpoint: view.config.endpoint };
    },
    get purpose() {
      return view.config.description;
    },
    get connections() {
      return gateway.connections;
    },
    native: parts.openNative({ snapshot: seen.currentOfAll, handle: handleInView }, shows),
    status: () =>
      statusOf(
        seen.current(undefined),
        pool.statuses().filter(({ slug }) => shows(slug)),
        parts.statusParts,
      ),
    toolSets: () => parts.toolSets().filter(({ upstream }) => shows(upstream)),
    explainPolicy: (question) => gateway.explainPolicy({ ...question, view: name }),
  };
}

/** What a view shows at one moment. */
interface ViewSnapshot extends Snapshot {
  /** The slugs of the upstreams that exist in it. */
  readonly upstreams: ReadonlySet<string>;
  /** What its token budget left out of its tools. */
  readonly cut?: string | undefined;
}

interface ViewServices extends SnapshotServices {
  readonly primitives?: Pick<Primitives, 'seenBy'>;
  readonly policy: ViewPolicy;
}

interface ViewPolicy extends IntrospectionPolicy {
  readonly staticDecision: (operation: Operation, view?: string) => ReturnType<IntrospectionPolicy['staticDecision']>;
  readonly quotaStatus: (caller: Caller, scope?: QuotaScope) => Promise<JsonObject>;
}

/** What a view shows of one catalog, whoever reads it. */
interface ViewParts extends Pick<ViewSnapshot, 'catalog' | 'plan' | 'upstreams' | 'cut'> {
  readonly own: readonly OwnOperation[];
  readonly policy: IntrospectionPolicy;
}

/**
 * Builds what a view shows of a catalog. Operations, their names and what finds names and words are the whole's; a view adds
 * which of them it has, and its own tools.
 */
function buildViewParts(view: ViewConfig, filter: ViewFilter, whole: WholeSnapshot, services: ViewServices): ViewParts {
  const isShownHere = (operation: Operation): boolean => operation.upstream !== GATEWAY_SOURCE && filter.has(operation);
  const shown = new Set(whole.catalog.operations.filter(isShownHere));
  leaveOutUnread(shown, whole);
  const offering = new Set([...shown].map(({ upstream }) => upstream));
  const upstreams = new Set(whole.catalog.upstreams.filter((slug) => offering.has(slug) || filter.names(slug)));
  const { config } = services;
  const primitives = services.primitives?.seenBy(EVERYBODY, (slug) => upstreams.has(slug));
  const all = services.own?.({ upstreams: config.upstreams, has: hasIn(shown) }) ?? [];
  const own = all.filter(({ operation }) => filter.hasOwn(operation));
  const builtins = listBuiltins(own, primitives, services.safety).filter(
    (operation) => operation.name === introspectOperation.name || filter.hasOwn(operation),
  );
  const ownByName = new Map(builtins.map((operation) => [operation.name, operation]));
  const show = (operation: Operation): Operation | undefined => {
    if (operation.upstream === GATEWAY_SOURCE) return ownByName.get(operation.name);
    return shown.has(operation) ? operation : undefined;
  };
  const catalog = whole.catalog.within({ show, upstreams });
  const { policy } = services;
  const scope: QuotaScope = { operations: catalog.operations, upstreams: [...upstreams] };
  const policyHere: IntrospectionPolicy = {
    staticDecision: (operation) => policy.staticDecision(operation, view.name),
    revokeToken: policy.revokeToken,
    quotaStatus: (caller) => policy.quotaStatus(caller, scope),
  };
  const endpoint = { ...view.endpoint, categories: view.operations.categories };
  const { plan, cut } = fitEndpointPlan(catalog, endpoint, {
    budget: view.tokenBudget,
    servers: listEnabled(config.upstreams).filter((slug) => upstreams.has(slug)),
    toolSets: whole.toolSets,
    records: whole.records,
    isRefused: refusedBy(policyHere),
  });
  return { catalog, plan, upstreams, cut, own, policy: policyHere };
}

function openViewSnapshot(parts: ViewParts, whole: WholeSnapshot, services: ViewServices): ViewSnapshot {
  const { catalog, plan, upstreams, cut, own, policy } = parts;
  const isOwn = ({ upstream, primitive }: Operation): boolean => upstream === GATEWAY_SOURCE || primitive !== undefined;
  const snapshot = openSnapshot({ ...services, policy, connections: whole.connections }, catalog, {
    toolSets: whole.toolSets,
    plan,
    own,
    runnersOver: (handlerOfOwn) => ({
      handlerOf: (operation) => (isOwn(operation) ? handlerOfOwn(operation) : whole.handlerOf(operation)),
      previewOf: whole.previewOf,
    }),
    primitives: services.primitives?.seenBy(whole.reader, (slug) => upstreams.has(slug)),
  });
  return { ...snapshot, upstreams, cut };
}

/** An update that the gateway merges needs its READ, which its errors name: it is in a view together with that one alone. */
function leaveOutUnread(shown: Set<Operation>, { catalog }: WholeSnapshot): void {
  for (const operation of shown) {
    if (operation.merge === undefined) continue;
    const read = findOperation(catalog, operation.upstream, operation.merge.read);
    if (read !== undefined && !shown.has(read)) shown.delete(operation);
  }
}

/** Whether an operation is in the view, by its name or by that of the tool that it is a part of. */
function hasIn(shown: ReadonlySet<Operation>): Shown['has'] {
  return (upstream, name) => {
    const qualified = `${upstream}${QUALIFIER}${name}`;
    return [...shown].some(
      (operation) =>
        operation.upstream === upstream && (operation.tool === name || operation.qualifiedName === qualified),
    );
  };
}
