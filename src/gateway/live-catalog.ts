import type { NameHolders } from '../catalog/names.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { RawTool, ToolSet } from '../protocol/tools.js';
import { type KnownCatalog, NOTHING_KNOWN } from './kept-catalog.js';

/** What a snapshot is built from: the upstreams' lists of tools, and who holds which name. */
interface OfferedTools {
  /** What each upstream offers now, or offered last where it has not connected yet. */
  readonly toolSets: readonly ToolSet[];
  /** What each connected upstream offered first. */
  readonly firstToolSets: ReadonlyMap<string, ToolSet>;
  readonly holders: NameHolders;
  /** The upstreams that new names wait for. */
  readonly awaited: readonly string[];
}

/** Holds the current snapshot and rebuilds it when the upstreams' tools change. */
export interface LiveCatalog {
  current(): Snapshot;
  /** Takes an upstream's list. Several lists in one turn of the event loop cause one rebuild. */
  offer(slug: string, tools: readonly RawTool[]): void;
  /** The current snapshot, rebuilt now if a rebuild is pending. */
  settled(): Snapshot;
  /**
   * New names stop waiting for these: `known` are upstreams that an earlier run has seen and this one has not yet, `all` are
   * those never seen as well. They have had their time.
   */
  stopWaitingFor(upstreams: 'known' | 'all'): void;
  /** Calls the listener when the gateway's own tool list has changed; returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
  /** The lists of the upstreams that have connected. */
  toolSets(): readonly ToolSet[];
  /** What the next process should know. */
  known(): KnownCatalog;
  close(): void;
}

interface LiveCatalogOptions {
  readonly build: (offered: OfferedTools) => Snapshot;
  /** Called for each snapshot that replaces another. */
  readonly onChange: (before: Snapshot, after: Snapshot) => void;
  /** The slugs of the enabled upstreams. */
  readonly enabled?: readonly string[];
  /** What an earlier process or the lock knew. */
  readonly known?: KnownCatalog;
}

export function createLiveCatalog(options: LiveCatalogOptions): LiveCatalog {
  const { build, onChange, enabled = [], known = NOTHING_KNOWN } = options;
  const toolSets = new Map<string, ToolSet>();
  const firstToolSets = new Map<string, ToolSet>();
  const listeners = new Set<() => void>();
  const kept = enabled.flatMap((upstream): readonly ToolSet[] => {
    const tools = known.tools.get(upstream);
    return tools ? [{ upstream, tools }] : [];
  });
  let holders = known.holders;
  let waitsFor: 'all' | 'never seen' | 'none' = 'all';
  let due: NodeJS.Immediate | undefined;

  /** Otherwise one of two upstreams that both offer a new name would get it by listing its tools first. */
  const listAwaited = (): readonly string[] => {
    if (waitsFor === 'none') return [];
    return enabled.filter((slug) => !toolSets.has(slug) && (waitsFor === 'all' || !known.tools.has(slug)));
  };
  const take = (): Snapshot => {
    const absent = kept.filter(({ upstream }) => !toolSets.has(upstream));
    const awaited = listAwaited();
    const built = build({ toolSets: [...toolSets.values(), ...absent], firstToolSets, holders, awaited });
    holders = built.catalog.holders;
    return built;
  };
  let snapshot = take();

  const rebuild = (): void => {
    clearImmediate(due);
    due = undefined;
    const before = snapshot;
    snapshot = take();
    onChange(before, snapshot);
    if (before.plan.toolsJson !== snapshot.plan.toolsJson) for (const listener of listeners) listener();
  };

  return {
    current: () => snapshot,
    offer(slug, tools) {
      const toolSet = { upstream: slug, tools };
      toolSets.set(slug, toolSet);
      if (!firstToolSets.has(slug)) firstToolSets.set(slug, toolSet);
      due ??= setImmediate(rebuild);
    },
    settled() {
      if (due !== undefined) rebuild();
      return snapshot;
    },
    stopWaitingFor(upstreams) {
      const before = listAwaited().length;
      if (upstreams === 'all') waitsFor = 'none';
      else if (waitsFor === 'all') waitsFor = 'never seen';
      if (listAwaited().length !== before) rebuild();
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    toolSets: () => [...toolSets.values()],
    known: () => ({
      holders,
      tools: new Map([...known.tools, ...[...toolSets].map(([slug, { tools }]) => [slug, tools] as const)]),
    }),
    close: () => clearImmediate(due),
  };
}
