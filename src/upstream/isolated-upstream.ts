import type { JsonObject } from '../base/json/json.js';
import { RecentMap } from '../base/lib/collections.js';
import type { Owner } from '../base/lib/owned-map.js';
import type { Caller } from '../base/protocol/caller.js';
import { Cancellation } from '../base/protocol/cancellation.js';
import type { LargeAnswer } from '../base/protocol/large-answer.js';
import type { LogLevel } from '../base/protocol/log-message.js';
import type { ToolCallResult } from '../base/protocol/result.js';
import type { Absence, Introduction, RawTool } from '../base/protocol/tools.js';
import type { WireAnswer } from '../base/protocol/wire-answer.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { assessIsolation } from './assess-isolation.js';
import { CallsInProgress } from './calls-in-progress.js';
import { bestOf, CombinedNews, countCalls, isDown } from './combined-status.js';
import { newServerMemory, type ServerMemory } from './connection.js';
import { type Instance, Instances, waitFor } from './instances.js';
import { ManagedUpstream } from './managed-upstream.js';
import {
  type Entered,
  OWN_REQUESTS,
  OwnedWatches,
  ownerOf,
  StateLosses,
  sessionOwner,
  type WatchedResource,
} from './owners.js';
import type { StartSlots } from './start-slots.js';
import { type FailedParts, failedCallOf, translateFailure } from './translate-failure.js';
import { UpstreamFault } from './transport/fault.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import {
  type RequestCredentials,
  type RightsRequest,
  sendWithRights,
  type UserRights,
} from './transport/user-rights.js';
import type {
  IsolationMode,
  IsolationStatus,
  Upstream,
  UpstreamCall,
  UpstreamEvents,
  UpstreamRequest,
  UpstreamStatus,
} from './upstream.js';

/** For so long after the start calls wait for the first connection instead of failing. */
const PATIENCE_MS = 5_000;
const NO_SESSION =
  'it gives connections no session id, so that it may not tell callers apart although its "isolation" says so';

interface IsolatedUpstreamOptions {
  readonly config: UpstreamConfig;
  readonly around: TransportSurroundings;
  /** Of all child processes together. */
  readonly starts: StartSlots;
  /** Whose rights its calls use, where they are not those of the configured headers. */
  readonly rights?: UserRights | undefined;
  /** What the server declared to everybody before this took the place of another connection. */
  readonly capabilities?: JsonObject | undefined;
  /** Called once where all callers share one connection after all, which is then called directly. */
  readonly onShared: (upstream: ManagedUpstream) => void;
}

/** One connection of its own, and when its first attempt to connect has ended. */
interface OwnConnection {
  readonly upstream: ManagedUpstream;
  readonly started: Promise<void>;
}

/**
 * A server whose state belongs to its callers: each owner (a session, or a client) has a connection of its own, and where it is a
 * child a process of its own. The first connection reads the tools, and decides where the configuration leaves it open; the first
 * owner takes it over. Others begin with their owner's first call. See docs/adr/0022-state-decides-who-shares-a-connection.md.
 */
export class IsolatedUpstream implements Upstream {
  readonly slug: string;

  readonly #options: IsolatedUpstreamOptions;
  readonly #memory: ServerMemory = newServerMemory();
  readonly #instances: Instances<OwnConnection>;
  readonly #createdAt = performance.now();
  /** The connection that reads the tools first, until it is decided who shares it. */
  readonly #first: ManagedUpstream;
  #isolation: IsolationStatus | undefined;
  #mode: IsolationMode | undefined;
  readonly #decided: Promise<void>;
  #settleDecision: () => void = () => {};
  #events: UpstreamEvents | undefined;
  /** The list that everybody sees who has none of their own. */
  #tools: readonly RawTool[] = [];
  readonly #losses = new StateLosses();
  /** Who had each connection. */
  readonly #owners = new WeakMap<ManagedUpstream, string>();
  readonly #watches = new OwnedWatches();
  readonly #news: CombinedNews;
  /** Of the connection that was made last. */
  #last: UpstreamStatus | undefined;
  /** What the server has said of itself on connections that belong to nobody, and to each owner on theirs. */
  #shared: SaidOfItself;
  readonly #said = new RecentMap<string, SaidOfItself>(MOST_OWNERS);
  #logLevel: LogLevel | undefined;
  #endedRestarts = 0;
  readonly #calls = new CallsInProgress();
  #isClosing = false;
  #ending: Promise<void> | undefined;
  readonly #unlisten: (() => void) | undefined;

  constructor(options: IsolatedUpstreamOptions) {
    const { config } = options;
    this.#options = options;
    this.slug = config.slug;
    this.#news = new CombinedNews({
      slug: this.slug,
      observe: options.around.observe,
      state: () => (this.#hasInstances() ? this.status().state : undefined),
    });
    this.#decided = new Promise((resolve) => {
      this.#settleDecision = resolve;
    });
    const { rights, capabilities } = options;
    this.#shared = { capabilities, introduction: undefined };
    this.#instances = new Instances({
      bounds: rights === undefined ? config.instances : { ...config.instances, spare: 0 },
      open: (owner) => this.#open(owner),
      close: ({ upstream }) =>
        upstream.close().catch((cause: unknown) => {
          options.around.observe({ kind: 'defect', where: 'closing a connection', cause });
        }),
      onEnd: (connection, owner, why) => {
        if (owner !== undefined && why !== 'asked') this.#losses.note(owner, why);
        this.#noteEnd(connection);
      },
    });
    this.#first = this.#create(rights?.discovery);
    this.#unlisten = rights?.onChanged((owner, hasRights) => this.#noteRights(owner, hasRights));
    if (rights === undefined) return;
    this.#isolation = BY_RIGHTS;
    this.#mode = BY_RIGHTS.mode;
    this.#settleDecision();
  }

  get isIsolated(): boolean {
    return this.#mode !== 'shared';
  }

  /** Begins to connect. Resolves when the first attempt has succeeded or failed; never rejects. */
  connect(events: UpstreamEvents): Promise<void> {
    if (this.#events !== undefined) return Promise.resolve();
    this.#events = events;
    const { onFirstStart, onCannotStart } = events;
    const started = this.#first.connect({
      ...this.#eventsOf(this.#first),
      onConnected: () => {
        this.#noteConnected(this.#first);
        this.#decide(started);
      },
      onFirstStart,
      onCannotStart,
    });
    return started;
  }

  call(call: UpstreamCall): Promise<ToolCallResult | WireAnswer | LargeAnswer> {
    const { rights } = this.#options;
    return rights === undefined ? this.#call(call) : sendWithRights(rights, call, () => this.#call(call));
  }

  async #call(call: UpstreamCall): Promise<ToolCallResult | WireAnswer | LargeAnswer> {
    const { upstream, leave } = await this.#enter(call);
    try {
      return await upstream.call(call);
    } finally {
      leave();
    }
  }

  request(request: UpstreamRequest): Promise<JsonObject> {
    const { rights } = this.#options;
    const { caller } = request;
    if (rights === undefined || caller === undefined) return this.#request(request);
    return sendWithRights(rights, { ...request, caller }, () => this.#request(request));
  }

  async #request(request: UpstreamRequest): Promise<JsonObject> {
    const { method, params, words, resource, retryable = true, ...delivery } = request;
    const failed = {
      tool: method,
      arguments: params,
      retryable,
      ...(words === undefined ? {} : { words }),
      resource: () => resource,
    };
    const { upstream, leave } = await this.#enter({ ...delivery, ...failed });
    try {
      return await upstream.request(request);
    } finally {
      leave();
    }
  }

  async connectFor(request: RightsRequest): Promise<void> {
    const { rights } = this.#options;
    if (rights === undefined) return;
    const connecting = { ...request, ...CONNECTING };
    await sendWithRights(rights, request, async () => {
      const { upstream, leave } = await this.#enter(connecting);
      leave();
      const absence = upstream.absence();
      if (absence === undefined) return;
      const { problem = 'it is not connected' } = upstream.status();
      throw translateFailure(new UpstreamFault('unavailable', problem, absence), failedCallOf(this.slug, connecting));
    });
  }

  capabilities(owner: Owner): JsonObject | undefined {
    const unknown = this.#options.rights === undefined ? undefined : MAY_HAVE_ALL;
    return this.#saidTo(owner).capabilities ?? this.#shared.capabilities ?? unknown;
  }

  #saidTo(owner: Owner): SaidOfItself {
    return (owner === undefined ? undefined : this.#said.get(owner)) ?? this.#shared;
  }

  async watchResource(uri: string, isWatched: boolean, owner?: string): Promise<void> {
    if (owner === undefined) return this.#first.watchResource(uri, isWatched);
    if (!isWatched) return this.#watches.end(owner, uri);
    const call = { ...WATCHING, arguments: { uri }, cancellation: new Cancellation() };
    try {
      await this.#watches.begin(owner, uri, () => this.#enterAs(() => owner, call));
    } catch (error) {
      throw translateFailure(error, failedCallOf(this.slug, call));
    }
  }

  get watched(): readonly WatchedResource[] {
    return this.#mode === 'shared' ? this.#first.watched : this.#watches.all();
  }

  ownerOf(caller: Caller): Owner {
    if (this.#options.rights !== undefined) return this.#options.rights.ownerOf(caller);
    return this.#mode === 'shared' ? undefined : ownerOf(caller, this.#mode ?? 'session');
  }

  readerOf(caller: Caller | undefined): Owner {
    if (caller === undefined) return undefined;
    const owner = this.ownerOf(caller);
    // Where nobody's rights count, what no call of the caller has changed is what everybody sees.
    const hasOwn =
      this.#options.rights !== undefined || (owner !== undefined && this.#instances.find(owner) !== undefined);
    return hasOwn ? owner : undefined;
  }

  accountOf(caller: Caller): Owner {
    return this.#options.rights?.ownerOf(caller);
  }

  /** Ends what belongs to a session alone. */
  endSession(sessionId: string): void {
    this.#instances.end(sessionOwner(sessionId));
    this.#losses.forget(sessionOwner(sessionId));
  }

  status(): UpstreamStatus {
    const isolation = this.#isolation === undefined ? {} : { isolation: this.#describeIsolation(this.#isolation) };
    const { rights } = this.#options;
    const running = this.#instances.running().map(({ upstream }) => upstream.status());
    if (!this.#hasInstances()) return { ...this.#first.status(), ...isolation };
    if (rights !== undefined) {
      // What the gateway is not shown without an account is there with the first call of a user who has one.
      const first = this.#first.status();
      const own = rights.discovery.isRefused === true ? { ...first, state: 'dormant' as const } : first;
      const best = bestOf([own, ...running.filter(({ state }) => !isDown(state))]);
      return { ...own, ...best, tools: own.tools, ...isolation };
    }
    const best = bestOf(running);
    const { problem, ...known } = best ?? { ...(this.#last ?? this.#first.status()), state: 'dormant' as const };
    const restarts = running.reduce((sum, each) => sum + each.restarts, this.#endedRestarts);
    const state = this.#isClosing ? 'closed' : known.state;
    const calls = countCalls(running);
    const shown = best === undefined || problem === undefined ? {} : { problem };
    return { ...this.#last, ...known, state, tools: this.#tools.length, restarts, calls, ...shown, ...isolation };
  }

  absence(owner: Owner): Absence | undefined {
    if (!this.#hasInstances()) return this.#first.absence();
    const { rights } = this.#options;
    const own = owner === undefined ? undefined : this.#instances.find(owner);
    if (own !== undefined) return own.upstream.absence();
    if (rights !== undefined)
      return owner === undefined && rights.discovery.isRefused !== true ? this.#first.absence() : undefined;
    const down = this.#instances.running().filter(({ upstream }) => isDown(upstream.status().state));
    if (down.length === 0 || down.length < this.#instances.running().length) return undefined;
    return down[0]?.upstream.absence();
  }

  announced(owner: Owner): ReturnType<Upstream['announced']> {
    const own = owner === undefined ? undefined : this.#instances.find(owner);
    return (own?.upstream ?? this.#first).announced();
  }

  introduction(owner: Owner): Introduction | undefined {
    return this.#saidTo(owner).introduction;
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    this.#first.setLogLevel(level);
    for (const { upstream } of this.#instances.running()) upstream.setLogLevel(level);
  }

  retryNow(): void {
    if (!this.#hasInstances() || this.#options.rights !== undefined) this.#first.retryNow();
    else for (const { upstream } of this.#instances.running()) upstream.retryNow();
  }

  restart(): void {
    if (!this.#hasInstances() || this.#options.rights !== undefined) this.#first.restart();
    for (const { upstream } of this.#instances.running()) if (upstream !== this.#first) upstream.restart();
  }

  /** Whether this is the one connection that all callers share. */
  sharesBy(upstream: Upstream): boolean {
    return this.#mode === 'shared' && upstream === this.#first;
  }

  /** Resolves when no call of it is in progress. */
  async whenIdle(): Promise<void> {
    await this.#calls.whenNone();
    // Where one connection is shared, later calls go to it directly.
    await this.#first.whenIdle();
  }

  /** Ends every connection. Safe to call twice. */
  close(): Promise<void> {
    this.#isClosing = true;
    this.#unlisten?.();
    this.#settleDecision();
    this.#ending ??= Promise.all([this.#first.close(), this.#instances.close()]).then(() => undefined);
    return this.#ending;
  }

  /** The connection that this call belongs to, connected or not, and what says that the call has ended. */
  async #enter(call: Entry): Promise<Entered<ManagedUpstream>> {
    const { caller } = call;
    this.#calls.tryEnter();
    try {
      const entered = await this.#enterAs(() => (caller === undefined ? OWN_REQUESTS : this.ownerOf(caller)), call);
      const { upstream } = entered;
      if (caller !== undefined && this.#mode !== 'shared') upstream.logTo(caller.sessionId);
      const leave = (): void => {
        entered.leave();
        this.#calls.leave();
      };
      return { upstream, leave };
    } catch (error) {
      this.#calls.leave();
      throw translateFailure(error, failedCallOf(this.slug, call));
    }
  }

  /** @param ownerOf asked when it is decided who shares a connection */
  async #enterAs(ownerOf: () => string | undefined, call: Entry): Promise<Entered<ManagedUpstream>> {
    if (this.#mode === undefined) await this.#awaitDecision(call);
    const owner = ownerOf();
    const isOwnRequest = owner === OWN_REQUESTS && this.#options.rights !== undefined;
    if (owner === undefined || this.#mode === 'shared' || isOwnRequest)
      return { upstream: this.#first, leave: () => undefined };
    const timeoutMs = call.timeoutMs ?? this.#options.config.timeoutMs;
    const instance = await this.#instances.enter(owner, { cancellation: call.cancellation, timeoutMs });
    const leave = (): void => this.#instances.leave(instance);
    try {
      await this.#awaitStart(instance, call, timeoutMs);
    } catch (error) {
      leave();
      throw error;
    }
    const { upstream } = instance.connection;
    this.#owners.set(upstream, owner);
    const loss = this.#losses.find(owner, upstream);
    if (loss !== undefined) call.onStateLost?.(loss);
    return { upstream, leave };
  }

  #awaitDecision({ cancellation, timeoutMs = this.#options.config.timeoutMs }: Entry): Promise<void> {
    const ms = Math.min(timeoutMs, this.#createdAt + PATIENCE_MS - performance.now());
    const otherwise = (): UpstreamFault => {
      const { problem = 'it has never been connected' } = this.#first.status();
      return new UpstreamFault('unavailable', problem, { retryAfterMs: this.#first.absence()?.retryAfterMs ?? 0 });
    };
    this.#first.retryNow();
    if (this.#isClosing || ms <= 0) return Promise.reject(otherwise());
    return waitFor(this.#decided, { ms, cancellation, otherwise });
  }

  #awaitStart({ connection }: Instance<OwnConnection>, { cancellation }: Entry, ms: number): Promise<void> {
    if (connection.upstream.absence() === undefined) return Promise.resolve();
    const otherwise = (): UpstreamFault =>
      new UpstreamFault('unavailable', 'it is still starting', { retryAfterMs: ms });
    return waitFor(connection.started, { ms, cancellation, otherwise });
  }

  /** Once, when the first connection is there, and before any call is sent on it. */
  #decide(started: Promise<void>): void {
    if (this.#mode !== undefined || this.#isClosing) return;
    this.#isolation = this.#judge();
    this.#mode = this.#isolation.mode;
    if (this.#mode === 'shared') {
      this.#options.onShared(this.#first);
    } else {
      this.#news.shownState = 'ready';
      this.#instances.adopt({ upstream: this.#first, started });
    }
    this.#settleDecision();
  }

  #judge(): IsolationStatus {
    const { isolation } = this.#options.config;
    if (isolation !== 'auto') {
      if (!this.#first.hasSession) this.#news.report(NO_SESSION);
      return { mode: isolation, from: 'configuration', evidence: [] };
    }
    const { era = 'legacy' } = this.#first.status();
    const { mode, evidence, doubt } = assessIsolation({
      tools: this.#tools,
      era,
      hasSession: this.#first.hasSession,
    });
    if (doubt !== undefined) this.#news.report(doubt);
    return { mode, from: 'evidence', evidence, doubt };
  }

  /** Without rights nothing of the owner is kept; with new ones a connection that waits begins anew. */
  #noteRights(owner: string, hasRights: boolean): void {
    if (!hasRights || this.#instances.find(owner)?.upstream.absence() !== undefined) this.#instances.end(owner);
    this.#events?.onRightsChanged?.(this.slug, owner, hasRights);
  }

  #hasInstances(): boolean {
    return this.#mode === 'session' || this.#mode === 'client';
  }

  #describeIsolation(isolation: IsolationStatus): IsolationStatus {
    if (isolation.mode === 'shared') return isolation;
    const { max } = this.#options.config.instances;
    return { ...isolation, instances: { running: this.#instances.running().length, max } };
  }

  #create(credentials: RequestCredentials | undefined): ManagedUpstream {
    const { config, around, starts } = this.#options;
    const upstream = new ManagedUpstream({
      config,
      around: { ...around, observe: this.#news.observe },
      starts,
      memory: this.#memory,
      credentials,
    });
    if (this.#logLevel !== undefined) upstream.setLogLevel(this.#logLevel);
    return upstream;
  }

  #open(owner: Owner): OwnConnection {
    const upstream = this.#create(owner === undefined ? undefined : this.#options.rights?.credentialsOf(owner));
    if (owner !== undefined) this.#owners.set(upstream, owner);
    const events = { ...this.#eventsOf(upstream), onConnected: () => this.#noteConnected(upstream) };
    return { upstream, started: upstream.connect(events) };
  }

  #eventsOf(upstream: ManagedUpstream): UpstreamEvents {
    const events: Partial<UpstreamEvents> = this.#events ?? {};
    const { onFirstStart: _first, onCannotStart: _cannot, onConnected: _connected, ...others } = events;
    return {
      ...others,
      onTools: (_slug, tools) => this.#takeTools(tools, this.#ownerOfConnection(upstream)),
      onListChanged: (slug, kind) => others.onListChanged?.(slug, kind, this.#ownerOfConnection(upstream)),
      onLimits: (slug, limits, tool) => others.onLimits?.(slug, limits, tool, this.#accountOfConnection(upstream)),
      onResourceUpdated: (slug, uri) => others.onResourceUpdated?.(slug, uri, this.#owners.get(upstream)),
    };
  }

  /** What a connection says that no caller has is everybody's. */
  #ownerOfConnection(upstream: ManagedUpstream): Owner {
    const owner = this.#owners.get(upstream);
    return owner === OWN_REQUESTS ? undefined : owner;
  }

  #accountOfConnection(upstream: ManagedUpstream): Owner {
    return this.#options.rights === undefined ? undefined : this.#ownerOfConnection(upstream);
  }

  #takeTools(tools: readonly RawTool[], owner: Owner): void {
    if (owner === undefined) this.#tools = tools;
    this.#events?.onTools(this.slug, tools, owner);
  }

  #noteConnected(upstream: ManagedUpstream): void {
    this.#last = upstream.status();
    const owner = this.#ownerOfConnection(upstream);
    const said = { capabilities: upstream.capabilities(), introduction: upstream.introduction() };
    if (owner === undefined) this.#shared = said;
    else this.#said.set(owner, said);
    this.#events?.onConnected?.(this.slug, owner);
  }

  #noteEnd({ upstream }: OwnConnection): void {
    this.#endedRestarts += upstream.status().restarts;
    this.#events?.onStateLost?.(this.slug);
    if (this.#instances.running().length === 0 && !this.#isClosing) this.#news.noteDormant();
  }
}

/** What finding the connection of a call or request depends on. */
type Entry = FailedParts &
  Pick<UpstreamCall, 'cancellation' | 'timeoutMs' | 'onStateLost'> & { readonly caller?: Caller | undefined };

/** What a server has said of itself. */
interface SaidOfItself {
  readonly capabilities: JsonObject | undefined;
  readonly introduction: Introduction | undefined;
}

/** Owners whose words are remembered: one that is forgotten is told them again when it connects. */
const MOST_OWNERS = 10_000;

/** A server that has said nothing to anybody may have any list for a user: what it does not know it refuses. */
const MAY_HAVE_ALL: JsonObject = { resources: {}, prompts: {}, completions: {} };

/** What connecting with a caller's rights is, for its failure. */
const CONNECTING = { tool: 'tools/list', arguments: {}, retryable: true } as const;

/** What the request for news of a resource is, for its failure. */
const WATCHING = { tool: 'resources/subscribe', retryable: true } as const;

/** The users of a server with `credentials` have connections of their own, whatever it offers. */
const BY_RIGHTS: IsolationStatus = { mode: 'client', from: 'configuration', evidence: [] };
