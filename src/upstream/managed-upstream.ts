import type { JsonObject } from '../base/json/json.js';
import type { UpstreamState } from '../base/observe/observation.js';
import { Cancellation } from '../base/protocol/cancellation.js';
import { LargeAnswer } from '../base/protocol/large-answer.js';
import type { CallLog, LogLevel } from '../base/protocol/log-message.js';
import type { ToolCallResult } from '../base/protocol/result.js';
import type { Absence, Introduction, RawTool } from '../base/protocol/tools.js';
import type { WireAnswer } from '../base/protocol/wire-answer.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { UnreadMessage } from './call-channel.js';
import { Circuit } from './circuit.js';
import { Condition, Readiness } from './condition.js';
import { CallsInProgress, type Connection, listContent, openConnection, type ServerMemory } from './connection.js';
import type { WatchedResource } from './owned-watches.js';
import { inDoubt, MAX_REPEATS, RestartBudget, RetryPacer, repeatReason } from './retries.js';
import type { StartSlots } from './start-slots.js';
import {
  describeConnectFailure,
  type FailedParts,
  failedCallOf,
  isAnswer,
  translateFailure,
} from './translate-failure.js';
import { type FaultKind, findFault, UpstreamFault } from './transport/fault.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import { CredentialMasking, type OwnCredentials, withoutCredentials } from './transport/own-credentials.js';
import { SplitAnswer } from './transport/split-answer.js';
import type { RequestCredentials } from './transport/user-rights.js';
import type { Upstream, UpstreamCall, UpstreamEvents, UpstreamRequest, UpstreamStatus } from './upstream.js';

/** For so long after a loss (or the start) calls wait for the connection instead of failing. */
const PATIENCE_MS = 5_000;
/** Pauses longer than this are reported each time. */
const LONG_PAUSE_MS = 2_000;
/** Probing time for a child process; doubled with each failure, for servers that are slow to start. */
const PROBE_MS = 3_000;

/** Starts in a row after which a process that always ends is not one that is slow to start. */
const HOPELESS_STARTS = 3;

interface ManagedUpstreamOptions {
  readonly config: UpstreamConfig;
  readonly around: TransportSurroundings;
  /** Of all child processes together. */
  readonly starts: StartSlots;
  /** What several connections to one server know together. */
  readonly memory?: ServerMemory;
  /** What its requests carry beside the configured headers. */
  readonly credentials?: RequestCredentials | undefined;
}

/** Keeps one server connected for as long as the gateway runs, and sends it calls. */
export class ManagedUpstream implements Upstream {
  readonly slug: string;
  readonly isIsolated = false;

  readonly #options: ManagedUpstreamOptions;
  readonly #memory: ServerMemory;
  readonly #masking: CredentialMasking;
  /** Whether it has no credentials and will never have some: then its answers are not looked through. */
  readonly #hasNone: boolean;
  readonly #calls: CallsInProgress;
  readonly #readiness = new Readiness<Connection>();
  readonly #pacer = new RetryPacer();
  readonly #budget: RestartBudget;
  /** Absent where the configuration has none. */
  readonly #circuit: Circuit | undefined;
  readonly #condition: Condition;
  readonly #closing = new AbortController();
  readonly #retired = new Set<Connection>();
  #settle: () => void = () => {};
  #connection: Connection | undefined;
  #logLevel: LogLevel | undefined;
  #tools = 0;
  /** Of the list that this connection handed over last: an equal one changes nothing. */
  #listDigest: string | undefined;
  #capabilities: JsonObject | undefined;
  /** The resources of which the server should tell changes, over all connections. */
  readonly #watched = new Set<string>();
  #restarts = 0;
  #wasStarted = false;
  /** Starts whose process ended before it was ready, in a row. */
  #failedStarts = 0;
  /** Whether an operator has asked for another start, and what then ends the wait of one that is given up. */
  #isRestarting = false;
  #revive: () => void = () => {};
  #downSince = performance.now();
  #ending: Promise<void> | undefined;
  #events: UpstreamEvents | undefined;
  /** Where what it says between two calls goes; undefined where it has no owner. */
  #ownerLog: CallLog | undefined;
  #supervision: Promise<void> | undefined;

  constructor(options: ManagedUpstreamOptions) {
    const { config, credentials } = options;
    this.#options = options;
    this.slug = config.slug;
    this.#memory = options.memory ?? { era: {}, tools: new Map() };
    this.#masking = new CredentialMasking(config.endpoint, credentials);
    this.#hasNone = credentials === undefined && this.#masking.current.literals.length === 0;
    this.#calls = new CallsInProgress(config.maxConcurrency, config.queue);
    this.#budget = new RestartBudget(config.restarts);
    const { circuit: bounds } = config;
    const onChange = (cause: UpstreamFault | undefined): void => this.#noteCircuit(cause);
    this.#circuit = bounds.failures === 0 ? undefined : new Circuit({ bounds, onChange });
    const { observe } = options.around;
    this.#condition = new Condition({ config, observe, pacer: this.#pacer, circuit: this.#circuit });
  }

  get #credentials(): OwnCredentials {
    return this.#masking.current;
  }

  get #hasCredentials(): boolean {
    return !this.#hasNone && this.#masking.current.literals.length > 0;
  }

  /** Begins to keep it connected. Resolves when the first attempt has succeeded or failed; never rejects. */
  connect(events: UpstreamEvents): Promise<void> {
    if (this.#options.config.disabled || this.#events !== undefined) return Promise.resolve();
    this.#events = events;
    const settled = new Promise<void>((resolve) => (this.#settle = resolve));
    this.#supervision = this.#supervise();
    return settled;
  }

  async call(call: UpstreamCall): Promise<ToolCallResult | WireAnswer | LargeAnswer> {
    return this.#run(call, call, async (connection, timeoutMs) => {
      const sent = this.#hasCredentials ? this.#credentials.maskProgress(call) : call;
      const result = await connection.call(sent, timeoutMs);
      if (result instanceof UnreadMessage) return this.#holdUnread(result, call);
      if (result instanceof SplitAnswer) return result.release(this.#credentials);
      const listed = listContent(result);
      return this.#hasCredentials ? this.#credentials.maskAll(listed) : listed;
    });
  }

  async request(request: UpstreamRequest): Promise<JsonObject> {
    const { method, params, caller, cancellation, timeoutMs, words, resource } = request;
    const failed = {
      tool: method,
      arguments: params,
      retryable: true,
      ...(words === undefined ? {} : { words }),
      resource: () => resource,
    };
    const delivery = { retryable: true, caller, cancellation, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    return this.#run(delivery, failed, async (connection, ms) => {
      const result = await connection.request(this.#credentials.maskProgress(request), ms);
      return this.#hasCredentials ? this.#credentials.maskAll(result) : result;
    });
  }

  async #run<T>(
    delivery: Delivery,
    failed: FailedParts,
    send: (connection: Connection, timeoutMs: number) => Promise<T>,
  ): Promise<T> {
    const timeoutMs = delivery.timeoutMs ?? this.#options.config.timeoutMs;
    const deliver = (): Promise<T> => this.#deliver(delivery, timeoutMs, (connection) => send(connection, timeoutMs));
    try {
      this.#circuit?.check();
      if (!this.#calls.tryEnter()) await this.#calls.enter({ ...delivery, timeoutMs });
      try {
        return await (this.#circuit === undefined ? deliver() : this.#circuit.run(deliver));
      } finally {
        this.#calls.leave();
      }
    } catch (error) {
      throw withoutCredentials(translateFailure(error, failedCallOf(this.slug, failed)), this.#credentials);
    }
  }

  /** Resolves when no call of it is in progress. */
  whenIdle(): Promise<void> {
    return this.#calls.whenNone();
  }

  /** The resources of which the server tells changes. */
  get watched(): readonly WatchedResource[] {
    return [...this.#watched].map((uri) => ({ uri }));
  }

  capabilities(): JsonObject | undefined {
    return this.#capabilities;
  }

  async watchResource(uri: string, isWatched: boolean): Promise<void> {
    if (!isWatched) {
      if (this.#watched.delete(uri)) await this.#connection?.watch.set(uri, false).catch(() => undefined);
      return;
    }
    if (this.#watched.has(uri)) return;
    const failed = { tool: 'resources/subscribe', arguments: { uri }, retryable: true };
    const delivery = { retryable: true, cancellation: new Cancellation() };
    await this.#run(delivery, failed, (connection) => connection.watch.set(uri, true));
    this.#watched.add(uri);
  }

  #holdUnread({ message: { pieces }, id }: UnreadMessage, call: UpstreamCall): LargeAnswer {
    return new LargeAnswer({
      pieces,
      id,
      credentials: this.#credentials.literals,
      call: failedCallOf(this.slug, call),
    });
  }

  status(): UpstreamStatus {
    const { config } = this.#options;
    const connection = this.#connection;
    return {
      name: config.name,
      slug: config.slug,
      ...this.#condition.describe(),
      transport: connection?.transport ?? config.endpoint.type,
      tools: this.#tools,
      restarts: this.#restarts,
      calls: this.#calls.stats(),
      ...(connection === undefined ? {} : { era: connection.era }),
      ...(connection?.protocolVersion === undefined ? {} : { protocolVersion: connection.protocolVersion }),
      ...(connection?.server === undefined ? {} : { server: connection.server }),
    };
  }

  /** All callers share its connection. */
  ownerOf(): undefined {
    return undefined;
  }

  /** Whether the server knows this connection by a session of its own, or by the process that it is. */
  get hasSession(): boolean {
    return this.#connection?.hasSession === true;
  }

  /** Connections that were lost and made anew. */
  get restarts(): number {
    return this.#restarts;
  }

  absence(): Absence | undefined {
    const stopped = STOPPED.find((state) => state === this.#condition.state);
    if (stopped !== undefined) return { stopped, retryAfterMs: 0 };
    if (this.#connection?.usable === true) return undefined;
    return { retryAfterMs: this.#pacer.remainingMs };
  }

  introduction(): Introduction | undefined {
    return this.#connection?.introduction;
  }

  /** What its server says between two calls is for this session from now on, or for the only client. */
  logTo(sessionId: string | undefined): void {
    this.#ownerLog = { level: 'debug', write: (message) => this.#events?.onLog?.(sessionId, message) };
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    this.#connection?.setLogLevel(level);
  }

  retryNow(): void {
    this.#pacer.retryNow();
  }

  restart(): void {
    this.#budget.refill();
    this.#circuit?.reset();
    this.#isRestarting = this.#connection !== undefined;
    this.#connection?.retire();
    this.#pacer.resume();
    this.#revive();
  }

  /** Ends the connection and gives up on the next. Safe to call twice. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (this.#options.config.disabled) return;
    this.#condition.enter('closed', 'closed');
    this.#readiness.fail(new UpstreamFault('unavailable', 'the gateway is closing'));
    this.#closing.abort();
    this.#pacer.resume();
    this.#revive();
    await Promise.all([this.#connection, ...this.#retired].map((connection) => connection?.close()));
    await this.#supervision;
  }

  /** Sends the call, and sends it again after a loss where that is safe. */
  async #deliver<T>(call: Delivery, timeoutMs: number, send: (connection: Connection) => Promise<T>): Promise<T> {
    const repeats = { unsent: 0, run: 0, forgotten: 0 };
    for (;;) {
      const ready = this.#connection;
      const connection = ready?.usable === true ? ready : await this.#awaitConnection(call, timeoutMs);
      try {
        const checking = call.beforeSend?.();
        if (checking !== undefined) {
          await checking;
          // The connection may have been lost meanwhile.
          continue;
        }
        return await send(connection);
      } catch (error) {
        const reason = repeatReason(findFault(error), call);
        if (reason === undefined || this.#isClosed()) throw error;
        repeats[reason] += 1;
        // A new session that is forgotten at once says that this was no matter of sessions: what ran is then unknown.
        if (repeats[reason] > MAX_REPEATS[reason]) throw reason === 'forgotten' ? inDoubt(error) : error;
        if (reason !== 'unsent' && (await call.mayRepeat?.()) === false) throw error;
      }
    }
  }

  #awaitConnection(call: Delivery, timeoutMs: number): Promise<Connection> {
    const now = performance.now();
    // A connection that cannot be used but is still in its place was lost in this very moment.
    const downSince = this.#connection === undefined ? this.#downSince : now;
    const patienceMs = Math.min(timeoutMs, downSince + PATIENCE_MS - now);
    const unavailable = new UpstreamFault('unavailable', this.#condition.problem ?? 'it is not connected', {
      retryAfterMs: this.#pacer.remainingMs,
    });
    if (this.#isClosed() || this.#options.config.disabled) return Promise.reject(unavailable);
    if (this.#condition.state === 'failed') return Promise.reject(new UpstreamFault('stopped', unavailable.message));
    this.#pacer.retryNow();
    if (patienceMs <= 0) return Promise.reject(unavailable);
    return this.#readiness.wait({ patienceMs, cancellation: call.cancellation, otherwise: unavailable });
  }

  async #supervise(): Promise<void> {
    while (!this.#isClosed()) {
      const connection = await this.#connect();
      const hasFailed = connection === undefined || (await this.#serve(connection));
      this.#settle();
      if (this.#isClosed()) return;
      if (hasFailed && !this.#budget.spend()) await this.#giveUp();
      else await this.#pacer.pause();
    }
  }

  /** Waits until an operator asks for another start; a changed configuration closes this one and makes another. */
  async #giveUp(): Promise<void> {
    const revived = new Promise<void>((resolve) => (this.#revive = resolve));
    const spent = `${this.#condition.problem ?? 'it does not start'} (given up after ${this.#budget.describe()})`;
    this.#condition.problem = spent;
    this.#condition.enter('failed', spent);
    this.#readiness.fail(new UpstreamFault('stopped', spent));
    await revived;
  }

  async #connect(): Promise<Connection | undefined> {
    const { config, around, starts, credentials } = this.#options;
    const isChild = config.endpoint.type === 'stdio';
    const release = isChild ? await starts.take(this.#closing.signal) : undefined;
    if (this.#isClosed()) {
      release?.();
      return undefined;
    }
    const startedAt = performance.now();
    this.#listDigest = undefined;
    if (!this.#wasStarted) this.#events?.onFirstStart?.(this.slug);
    this.#wasStarted = true;
    this.#condition.forgetLines();
    if (this.#condition.state === 'failed' || (this.#pacer.failures === 0 && !this.#pacer.looping))
      this.#condition.enter('starting', 'starting');
    try {
      return await openConnection({
        config,
        around,
        credentials,
        memory: this.#memory.era,
        tools: this.#memory.tools,
        signal: this.#closing.signal,
        probeTimeoutMs: PROBE_MS * 2 ** Math.min(this.#pacer.failures, 4),
        onTools: (tools, digest) => this.#takeTools(tools, digest),
        onCapabilities: (capabilities) => {
          this.#capabilities = capabilities;
        },
        news: {
          onListChanged: (kind) => this.#events?.onListChanged?.(this.slug, kind),
          onResourceUpdated: (uri) => this.#events?.onResourceUpdated?.(this.slug, uri, undefined),
        },
        onStderr: this.#condition.addLine,
        onLimits: (limits, tool) => this.#events?.onLimits?.(this.slug, limits, tool),
        onAsked: (asked) => this.#events?.onAsked?.(this.slug, asked),
        ownerLog: () => this.#ownerLog,
        onDiagnostic: (message) =>
          around.observe({ kind: 'diagnostic', severity: 'warning', upstream: this.slug, message }),
      });
    } catch (error) {
      this.#fail(error, performance.now() - startedAt);
      return undefined;
    } finally {
      release?.();
    }
  }

  #fail(error: unknown, tookMs: number): void {
    if (this.#isClosed()) return;
    // What it answered contradicts what was remembered: next time it is asked afresh.
    if (isAnswer(error)) {
      this.#memory.era.prior = undefined;
      this.#memory.era.sse = false;
    }
    this.#pacer.failed(tookMs);
    this.#judgeStart(findFault(error)?.kind);
    const problem = this.#credentials.mask(describeConnectFailure(error));
    const news = problem !== this.#condition.problem;
    this.#condition.problem = problem;
    // The same failure ten times a second is no news; once the pauses are long, each attempt is reported.
    if (news || this.#pacer.pauseMs > LONG_PAUSE_MS) this.#condition.enter('waiting', problem);
    else this.#condition.stay('waiting');
  }

  #judgeStart(kind: FaultKind | undefined): void {
    this.#failedStarts = kind === 'exited' ? this.#failedStarts + 1 : 0;
    if (kind === 'command' || this.#failedStarts === HOPELESS_STARTS) this.#events?.onCannotStart?.(this.slug);
  }

  /** Hands out the connection until it is lost. Resolves with whether the server failed, rather than ended a session as servers do. */
  async #serve(connection: Connection): Promise<boolean> {
    if (this.#isClosed()) {
      await connection.close();
      return false;
    }
    const since = performance.now();
    this.#connection = connection;
    if (this.#logLevel !== undefined) connection.setLogLevel(this.#logLevel);
    this.#condition.problem = undefined;
    this.#circuit?.reset();
    this.#condition.enter(
      'ready',
      `connected: ${this.#tools} tools, protocol ${connection.protocolVersion ?? 'unknown'}`,
    );
    this.#events?.onConnected?.(this.slug);
    this.#readiness.give(connection);
    this.#settle();
    for (const uri of this.#watched) connection.watch.set(uri, true).catch(() => undefined);

    const fault = await connection.lost;
    this.#retire(connection);
    if (this.#isClosed()) return false;
    const hasFailed = fault.kind !== 'forgotten' && !this.#isRestarting;
    this.#isRestarting = false;
    this.#connection = undefined;
    this.#restarts += 1;
    this.#downSince = performance.now();
    this.#pacer.disconnected(this.#downSince - since, hasFailed);
    this.#condition.problem = this.#credentials.mask(fault.message);
    this.#condition.enter('waiting', `connection lost: ${this.#condition.problem}`);
    return hasFailed;
  }

  /** The connection is there, but calls are refused for a while, or are let through again. */
  #noteCircuit(cause: UpstreamFault | undefined): void {
    if (this.#connection === undefined) return;
    this.#condition.problem =
      cause === undefined ? undefined : this.#credentials.mask(`its calls fail: ${cause.message}`);
    if (cause === undefined) this.#condition.enter('ready', 'calls are answered again');
    else this.#condition.enter('degraded', `${this.#condition.problem}; calls are refused until one is answered`);
  }

  /** Calls that a server is still answering may end, unless the gateway closes first. */
  #retire(connection: Connection): void {
    this.#retired.add(connection);
    void connection.closed.then(() => this.#retired.delete(connection));
    connection.retire();
  }

  /** Read anew because the state changes while the caller waits. */
  #isClosed(): boolean {
    return this.#condition.state === 'closed';
  }

  #takeTools(tools: readonly RawTool[], digest: string): void {
    if (this.#isClosed()) return;
    this.#tools = tools.length;
    if (digest === this.#listDigest) return;
    this.#listDigest = digest;
    try {
      this.#events?.onTools(this.slug, tools);
    } catch (cause) {
      this.#options.around.observe({ kind: 'defect', where: 'upstream.onTools', cause });
    }
  }
}

/** What sending something depends on, whatever it is. */
type Delivery = Pick<UpstreamCall, 'retryable' | 'timeoutMs' | 'cancellation' | 'beforeSend' | 'mayRepeat'> & {
  readonly caller?: UpstreamCall['caller'] | undefined;
};

/** States in which it is not tried again by itself. */
const STOPPED = ['disabled', 'misconfigured', 'failed'] as const satisfies readonly UpstreamState[];
