import { setImmediate as nextTurn } from 'node:timers/promises';
import { fingerprintTool, UNREADABLE } from '../base/protocol/fingerprint-tool.js';
import { GATEWAY_SOURCE, type Operation } from '../base/protocol/operation.js';
import type { RawTool, ToolSet } from '../base/protocol/tools.js';
import type { NameHolders } from '../catalog/names.js';
import { type KnownCatalog, NOTHING_KNOWN } from './kept-catalog.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { WholeSnapshot } from './snapshot.js';

/** Holds the current snapshot and rebuilds it when the upstreams' tools change. */
export interface LiveCatalog<S extends Snapshot = WholeSnapshot> {
  current(): S;
  /** Takes an upstream's list. Several lists in one turn of the event loop cause one rebuild, which leaves turns to others. */
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
  /** Whether lists that have come are not in the snapshot yet. */
  readonly isRebuilding: boolean;
  /** Resolves when no rebuild is pending, and each change has been reported. */
  settled(): Promise<void>;
  /** New names stop waiting for upstreams that an earlier run has seen and this one has not yet: their last lists are offered. */
  stopWaitingForKnown(): void;
  /** New names stop waiting for this upstream: it has had its time, or its list is not about to come. */
  giveUpOn(slug: string): void;
  /**
   * Takes other upstreams, by slug: what those had that are gone, or are others now, is dropped, and the next list of those that are renewed is
   * their first. Rebuilds in any case, as other settings may have changed too.
   */
  reconfigure(enabled: readonly string[], renewed: readonly string[], others?: readonly string[]): void;
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

interface LiveCatalogOptions<S extends Snapshot> {
  /** The snapshot of the start, of no list. */
  readonly buildFirst: (offered: OfferedTools) => S;
  /** Leaves turns to others where it takes long. */
  readonly build: (offered: OfferedTools) => Promise<S>;
  /** Reports each snapshot that replaces another, after it has. @param known what the next process should know */
  readonly onChange: (before: S, after: S, known: KnownCatalog) => Promise<void>;
  /** Called where a snapshot cannot be built or a change not be reported, which is a defect: the old snapshot stays. */
  readonly onDefect: (cause: unknown) => void;
  /** The slugs of the enabled upstreams. */
  readonly enabled?: readonly string[];
  /** What an earlier process or the lock knew. */
  readonly known?: KnownCatalog;
}

/**
 * Whether the snapshot is of the newest lists (`current`), a rebuild of them is due or under way, or one is under way that does not know
 * the newest (`outdated`).
 */
type RebuildState = 'current' | 'due' | 'building' | 'outdated' | 'closed';

export function createLiveCatalog<S extends Snapshot>(options: LiveCatalogOptions<S>): LiveCatalog<S> {
  return new RebuiltCatalog(options);
}

class RebuiltCatalog<S extends Snapshot> implements LiveCatalog<S> {
  readonly #options: LiveCatalogOptions<S>;
  #earlier: KnownCatalog;
  #enabled: readonly string[];
  #state: RebuildState = 'current';
  #snapshot: S;
  #holders: NameHolders;
  readonly #toolSets = new Map<string, ToolSet>();
  readonly #firstToolSets = new Map<string, ToolSet>();
  /** The lists of an earlier run. */
  #kept: readonly ToolSet[];
  readonly #givenUp = new Set<string>();
  #waitsForKnown = true;
  /** The lists that the snapshot was built from. */
  #builtFrom: ReadonlyMap<string, ToolSet> = new Map();
  /** The reports of the last changes, oldest first: they go before the next rebuild. */
  #reporting: Promise<void> | undefined;
  /** Whether there are lists of which the snapshot knows nothing. */
  #isBehind = false;
  readonly #listeners = new Set<ReplacedListener<S>>();
  readonly #untilSettled = new Waiters();
  readonly #untilLists = new Waiters();
  readonly #untilNext = new Waiters();

  constructor(options: LiveCatalogOptions<S>) {
    const { enabled = [], known = NOTHING_KNOWN } = options;
    this.#options = options;
    this.#enabled = enabled;
    this.#earlier = known;
    this.#holders = known.holders;
    this.#kept = this.#listKept();
    this.#snapshot = options.buildFirst(this.#offer([]));
    this.#holders = this.#snapshot.catalog.holders;
  }

  current(): S {
    return this.#snapshot;
  }

  offer(slug: string, tools: readonly RawTool[]): void {
    const toolSet = { upstream: slug, tools };
    this.#toolSets.set(slug, toolSet);
    if (!this.#firstToolSets.has(slug)) this.#firstToolSets.set(slug, toolSet);
    this.#isBehind ||= this.#lacksList(slug);
    this.#schedule();
  }

  currentFor(tool: Pick<Operation, 'upstream' | 'tool'>): S | Promise<S> {
    return this.#state !== 'current' && this.#mayChange(tool) ? this.#settleFor(tool) : this.#snapshot;
  }

  currentOf(names: () => readonly string[]): S | Promise<S> {
    if (!this.#isBehind) return this.#snapshot;
    const isKnown = (name: string): boolean => {
      const operation = this.#snapshot.catalog.find(name);
      return operation !== undefined && operation.upstream !== GATEWAY_SOURCE;
    };
    return names().every(isKnown) ? this.#snapshot : this.currentOfAll();
  }

  currentOfAll(): S | Promise<S> {
    return this.#isBehind ? this.#untilLists.wait().then(() => this.#snapshot) : this.#snapshot;
  }

  lacks(slug: string): boolean {
    return this.#toolSets.has(slug) && this.#lacksList(slug);
  }

  get isRebuilding(): boolean {
    return this.#state !== 'current' && this.#state !== 'closed';
  }

  settled(): Promise<void> {
    return this.#isSettled() ? Promise.resolve() : this.#untilSettled.wait();
  }

  stopWaitingForKnown(): void {
    const before = this.#listAwaited().length;
    this.#waitsForKnown = false;
    this.#isBehind = this.#lacksLists();
    if (this.#isBehind || this.#listAwaited().length !== before) this.#schedule();
  }

  giveUpOn(slug: string): void {
    const before = this.#listAwaited().length;
    this.#givenUp.add(slug);
    if (this.#listAwaited().length !== before) this.#schedule();
  }

  reconfigure(enabled: readonly string[], renewed: readonly string[], others: readonly string[] = []): void {
    this.#enabled = enabled;
    const { holders, tools } = this.#earlier;
    this.#earlier = { holders, tools: new Map([...tools].filter(([slug]) => !others.includes(slug))) };
    this.#kept = this.#listKept();
    for (const slug of [...this.#toolSets.keys()].filter((each) => !enabled.includes(each) || others.includes(each))) {
      this.#toolSets.delete(slug);
      this.#firstToolSets.delete(slug);
      this.#givenUp.delete(slug);
    }
    for (const slug of renewed) this.#firstToolSets.delete(slug);
    this.#schedule();
  }

  onToolsChanged(listener: () => void): () => void {
    return this.onReplaced((before, after) => {
      if (before.plan.toolsJson !== after.plan.toolsJson) listener();
    });
  }

  onReplaced(listener: ReplacedListener<S>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  toolSets(): readonly ToolSet[] {
    return [...this.#toolSets.values()];
  }

  known(): KnownCatalog {
    const offered = [...this.#toolSets].map(([slug, { tools }]) => [slug, tools] as const);
    return { holders: this.#holders, tools: new Map([...this.#earlier.tools, ...offered]) };
  }

  close(): void {
    this.#state = 'closed';
    this.#reporting = undefined;
    this.#untilSettled.end();
    this.#endWaitForLists();
    this.#untilNext.end();
  }

  #listKept(): readonly ToolSet[] {
    return this.#enabled.flatMap((upstream) => {
      const tools = this.#earlier.tools.get(upstream);
      return tools ? [{ upstream, tools }] : [];
    });
  }

  /** The lists that a snapshot of this moment is of. */
  #listOffered(): readonly ToolSet[] {
    const absent = this.#waitsForKnown ? [] : this.#kept.filter(({ upstream }) => !this.#toolSets.has(upstream));
    return [...this.#toolSets.values(), ...absent];
  }

  #offer(toolSets: readonly ToolSet[]): OfferedTools {
    return {
      toolSets,
      firstToolSets: this.#firstToolSets,
      holders: this.#holders,
      awaited: this.#listAwaited(),
    };
  }

  /** Otherwise one of two upstreams that both offer a new name would get it by listing its tools first. */
  #listAwaited(): readonly string[] {
    const silent = this.#enabled.filter((slug) => !this.#toolSets.has(slug) && !this.#givenUp.has(slug));
    return this.#waitsForKnown ? silent : silent.filter((slug) => !this.#earlier.tools.has(slug));
  }

  /** The list of an earlier run stands in for one that has not come: it says nothing of what the upstream has now. */
  #lacksList(slug: string): boolean {
    const built = this.#builtFrom.get(slug);
    return built === undefined || (this.#toolSets.has(slug) && this.#kept.includes(built));
  }

  #lacksLists(): boolean {
    const known = this.#waitsForKnown ? [] : this.#kept.map(({ upstream }) => upstream);
    return [...this.#toolSets.keys(), ...known].some((slug) => this.#lacksList(slug));
  }

  #isSettled(): boolean {
    return this.#reporting === undefined && !this.isRebuilding;
  }

  #mayChange({ upstream, tool }: Pick<Operation, 'upstream' | 'tool'>): boolean {
    if (!this.isRebuilding) return false;
    const offered = this.#toolSets.get(upstream);
    return offered !== undefined && !isSameTool(tool, this.#builtFrom.get(upstream), offered);
  }

  /** A list that comes meanwhile may change the tool once more. */
  async #settleFor(tool: Pick<Operation, 'upstream' | 'tool'>): Promise<S> {
    while (this.#mayChange(tool)) await this.#untilNext.wait();
    return this.#snapshot;
  }

  #schedule(): void {
    if (this.#state === 'building') this.#state = 'outdated';
    if (this.#state !== 'current') return;
    this.#state = 'due';
    void nextTurn().then(() => this.#rebuild());
  }

  async #rebuild(): Promise<void> {
    await this.#reporting;
    if (this.#isClosed()) return;
    this.#state = 'building';
    const offered = this.#listOffered();
    try {
      const built = await this.#options.build(this.#offer(offered));
      this.#endRebuild();
      if (!this.#isClosed()) this.#replace(built, offered);
    } catch (cause) {
      this.#endRebuild();
      this.#endWaitForLists();
      this.#options.onDefect(cause);
    } finally {
      this.#untilNext.end();
      this.#noteSettled();
    }
  }

  /** Lists that came meanwhile ask for another. What has been read of the others is kept with them, so this is quick. */
  #endRebuild(): void {
    const state = this.#state;
    if (state === 'building' || state === 'outdated') this.#state = 'current';
    if (state === 'outdated') this.#schedule();
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #replace(built: S, lists: readonly ToolSet[]): void {
    const before = this.#snapshot;
    this.#builtFrom = new Map(lists.map((toolSet) => [toolSet.upstream, toolSet]));
    this.#snapshot = built;
    this.#holders = built.catalog.holders;
    this.#report(before, built);
    for (const listener of this.#listeners) listener(before, built);
    this.#isBehind = this.#lacksLists();
    if (!this.#isBehind) this.#endWaitForLists();
  }

  #report(before: S, after: S): void {
    const known = this.known();
    const reporting = Promise.resolve(this.#reporting)
      .then(() => nextTurn())
      .then(() => (this.#isClosed() ? undefined : this.#options.onChange(before, after, known)))
      .catch(this.#options.onDefect)
      .then(() => {
        if (this.#reporting === reporting) this.#reporting = undefined;
        this.#noteSettled();
      });
    this.#reporting = reporting;
  }

  #noteSettled(): void {
    if (this.#isSettled()) this.#untilSettled.end();
  }

  #endWaitForLists(): void {
    this.#isBehind = false;
    this.#untilLists.end();
  }
}

/** Those who wait for one thing. */
class Waiters {
  #resume: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume.push(resolve);
    });
  }

  end(): void {
    const waiting = this.#resume;
    this.#resume = [];
    for (const resume of waiting) resume();
  }
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
