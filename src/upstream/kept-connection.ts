import type { JsonObject } from '../base/json/json.js';
import type { Cancellation } from '../base/protocol/cancellation.js';
import type { CallLog, LogLevel } from '../base/protocol/log-message.js';
import type { Absence, RawTool } from '../base/protocol/tools.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { Circuit } from './circuit.js';
import { Condition } from './condition.js';
import type { Connection, ServerMemory } from './connection.js';
import { openConnection } from './open-connection.js';
import { RestartBudget, RetryPacer } from './retries.js';
import type { StartSlots } from './start-slots.js';
import { describeConnectFailure, isAnswer } from './translate-failure.js';
import { type FaultKind, findFault, UpstreamFault } from './transport/fault.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import type { CredentialMasking } from './transport/own-credentials.js';
import { mayInstall } from './transport/resolve-command.js';
import type { RequestCredentials } from './transport/user-rights.js';
import type { UpstreamEvents, UpstreamStatus } from './upstream.js';

/** For so long after a loss (or the start) calls wait for the connection instead of failing. */
const PATIENCE_MS = 5_000;
/** Pauses longer than this are reported each time. */
const LONG_PAUSE_MS = 2_000;
/** Probing time for a child process; doubled with each failure, for servers that are slow to start. */
const PROBE_MS = 3_000;

/** How often the time of a child's start is doubled after starts that took too long, and how long it may become. */
const MOST_DOUBLINGS = 4;
const LONGEST_START_MS = 300_000;
/** For one that may be installed first. No more at once: one that is silent to the newer handshake is asked the old way the next time. */
const INSTALLING_DOUBLINGS = 2;

/** Starts in a row after which a process that always ends is not one that is slow to start. */
const HOPELESS_STARTS = 3;

interface KeptConnectionOptions {
  readonly config: UpstreamConfig;
  readonly around: TransportSurroundings;
  /** Of all child processes together. */
  readonly starts: StartSlots;
  readonly memory: ServerMemory;
  readonly masking: CredentialMasking;
  /** What its requests carry beside the configured headers. */
  readonly credentials: RequestCredentials | undefined;
}

/** The connection to one server, made anew whenever it is lost, for as long as the gateway runs. */
export class KeptConnection {
  /** Undefined while there is none. */
  current: Connection | undefined;
  /** Connections that were lost. */
  losses = 0;
  /** What the server declared at its last handshake. */
  capabilities: JsonObject | undefined;
  /** The resources of which the server should tell changes, over all connections. */
  readonly watched = new Set<string>();
  /** Where what it says between two calls goes; undefined where it has no owner. */
  ownerLog: CallLog | undefined;
  /** Absent where the configuration has none. */
  readonly circuit: Circuit | undefined;
  events: UpstreamEvents | undefined;

  readonly #options: KeptConnectionOptions;
  readonly #slug: string;
  readonly #readiness = new Readiness<Connection>();
  readonly #pacer = new RetryPacer();
  readonly #budget: RestartBudget;
  readonly #condition: Condition;
  readonly #closing = new AbortController();
  readonly #retired = new Set<Connection>();
  #settle: () => void = () => {};
  #logLevel: LogLevel | undefined;
  #tools = 0;
  /** Of the list that this connection handed over last: an equal one changes nothing. */
  #listDigest: string | undefined;
  #wasStarted = false;
  #failedAttempts = 0;
  /** Attempts whose time was over, since it was connected last. */
  #expiredAttempts = 0;
  /** Starts whose process ended before it was ready, in a row. */
  #failedStarts = 0;
  /** Whether an operator has asked for another start, and what then ends the wait of one that is given up. */
  #isRestarting = false;
  #revive: () => void = () => {};
  #downSince = performance.now();
  #ending: Promise<void> | undefined;
  #supervision: Promise<void> | undefined;

  constructor(options: KeptConnectionOptions) {
    const { config, around } = options;
    this.#options = options;
    this.#slug = config.slug;
    this.#budget = new RestartBudget(config.restarts);
    const { circuit: bounds } = config;
    const onChange = (cause: UpstreamFault | undefined): void => this.#noteCircuit(cause);
    this.circuit = bounds.failures === 0 ? undefined : new Circuit({ bounds, onChange });
    const { observe } = around;
    this.#condition = new Condition({ config, observe, pacer: this.#pacer, circuit: this.circuit });
  }

  /** Begins to keep it connected. Resolves when the first attempt has succeeded or failed; never rejects. */
  keep(events: UpstreamEvents): Promise<void> {
    if (this.#options.config.disabled || this.events !== undefined) return Promise.resolve();
    this.events = events;
    const settled = new Promise<void>((resolve) => (this.#settle = resolve));
    this.#supervision = this.#supervise();
    return settled;
  }

  status(): Omit<UpstreamStatus, 'calls'> {
    const { config } = this.#options;
    const connection = this.current;
    return {
      name: config.name,
      slug: config.slug,
      ...this.#condition.describe(),
      transport: connection?.transport ?? config.endpoint.type,
      tools: this.#tools,
      // Each attempt that failed is followed by another start, as each loss is.
      restarts: this.losses + this.#failedAttempts,
      ...(connection === undefined ? {} : { era: connection.era }),
      ...(connection?.protocolVersion === undefined ? {} : { protocolVersion: connection.protocolVersion }),
      ...(connection?.server === undefined ? {} : { server: connection.server }),
    };
  }

  absence(): Absence | undefined {
    const stopped = STOPPED.find((state) => state === this.#condition.state);
    if (stopped !== undefined) return { stopped, retryAfterMs: 0 };
    if (this.current?.usable === true) return undefined;
    const isStarting = this.#condition.state === 'starting';
    return { retryAfterMs: this.#pacer.remainingMs, ...(isStarting && { under: 'starting' }) };
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    this.current?.setLogLevel(level);
  }

  retryNow(): void {
    this.#pacer.retryNow();
  }

  restart(): void {
    this.#budget.refill();
    this.circuit?.reset();
    this.#isRestarting = this.current !== undefined;
    this.current?.retire();
    this.#pacer.resume();
    this.#revive();
  }

  /** Ends the connection and gives up on the next. Safe to call twice. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Read anew because the state changes while the caller waits. */
  isClosed(): boolean {
    return this.#condition.state === 'closed';
  }

  /** Waits for the connection for as long as it is soon to be expected. Rejects with an `UpstreamFault`. */
  await(cancellation: Cancellation, timeoutMs: number): Promise<Connection> {
    const now = performance.now();
    // A connection that cannot be used but is still in its place was lost in this very moment.
    const downSince = this.current === undefined ? this.#downSince : now;
    const patienceMs = Math.min(timeoutMs, downSince + PATIENCE_MS - now);
    const unavailable = new UpstreamFault('unavailable', this.#condition.problem ?? 'it is not connected', {
      retryAfterMs: this.#pacer.remainingMs,
    });
    if (this.isClosed() || this.#options.config.disabled) return Promise.reject(unavailable);
    if (this.#condition.state === 'failed') return Promise.reject(new UpstreamFault('stopped', unavailable.message));
    this.#pacer.retryNow();
    if (patienceMs <= 0) return Promise.reject(unavailable);
    return this.#readiness.wait({ patienceMs, cancellation, otherwise: unavailable });
  }

  async #end(): Promise<void> {
    if (this.#options.config.disabled) return;
    this.#condition.enter('closed', 'closed');
    this.#readiness.fail(new UpstreamFault('unavailable', 'the gateway is closing'));
    this.#closing.abort();
    this.#pacer.resume();
    this.#revive();
    await Promise.all([this.current, ...this.#retired].map((connection) => connection?.close()));
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    while (!this.isClosed()) {
      const connection = await this.#connect();
      const hasFailed = connection === undefined || (await this.#serve(connection));
      this.#settle();
      if (this.isClosed()) return;
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
    const { config, around, starts, credentials, memory } = this.#options;
    const isChild = config.endpoint.type === 'stdio';
    const release = isChild ? await starts.take(this.#closing.signal) : undefined;
    if (this.isClosed()) {
      release?.();
      return undefined;
    }
    const startedAt = performance.now();
    this.#listDigest = undefined;
    if (!this.#wasStarted) this.events?.onFirstStart?.(this.#slug);
    this.#wasStarted = true;
    this.#condition.forgetLines();
    if (this.#condition.state === 'failed' || (this.#pacer.failures === 0 && !this.#pacer.looping))
      this.#condition.enter('starting', 'starting');
    const startMs = this.#startMs();
    const slow = setTimeout(() => this.#tellSlowStart(startMs), config.connectTimeoutMs).unref();
    try {
      return await openConnection({
        config,
        around,
        credentials,
        memory: memory.era,
        tools: memory.tools,
        pings: memory.pings,
        signal: this.#closing.signal,
        timeoutMs: startMs,
        probeTimeoutMs: PROBE_MS * 2 ** Math.min(this.#pacer.failures, 4),
        onTools: (tools, digest) => this.#takeTools(tools, digest),
        onCapabilities: (capabilities) => {
          this.capabilities = capabilities;
        },
        news: {
          onListChanged: (kind) => this.events?.onListChanged?.(this.#slug, kind, undefined),
          onResourceUpdated: (uri) => this.events?.onResourceUpdated?.(this.#slug, uri, undefined),
        },
        onStderr: this.#condition.addLine,
        onLimits: (limits, tool) => this.events?.onLimits?.(this.#slug, limits, tool, undefined),
        onAsked: (asked) => this.events?.onAsked?.(this.#slug, asked),
        ownerLog: () => this.ownerLog,
        onDiagnostic: (message) =>
          around.observe({ kind: 'diagnostic', severity: 'warning', upstream: this.#slug, message }),
      });
    } catch (error) {
      this.#fail(error, performance.now() - startedAt);
      return undefined;
    } finally {
      clearTimeout(slow);
      release?.();
    }
  }

  /** A child that is ended while it installs itself begins anew, or stays broken: it gets more time at once, and each more the next time. */
  #startMs(): number {
    const { endpoint, connectTimeoutMs } = this.#options.config;
    if (endpoint.type !== 'stdio') return connectTimeoutMs;
    const earlier = mayInstall(endpoint) ? INSTALLING_DOUBLINGS : 0;
    const doublings = Math.min(earlier + this.#expiredAttempts, MOST_DOUBLINGS);
    return Math.max(connectTimeoutMs, Math.min(connectTimeoutMs * 2 ** doublings, LONGEST_START_MS));
  }

  /** Nothing else waits for a first start longer than for others. */
  #tellSlowStart(startMs: number): void {
    const { endpoint, connectTimeoutMs } = this.#options.config;
    const isFirst = this.#failedAttempts === 0 && this.losses === 0;
    if (!isFirst || endpoint.type !== 'stdio' || startMs <= connectTimeoutMs || this.isClosed()) return;
    const waited = `not connected within ${connectTimeoutMs / 1000} s ('connectTimeoutMs')`;
    this.#condition.problem = `${waited}; '${endpoint.command}' may be installing it, so it is waited for up to ${startMs / 1000} s`;
    this.#condition.enter('starting', this.#condition.problem);
    this.#settle();
  }

  #fail(error: unknown, tookMs: number): void {
    if (this.isClosed()) return;
    // What it answered contradicts what was remembered: next time it is asked afresh.
    if (isAnswer(error)) {
      const { memory } = this.#options;
      memory.era.prior = undefined;
      memory.era.modern = false;
      memory.era.sse = false;
    }
    this.#failedAttempts += 1;
    if (findFault(error)?.kind === 'timeout') this.#expiredAttempts += 1;
    this.#pacer.failed(tookMs);
    this.#judgeStart(findFault(error)?.kind);
    const problem = this.#options.masking.current.mask(describeConnectFailure(error));
    const news = problem !== this.#condition.problem;
    this.#condition.problem = problem;
    // The same failure ten times a second is no news; once the pauses are long, each attempt is reported.
    if (news || this.#pacer.pauseMs > LONG_PAUSE_MS) this.#condition.enter('waiting', problem);
    else this.#condition.stay('waiting');
  }

  #judgeStart(kind: FaultKind | undefined): void {
    this.#failedStarts = kind === 'exited' ? this.#failedStarts + 1 : 0;
    if (kind === 'command' || this.#failedStarts === HOPELESS_STARTS) this.events?.onCannotStart?.(this.#slug);
  }

  /** Hands out the connection until it is lost. Resolves with whether the server failed, rather than ended a session as servers do. */
  async #serve(connection: Connection): Promise<boolean> {
    if (this.isClosed()) {
      await connection.close();
      return false;
    }
    const since = performance.now();
    this.current = connection;
    this.#expiredAttempts = 0;
    if (this.#logLevel !== undefined) connection.setLogLevel(this.#logLevel);
    this.#condition.problem = undefined;
    this.circuit?.reset();
    this.#condition.enter(
      'ready',
      `connected: ${this.#tools} tools, protocol ${connection.protocolVersion ?? 'unknown'}`,
    );
    this.events?.onConnected?.(this.#slug, undefined);
    this.#readiness.give(connection);
    this.#settle();
    for (const uri of this.watched) connection.watch.set(uri, true).catch(() => undefined);

    const fault = await connection.lost;
    this.#retire(connection);
    if (this.isClosed()) return false;
    const hasFailed = fault.kind !== 'forgotten' && !this.#isRestarting;
    this.#isRestarting = false;
    this.current = undefined;
    this.losses += 1;
    this.#downSince = performance.now();
    this.#pacer.disconnected(this.#downSince - since, hasFailed);
    this.#condition.problem = this.#options.masking.current.mask(fault.message);
    this.#condition.enter('waiting', `connection lost: ${this.#condition.problem}`);
    return hasFailed;
  }

  /** The connection is there, but calls are refused for a while, or are let through again. */
  #noteCircuit(cause: UpstreamFault | undefined): void {
    if (this.current === undefined) return;
    this.#condition.problem =
      cause === undefined ? undefined : this.#options.masking.current.mask(`its calls fail: ${cause.message}`);
    if (cause === undefined) this.#condition.enter('ready', 'calls are answered again');
    else this.#condition.enter('degraded', `${this.#condition.problem}; calls are refused until one is answered`);
  }

  /** Calls that a server is still answering may end, unless the gateway closes first. */
  #retire(connection: Connection): void {
    this.#retired.add(connection);
    void connection.closed.then(() => this.#retired.delete(connection));
    connection.retire();
  }

  #takeTools(tools: readonly RawTool[], digest: string): void {
    if (this.isClosed()) return;
    this.#tools = tools.length;
    if (digest === this.#listDigest) return;
    this.#listDigest = digest;
    try {
      this.events?.onTools(this.#slug, tools, undefined);
    } catch (cause) {
      this.#options.around.observe({ kind: 'defect', where: 'upstream.onTools', cause });
    }
  }
}

interface Wait {
  readonly patienceMs: number;
  readonly cancellation: Cancellation;
  /** What the wait ends with when patience does. */
  readonly otherwise: UpstreamFault;
}

/** Where calls wait for something that is about to be there again. */
class Readiness<T> {
  readonly #waiting = new Set<(outcome: { readonly value: T } | UpstreamFault) => void>();

  wait({ patienceMs, cancellation, otherwise }: Wait): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: { readonly value: T } | UpstreamFault): void => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        if (outcome instanceof UpstreamFault) reject(outcome);
        else resolve(outcome.value);
      };
      const timer = setTimeout(() => settle(otherwise), patienceMs);
      this.#waiting.add(settle);
      cancellation.onCancel(() => settle(new UpstreamFault('cancelled', cancellation.reason ?? 'cancelled')));
    });
  }

  /** Lets all waiting calls go on. */
  give(value: T): void {
    for (const settle of [...this.#waiting]) settle({ value });
  }

  /** Fails all waiting calls. */
  fail(fault: UpstreamFault): void {
    for (const settle of [...this.#waiting]) settle(fault);
  }
}

/** States in which it is not tried again by itself. */
const STOPPED = ['disabled', 'misconfigured', 'failed'] as const satisfies readonly UpstreamStatus['state'][];
