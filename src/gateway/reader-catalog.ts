import { setTimeout as delay } from 'node:timers/promises';
import { OwnedMap, type Whose } from '../base/lib/owned-map.js';
import type { Caller, RawCall } from '../base/protocol/call.js';
import { Cancellation } from '../base/protocol/cancellation.js';
import { fingerprintTool, UNREADABLE } from '../base/protocol/fingerprint-tool.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../base/protocol/operation.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { RawTool, ToolSet } from '../base/protocol/tools.js';
import { EVERYBODY, type Reader, type Readers } from '../upstream/readers.js';
import type { Upstream } from '../upstream/upstream.js';
import type { LiveCatalog } from './live-catalog.js';
import type { WholeSnapshot } from './snapshot.js';

/** What is known once news has been read. */
export interface AfterNews<S> {
  readonly isRead: boolean;
  readonly snapshot: S;
}

/** Who asks, and what is needed to ask their user back. */
export type Asking = Pick<RawCall, 'caller'> & Partial<Pick<RawCall, 'cancellation' | 'ask'>>;

/** Tells who see other tools than before. */
export type ToolsListener = (isConcerned: (caller: Caller) => boolean) => void;

interface ReaderCatalogDeps {
  /** Of what everybody sees. */
  readonly live: LiveCatalog;
  readonly readers: Readers;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** The catalog of other lists than those of a snapshot. */
  readonly build: (
    of: WholeSnapshot,
    toolSets: readonly ToolSet[],
    first: ReadonlyMap<string, ToolSet>,
  ) => WholeSnapshot;
  /** The same catalog by another reader's eyes. */
  readonly open: (whole: WholeSnapshot, reader: Reader) => WholeSnapshot;
}

/** The tools that a server lists to one owner. */
interface OwnTools {
  readonly first: readonly RawTool[];
  readonly now: readonly RawTool[];
}

/** Why a server has not listed what it has for an owner: what it wants of the user first, or that it could not be asked. */
interface Unread {
  readonly refusal: OperationError | undefined;
  readonly until: number;
}

/** So long a call waits for the tools of a server that is connected with its caller's rights first. */
const WAIT_MS = 2_000;
/** So long one that wants an account, or is away, is not asked again by itself. */
const REFUSED_MS = 1_000;
const AWAY_MS = 5_000;

/**
 * The catalog as each caller sees it: a server that lists tools to their owner is in it with these, and to nobody else with them. Callers whose
 * servers list the same share one catalog (docs/adr/0070-each-reader-has-a-catalog.md).
 */
export class ReaderCatalog {
  readonly #deps: ReaderCatalogDeps;
  readonly #tools = new OwnedMap<OwnTools>();
  readonly #unread = new OwnedMap<Unread>();
  /** By what everybody sees, and the lists that take the place of others. */
  readonly #catalogs = new WeakMap<WholeSnapshot, Map<string, WholeSnapshot>>();
  readonly #opened = new WeakMap<Reader, { readonly whole: WholeSnapshot; readonly snapshot: WholeSnapshot }>();
  readonly #numbers = new WeakMap<readonly RawTool[], number>();
  #lastNumber = 0;
  readonly #listeners = new Set<ToolsListener>();

  constructor(deps: ReaderCatalogDeps) {
    this.#deps = deps;
  }

  /** Takes an upstream's list. */
  offer(whose: Whose, tools: readonly RawTool[]): void {
    const { upstream, owner } = whose;
    if (owner === undefined) {
      this.#deps.live.offer(upstream, tools);
      return;
    }
    const before = this.#tools.get(whose);
    const now = this.#known(upstream).find((each) => isSameList(each, tools)) ?? tools;
    this.#unread.delete(whose);
    this.#tools.set(whose, { first: before?.first ?? now, now });
    const shown = before?.now ?? this.#everybodys(upstream);
    if (shown !== now) this.#tell((caller) => this.#deps.upstreams.get(upstream)?.readerOf(caller) === owner);
  }

  /** The owner has got rights there, or lost them. */
  noteRights(whose: Whose, hasRights: boolean): void {
    this.#unread.delete(whose);
    if (!hasRights) this.#tools.delete(whose);
  }

  /** A server is another one, or gone. */
  forget(upstream: string): void {
    const hadSome = this.#tools.ofServer(upstream).size > 0;
    this.#tools.deleteServer(upstream);
    this.#unread.deleteServer(upstream);
    if (hadSome) this.#tell(() => true);
  }

  /** Why a server lists nothing to an owner. */
  refusalOf(whose: Whose): OperationError | undefined {
    return this.#unread.get(whose)?.refusal;
  }

  current(caller: Caller | undefined): WholeSnapshot {
    return this.#of(caller, this.#deps.live.current());
  }

  async currentFor(caller: Caller | undefined, tool: Pick<Operation, 'upstream' | 'tool'>): Promise<WholeSnapshot> {
    return this.#of(caller, await this.#deps.live.currentFor(tool));
  }

  /** For calls of operations by these names. One that is not found may be of a server that is connected with the caller's rights first. */
  async currentOf(asking: Asking, names: () => readonly string[]): Promise<WholeSnapshot> {
    return this.#settle(asking, await this.#deps.live.currentOf(names), names);
  }

  /**
   * After a call was refused for what lists say: the snapshot with all that servers have announced, and whether any of it was read for this.
   * @param tool of the operation that refused the arguments; undefined where the name is unknown, so that any server may have it
   */
  async afterNews(
    caller: Caller | undefined,
    tool: Pick<Operation, 'upstream' | 'tool'> | undefined,
  ): Promise<AfterNews<WholeSnapshot>> {
    const isRead = await this.#readNews(caller, tool?.upstream);
    if (tool === undefined) await this.#deps.live.settled();
    return { isRead, snapshot: tool === undefined ? this.current(caller) : await this.currentFor(caller, tool) };
  }

  /** Reads what servers have announced, for a while at most. @returns whether there was something to read */
  async #readNews(caller: Caller | undefined, only?: string): Promise<boolean> {
    const due = [...this.#deps.upstreams].flatMap(([slug, upstream]) =>
      only === undefined || slug === only ? (upstream.announced(upstream.readerOf(caller))?.read() ?? []) : [],
    );
    if (due.length > 0) await Promise.race([Promise.all(due), delay(WAIT_MS, undefined, { ref: false })]);
    return due.length > 0;
  }

  /** For what is about all operations. */
  async currentOfAll(asking: Asking | undefined): Promise<WholeSnapshot> {
    return this.#settle(asking, await this.#deps.live.currentOfAll(), undefined);
  }

  /** Calls the listener when the gateway's own tool list has changed for somebody; returns a function that removes the listener. */
  onToolsChanged(listener: ToolsListener, toolsOf = ({ plan }: WholeSnapshot) => plan.toolsJson): () => void {
    this.#listeners.add(listener);
    const stop = this.#deps.live.onReplaced((before, after) => {
      if (toolsOf(before) !== toolsOf(after)) listener(() => true);
    });
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  #tell(isConcerned: (caller: Caller) => boolean): void {
    for (const listener of this.#listeners) listener(isConcerned);
  }

  /** @param names of the operations that are called; undefined for what is about all */
  async #settle(
    asking: Asking | undefined,
    whole: WholeSnapshot,
    names: (() => readonly string[]) | undefined,
  ): Promise<WholeSnapshot> {
    const snapshot = this.#of(asking?.caller, whole);
    if (asking === undefined) return snapshot;
    const { caller } = asking;
    const unread = this.#listUnread(caller);
    const isNews = this.#deps.live.isRebuilding || this.#hasNews(caller);
    if (unread.length === 0 && !isNews) return snapshot;
    const called = names?.();
    if (called?.every((name) => isOfServer(snapshot.catalog.find(name))) === true) return snapshot;
    const reading = unread.map((slug) => this.#read(slug, asking, called));
    await Promise.all([...reading, isNews ? this.afterNews(caller, undefined) : undefined]);
    return this.current(caller);
  }

  /** The servers that are called with the caller's rights, and have not said yet what they have for it. */
  #listUnread(caller: Caller): readonly string[] {
    const unread: string[] = [];
    for (const [slug, upstream] of this.#deps.upstreams) {
      const owner = upstream.accountOf(caller);
      if (owner !== undefined && this.#tools.get({ upstream: slug, owner }) === undefined) unread.push(slug);
    }
    return unread;
  }

  #hasNews(caller: Caller): boolean {
    for (const upstream of this.#deps.upstreams.values())
      if (upstream.announced(upstream.readerOf(caller))?.isDue === true) return true;
    return false;
  }

  async #read(slug: string, asking: Asking, called: readonly string[] | undefined): Promise<void> {
    const upstream = this.#deps.upstreams.get(slug);
    const whose = { upstream: slug, owner: upstream?.accountOf(asking.caller) };
    // The user is asked where the call can be of this server alone.
    const isNamed = called?.some((name) => name.startsWith(`${slug}${QUALIFIER}`)) === true;
    const { caller, cancellation = new Cancellation(), ask } = asking;
    if (!isNamed && (this.#unread.get(whose)?.until ?? 0) > performance.now()) return;
    const connecting = upstream?.connectFor({ caller, cancellation, ask: isNamed ? ask : undefined }).then(
      () => this.#unread.delete(whose),
      (error: unknown) => {
        const isRefusal = error instanceof OperationError && error.details['reason'] === 'credentials_required';
        if (isRefusal) this.#tools.delete(whose);
        const until = performance.now() + (isRefusal ? REFUSED_MS : AWAY_MS);
        this.#unread.set(whose, { refusal: error instanceof OperationError ? error : undefined, until });
      },
    );
    await (isNamed ? connecting : Promise.race([connecting, delay(WAIT_MS, undefined, { ref: false })]));
  }

  #of(caller: Caller | undefined, everybodys: WholeSnapshot): WholeSnapshot {
    const reader = this.#deps.readers.of(caller);
    if (reader === EVERYBODY) return everybodys;
    const whole = this.#catalogOf(reader, everybodys);
    const opened = this.#opened.get(reader);
    if (opened?.whole === whole) return opened.snapshot;
    const snapshot = this.#deps.open(whole, reader);
    this.#opened.set(reader, { whole, snapshot });
    return snapshot;
  }

  #catalogOf(reader: Reader, everybodys: WholeSnapshot): WholeSnapshot {
    const own = new Map<string, OwnTools>();
    for (const upstream of this.#deps.upstreams.keys()) {
      const tools = this.#tools.get({ upstream, owner: reader.ownerOf(upstream) });
      if (tools !== undefined && tools.now !== this.#everybodys(upstream)) own.set(upstream, tools);
    }
    if (own.size === 0) return everybodys;
    const key = [...own].map(([slug, { first, now }]) => `${slug} ${this.#number(first)} ${this.#number(now)}`).join();
    const catalogs = this.#catalogs.get(everybodys) ?? new Map<string, WholeSnapshot>();
    this.#catalogs.set(everybodys, catalogs);
    const known = catalogs.get(key);
    if (known !== undefined) return known;
    const sets = [...own].map(([upstream, { now }]) => ({ upstream, tools: now }));
    const others = everybodys.toolSets.filter(({ upstream }) => !own.has(upstream));
    const first = new Map([...own].map(([upstream, tools]) => [upstream, { upstream, tools: tools.first }]));
    const built = this.#deps.build(everybodys, [...others, ...sets], first);
    if (catalogs.size >= MOST_CATALOGS) catalogs.clear();
    catalogs.set(key, built);
    return built;
  }

  #everybodys(upstream: string): readonly RawTool[] | undefined {
    return this.#deps.live.toolSets().find((set) => set.upstream === upstream)?.tools;
  }

  /** The lists of a server that are known, each once. */
  #known(upstream: string): readonly (readonly RawTool[])[] {
    const own = [...this.#tools.ofServer(upstream).values()].map(({ now }) => now);
    return [...new Set([this.#everybodys(upstream) ?? [], ...own])];
  }

  #number(tools: readonly RawTool[]): number {
    const number = this.#numbers.get(tools) ?? ++this.#lastNumber;
    this.#numbers.set(tools, number);
    return number;
  }
}

/** Catalogs that are kept beside that of everybody; they are built anew where somebody comes for one. */
const MOST_CATALOGS = 200;

function isOfServer(operation: Operation | undefined): boolean {
  return operation !== undefined && operation.upstream !== GATEWAY_SOURCE;
}

/** Whether two lists have the same definitions in the same order. */
function isSameList(a: readonly RawTool[], b: readonly RawTool[]): boolean {
  return a.length === b.length && a.every((tool, index) => tool === b[index] || isSameTool(tool, b[index]));
}

function isSameTool(a: RawTool, b: RawTool | undefined): boolean {
  const fingerprint = fingerprintTool(a);
  return b !== undefined && fingerprint !== UNREADABLE && fingerprint === fingerprintTool(b);
}
