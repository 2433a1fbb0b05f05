import { fingerprintTool, UNREADABLE } from '../catalog/integrity/compare-tools.js';
import type { NameHolders } from '../catalog/names.js';
import { runAtOnce, type Sliced, turns } from '../lib/turns.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { Operation } from '../protocol/operation.js';
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
  /** Takes an upstream's list. Several lists in one turn of the event loop cause one rebuild, which goes on in slices. */
  offer(slug: string, tools: readonly RawTool[]): void;
  /**
   * The snapshot of this moment. A rebuild that may change the definition of this tool is ended first: ending it may take long, so
   * others go on in their slices.
   */
  currentFor(tool: Pick<Operation, 'upstream' | 'tool'>): Snapshot;
  /** Resolves when no rebuild is pending. */
  settled(): Promise<void>;
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

/** Rebuilding takes turns with calls, as one among them. */
const LANE = 'catalog';

interface LiveCatalogOptions {
  readonly build: (offered: OfferedTools) => Sliced<Snapshot>;
  /** Called for each snapshot that replaces another, with what the next process should know. */
  readonly onChange: (before: Snapshot, after: Snapshot, known: KnownCatalog) => void;
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
  /** The rebuild under way, and whether it knows all lists. */
  let building: Sliced<Snapshot> | undefined;
  let isStale = false;
  let waiting: (() => void)[] = [];
  /** The lists that the snapshot was built from, and those that the rebuild under way began with. */
  let builtFrom: ReadonlyMap<string, ToolSet> = new Map();
  let begunWith = builtFrom;

  /** Otherwise one of two upstreams that both offer a new name would get it by listing its tools first. */
  const listAwaited = (): readonly string[] => {
    if (waitsFor === 'none') return [];
    return enabled.filter((slug) => !toolSets.has(slug) && (waitsFor === 'all' || !known.tools.has(slug)));
  };
  const begin = (): Sliced<Snapshot> => {
    begunWith = new Map(toolSets);
    const absent = kept.filter(({ upstream }) => !toolSets.has(upstream));
    const awaited = listAwaited();
    return build({ toolSets: [...toolSets.values(), ...absent], firstToolSets, holders, awaited });
  };
  let snapshot = runAtOnce(begin());
  holders = snapshot.catalog.holders;

  const listKnown = (): KnownCatalog => ({
    holders,
    tools: new Map([...known.tools, ...[...toolSets].map(([slug, { tools }]) => [slug, tools] as const)]),
  });
  const finish = (built: Snapshot): void => {
    building = undefined;
    builtFrom = begunWith;
    const before = snapshot;
    snapshot = built;
    holders = built.catalog.holders;
    onChange(before, snapshot, listKnown());
    if (before.plan.toolsJson !== snapshot.plan.toolsJson) for (const listener of listeners) listener();
    // Lists that came meanwhile: what has been read of the others is kept with them, so this is quick.
    if (isStale) schedule();
    if (due !== undefined) return;
    for (const resume of waiting) resume();
    waiting = [];
  };
  const goOn = (work: Sliced<Snapshot>): void => {
    if (building !== work) return;
    const step = work.next();
    if (step.done === true) finish(step.value);
    else void turns.next(LANE).then(() => goOn(work));
  };
  const rebuild = (): void => {
    due = undefined;
    isStale = false;
    building = begin();
    goOn(building);
  };
  const schedule = (): void => {
    if (building === undefined) due ??= setImmediate(rebuild);
    else isStale = true;
  };
  const settle = (): void => {
    if (due === undefined && building === undefined) return;
    clearImmediate(due);
    due = undefined;
    const work = isStale || building === undefined ? begin() : building;
    isStale = false;
    finish(runAtOnce(work));
  };

  return {
    current: () => snapshot,
    offer(slug, tools) {
      const toolSet = { upstream: slug, tools };
      toolSets.set(slug, toolSet);
      if (!firstToolSets.has(slug)) firstToolSets.set(slug, toolSet);
      schedule();
    },
    currentFor({ upstream, tool }) {
      if (!isSameTool(tool, builtFrom.get(upstream), toolSets.get(upstream))) settle();
      return snapshot;
    },
    settled: () =>
      due === undefined && building === undefined
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
    stopWaitingFor(upstreams) {
      const before = listAwaited().length;
      if (upstreams === 'all') waitsFor = 'none';
      else if (waitsFor === 'all') waitsFor = 'never seen';
      if (listAwaited().length !== before) schedule();
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    toolSets: () => [...toolSets.values()],
    known: listKnown,
    close() {
      clearImmediate(due);
      building = undefined;
      for (const resume of waiting) resume();
    },
  };
}

/** Whether two lists offer one tool of the name, with one definition. */
function isSameTool(name: string, before: ToolSet | undefined, after: ToolSet | undefined): boolean {
  if (before === after) return true;
  const find = (set: ToolSet | undefined): readonly RawTool[] =>
    set?.tools.filter((tool) => tool?.['name'] === name) ?? [];
  const [[then, ...others], [now, ...more]] = [find(before), find(after)];
  if (then === undefined || now === undefined || others.length + more.length > 0) return false;
  const fingerprint = fingerprintTool(now);
  return fingerprint !== UNREADABLE && fingerprint === fingerprintTool(then);
}
