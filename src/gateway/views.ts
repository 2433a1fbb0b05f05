import type { ViewConfig } from '../config/gateway-config.js';
import { runAtOnce, type Sliced } from '../lib/turns.js';
import { GATEWAY_SOURCE } from '../protocol/operation.js';
import type { LiveCatalog } from './live-catalog.js';
import type { WholeSnapshot } from './snapshot.js';
import type { SurfaceCatalog } from './surface.js';
import { compileViewFilter, type ViewFilter } from './view-filter.js';
import { buildViewSnapshotInSlices, type ViewServices, type ViewSnapshot } from './view-snapshot.js';

/** The snapshots of a view. */
export interface ViewCatalog extends SurfaceCatalog {
  current(): ViewSnapshot;
}

/** A view with what was built of it. */
export class OpenedView {
  readonly #services: ViewServices;
  /** Each goes with the snapshot of the whole that it is of. */
  readonly #built = new WeakMap<WholeSnapshot, ViewSnapshot>();
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

  /** Builds what the view shows of a snapshot, in slices. */
  *prepare(whole: WholeSnapshot): Sliced<ViewSnapshot> {
    const snapshot =
      this.#built.get(whole) ?? (yield* buildViewSnapshotInSlices(this.#config, this.#filter, whole, this.#services));
    this.#built.set(whole, snapshot);
    return snapshot;
  }

  /** What the view shows of a snapshot; at once, as it is prepared with each but the first. */
  of(whole: WholeSnapshot): ViewSnapshot {
    return this.#built.get(whole) ?? runAtOnce(this.prepare(whole));
  }

  /** The view of the snapshots of this moment. */
  over(catalog: LiveCatalog): ViewCatalog {
    const of = (whole: WholeSnapshot): ViewSnapshot => this.of(whole);
    const later = (whole: WholeSnapshot | Promise<WholeSnapshot>) =>
      whole instanceof Promise ? whole.then(of) : of(whole);
    return {
      current: () => of(catalog.current()),
      currentFor: (tool) => later(catalog.currentFor(tool)),
      currentOf: (names) => later(catalog.currentOf(names)),
      currentOfAll: () => later(catalog.currentOfAll()),
      onToolsChanged: (listener) =>
        catalog.onReplaced((before, after) => {
          if (of(before).plan.toolsJson !== of(after).plan.toolsJson) listener();
        }),
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

  /** Builds the views that are in use of a snapshot that is about to be the current one. */
  *prepare(whole: WholeSnapshot): Sliced<void> {
    for (const view of this.#open) yield* view.prepare(whole);
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
