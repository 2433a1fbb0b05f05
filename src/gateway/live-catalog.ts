import { GATEWAY_SOURCE, type Operation } from '../base/protocol/operation.js';
import type { RawTool, ToolSet } from '../base/protocol/tools.js';
import { inTime, runAtOnce, type Sliced, turns } from '../base/turns/turns.js';
import { fingerprintTool, UNREADABLE } from '../catalog/integrity/compare-tools.js';
import type { NameHolders } from '../catalog/names.js';
import { type KnownCatalog, NOTHING_KNOWN } from './kept-catalog.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { WholeSnapshot } from './snapshot.js';

/** Holds the current snapshot and rebuilds it when the upstreams' tools change. */
export interface LiveCatalog<S extends Snapshot = WholeSnapshot> {
  current(): S;
  /** Takes an upstream's list. Several lists in one turn of the event loop cause one rebuild, which goes on in slices. */
  offer(slug: string, tools: readonly RawTool[]): void;
  /** The snapshot of this moment. A rebuild that may change the definition of this tool is waited for, as others are not. */
  currentFor(tool: Pick<Operation, 'upstream' | 'tool'>): S | Promise<S>;
  /**
   * The same, for calls of operations by these names. One that is not found may be of an upstream whose first list is being read, as
   * clients may connect before: then it is waited for. So it is for the gateway's own operations, which are about all others.
   */
  currentOf(names: () => readonly string[]): S | Promise<S>;
  /** The same, for what is about all operations. */
  currentOfAll(): S | Promise<S>;
  /** Whether the snapshot knows nothing of what an upstream has offered. */
  lacks(slug: string): boolean;
  /** Resolves when no rebuild is pending, and each change has been reported. */
  settled(): Promise<void>;
  /** New names stop waiting for upstreams that an earlier run has seen and this one has not yet: their last lists are offered. */
  stopWaitingForKnown(): void;
  /** New names stop waiting for this upstream: it has had its time, or its list is not about to come. */
  giveUpOn(slug: string): void;
  /**
   * Takes other upstreams, by slug: what those had that are gone is dropped, and the next list of those that are renewed is their first.
   * Rebuilds in any case, as other settings may have changed too.
   */
  reconfigure(enabled: readonly string[], renewed: readonly string[]): void;
  /** Calls the listener when the gateway's own tool list has changed; returns a function that removes the listener. */
  onToolsChanged(listener: () => void): () => void;
  /** Calls the listener with each snapshot that has replaced another; returns a function that removes the listener. */
  onReplaced(listener: ReplacedListener<S>): () => void;
  /** The lists of the upstreams that have connected. */
  toolSets(): readonly ToolSet[];
  /** What the next process should know. */
  known(): KnownCatalog;
  close(): void;
}

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

type ReplacedListener<S> = (before: S, after: S) => void;

/** Rebuilding takes turns with calls, as one among them. */
const LANE = 'catalog';

interface LiveCatalogOptions<S extends Snapshot> {
  readonly build: (offered: OfferedTools) => Sliced<S>;
  /** Reports each snapshot that replaces another, after it has. @param known what the next process should know */
  readonly onChange: (before: S, after: S, known: KnownCatalog) => Sliced<void>;
  /** Called where a snapshot cannot be built or a change not be reported, which is a defect: the old snapshot stays. */
  readonly onDefect: (cause: unknown) => void;
  /** The slugs of the enabled upstreams. */
  readonly enabled?: readonly string[];
  /** What an earlier process or the lock knew. */
  readonly known?: KnownCatalog;
}

export function createLiveCatalog<S extends Snapshot>(options: LiveCatalogOptions<S>): LiveCatalog<S> {
  const { build, onChange, onDefect, known = NOTHING_KNOWN } = options;
  let { enabled = [] } = options;
  const toolSets = new Map<string, ToolSet>();
  const firstToolSets = new Map<string, ToolSet>();
  const listeners = new Set<ReplacedListener<S>>();
  const listKept = (): readonly ToolSet[] =>
    enabled.flatMap((upstream) => {
      const tools = known.tools.get(upstream);
      return tools ? [{ upstream, tools }] : [];
    });
  let kept = listKept();
  let holders = known.holders;
  const givenUp = new Set<string>();
  let waitsForKnown = true;
  let due: NodeJS.Immediate | undefined;
  /** The rebuild under way, and whether it knows all lists. */
  let building: Sliced<S> | undefined;
  let isStale = false;
  /** The reports of changes that are not ended, oldest first; they go before the next rebuild. */
  const reports: Sliced<void>[] = [];
  let isGoing = false;
  let waiting: (() => void)[] = [];
  /** Whether there are lists of which the snapshot knows nothing, and who waits for it to know them. */
  let isBehind = false;
  let waitingForLists: ((snapshot: S) => void)[] = [];
  /** Who waits for the rebuild that is due or under way. */
  let waitingForNext: (() => void)[] = [];
  /** The lists that the snapshot was built from, and those that the rebuild under way began with. */
  let builtFrom: ReadonlyMap<string, ToolSet> = new Map();
  let begunWith = builtFrom;

  /** Otherwise one of two upstreams that both offer a new name would get it by listing its tools first. */
  const listAwaited = (): readonly string[] => {
    const silent = enabled.filter((slug) => !toolSets.has(slug) && !givenUp.has(slug));
    return waitsForKnown ? silent : silent.filter((slug) => !known.tools.has(slug));
  };
  const begin = (): Sliced<S> => {
    const absent = waitsForKnown ? [] : kept.filter(({ upstream }) => !toolSets.has(upstream));
    const offered = [...toolSets.values(), ...absent];
    begunWith = new Map(offered.map((toolSet) => [toolSet.upstream, toolSet]));
    return inTime(build({ toolSets: offered, firstToolSets, holders, awaited: listAwaited() }));
  };
  // No list is known yet, so this is little.
  let snapshot = runAtOnce(begin());
  holders = snapshot.catalog.holders;
  /** The list of an earlier run stands in for one that has not come: it says nothing of what the upstream has now. */
  const lacksList = (slug: string): boolean => {
    const built = builtFrom.get(slug);
    return built === undefined || (toolSets.has(slug) && kept.includes(built));
  };
  const lacksLists = (): boolean => {
    const known = waitsForKnown ? [] : kept.map(({ upstream }) => upstream);
    return [...toolSets.keys(), ...known].some(lacksList);
  };
  const isRebuilding = (): boolean => due !== undefined || building !== undefined;
  const isIdle = (): boolean => !isRebuilding() && reports.length === 0;

  const endWaitForLists = (): void => {
    isBehind = false;
    for (const resume of waitingForLists) resume(snapshot);
    waitingForLists = [];
  };
  const endWaitForNext = (): void => {
    for (const resume of waitingForNext) resume();
    waitingForNext = [];
  };
  const listKnown = (): KnownCatalog => ({
    holders,
    tools: new Map([...known.tools, ...[...toolSets].map(([slug, { tools }]) => [slug, tools] as const)]),
  });
  const finish = (built: S): void => {
    building = undefined;
    builtFrom = begunWith;
    const before = snapshot;
    snapshot = built;
    holders = built.catalog.holders;
    reports.push(inTime(onChange(before, snapshot, listKnown())));
    for (const listener of listeners) listener(before, snapshot);
    isBehind = lacksLists();
    if (!isBehind) endWaitForLists();
    // Lists that came meanwhile: what has been read of the others is kept with them, so this is quick.
    if (isStale) schedule();
    endWaitForNext();
    goOn();
  };
  const takeStep = (): void => {
    const [report] = reports;
    if (report !== undefined) {
      if (report.next().done === true) reports.shift();
      return;
    }
    const step = building?.next();
    if (step?.done === true) finish(step.value);
  };
  const abandonStep = (): void => {
    if (reports.shift() !== undefined) return;
    building = undefined;
    endWaitForLists();
    if (isStale) schedule();
    endWaitForNext();
  };
  /** Each slice has a turn of its own. */
  const goOn = (): void => {
    if (isGoing) return;
    if (reports.length > 0 || building !== undefined) {
      isGoing = true;
      void turns.next(LANE).then(() => {
        isGoing = false;
        try {
          takeStep();
        } catch (cause) {
          abandonStep();
          onDefect(cause);
        }
        goOn();
      });
      return;
    }
    if (!isIdle()) return;
    for (const resume of waiting) resume();
    waiting = [];
  };
  const rebuild = (): void => {
    due = undefined;
    isStale = false;
    building = begin();
    goOn();
  };
  const schedule = (): void => {
    if (building === undefined) due ??= setImmediate(rebuild);
    else isStale = true;
  };
  const mayChange = ({ upstream, tool }: Pick<Operation, 'upstream' | 'tool'>): boolean => {
    const offered = isRebuilding() ? toolSets.get(upstream) : undefined;
    return offered !== undefined && !isSameTool(tool, builtFrom.get(upstream), offered);
  };
  /** A list that comes meanwhile may change the tool once more. */
  const settleFor = async (tool: Pick<Operation, 'upstream' | 'tool'>): Promise<S> => {
    while (mayChange(tool)) {
      await new Promise<void>((resolve) => {
        waitingForNext.push(resolve);
      });
    }
    return snapshot;
  };

  const onReplaced: LiveCatalog<S>['onReplaced'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const currentOfAll = (): S | Promise<S> =>
    isBehind
      ? new Promise((resolve) => {
          waitingForLists.push(resolve);
        })
      : snapshot;

  return {
    current: () => snapshot,
    offer(slug, tools) {
      const toolSet = { upstream: slug, tools };
      toolSets.set(slug, toolSet);
      if (!firstToolSets.has(slug)) firstToolSets.set(slug, toolSet);
      isBehind ||= lacksList(slug);
      schedule();
    },
    currentFor: (tool) => (mayChange(tool) ? settleFor(tool) : snapshot),
    currentOf(names) {
      const isKnown = (name: string): boolean => {
        const operation = snapshot.catalog.find(name);
        return operation !== undefined && operation.upstream !== GATEWAY_SOURCE;
      };
      return isBehind && names().every(isKnown) ? snapshot : currentOfAll();
    },
    currentOfAll,
    lacks: (slug) => toolSets.has(slug) && lacksList(slug),
    settled: () =>
      isIdle()
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
    stopWaitingForKnown() {
      const before = listAwaited().length;
      waitsForKnown = false;
      isBehind = lacksLists();
      if (isBehind || listAwaited().length !== before) schedule();
    },
    giveUpOn(slug) {
      const before = listAwaited().length;
      givenUp.add(slug);
      if (listAwaited().length !== before) schedule();
    },
    reconfigure(next, renewed) {
      enabled = next;
      kept = listKept();
      for (const slug of [...toolSets.keys()].filter((each) => !enabled.includes(each))) {
        toolSets.delete(slug);
        firstToolSets.delete(slug);
        givenUp.delete(slug);
      }
      for (const slug of renewed) firstToolSets.delete(slug);
      schedule();
    },
    onToolsChanged: (listener) =>
      onReplaced((before, after) => {
        if (before.plan.toolsJson !== after.plan.toolsJson) listener();
      }),
    onReplaced,
    toolSets: () => [...toolSets.values()],
    known: listKnown,
    close() {
      clearImmediate(due);
      due = undefined;
      building = undefined;
      reports.length = 0;
      for (const resume of waiting) resume();
      endWaitForLists();
      endWaitForNext();
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
