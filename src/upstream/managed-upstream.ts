import type { JsonObject } from '../base/json/json.js';
import { Cancellation } from '../base/protocol/cancellation.js';
import { LargeAnswer } from '../base/protocol/large-answer.js';
import type { CallLog, LogLevel } from '../base/protocol/log-message.js';
import type { ToolCallResult } from '../base/protocol/result.js';
import type { Absence, Introduction } from '../base/protocol/tools.js';
import type { WireAnswer } from '../base/protocol/wire-answer.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { UnreadMessage } from './call-result.js';
import { CallsInProgress } from './calls-in-progress.js';
import { type Connection, listContent, newServerMemory, type ServerMemory } from './connection.js';
import { KeptConnection } from './kept-connection.js';
import type { WatchedResource } from './owners.js';
import { FailedAttempts } from './repeats.js';
import type { StartSlots } from './start-slots.js';
import { type FailedParts, failedCallOf, translateFailure } from './translate-failure.js';
import { freshHeaders, withFreshHeaders } from './transport/fresh-headers.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import { CredentialMasking, type OwnCredentials, withoutCredentials } from './transport/own-credentials.js';
import { SplitAnswer } from './transport/split-answer.js';
import type { RequestCredentials } from './transport/user-rights.js';
import type { Upstream, UpstreamCall, UpstreamEvents, UpstreamRequest, UpstreamStatus } from './upstream.js';

interface ManagedUpstreamOptions {
  readonly config: UpstreamConfig;
  readonly around: TransportSurroundings;
  /** Of all child processes together. */
  readonly starts: StartSlots;
  /** What several connections to one server know together. */
  readonly memory?: ServerMemory;
  /** What the server declared to the connection that this one takes the place of: it counts until the server has said more. */
  readonly capabilities?: JsonObject | undefined;
  /** What its requests carry beside the configured headers. */
  readonly credentials?: RequestCredentials | undefined;
}

/** Keeps one server connected for as long as the gateway runs, and sends it calls. */
export class ManagedUpstream implements Upstream {
  readonly slug: string;
  readonly isIsolated = false;

  readonly #config: UpstreamConfig;
  readonly #masking: CredentialMasking;
  /** Whether it has no credentials and will never have some: then its answers are not looked through. */
  readonly #hasNone: boolean;
  readonly #calls: CallsInProgress;
  readonly #kept: KeptConnection;

  constructor({
    config,
    around,
    starts,
    memory = newServerMemory(),
    credentials,
    capabilities,
  }: ManagedUpstreamOptions) {
    this.#config = config;
    this.slug = config.slug;
    const fresh = freshHeaders(config, around);
    const sent = credentials === undefined ? fresh : withFreshHeaders(credentials, fresh);
    this.#masking = new CredentialMasking(config.endpoint, sent);
    this.#hasNone = sent === undefined && this.#masking.current.literals.length === 0;
    this.#calls = new CallsInProgress(config.maxConcurrency, config.queue);
    this.#kept = new KeptConnection({ config, around, starts, memory, masking: this.#masking, credentials: sent });
    this.#kept.capabilities = capabilities;
  }

  get #credentials(): OwnCredentials {
    return this.#masking.current;
  }

  get #hasCredentials(): boolean {
    return !this.#hasNone && this.#masking.current.literals.length > 0;
  }

  /** Begins to keep it connected. Resolves when the first attempt has succeeded or failed; never rejects. */
  connect(events: UpstreamEvents): Promise<void> {
    return this.#kept.keep(events);
  }

  async call(call: UpstreamCall): Promise<ToolCallResult | WireAnswer | LargeAnswer> {
    return this.#run(call, call, async (connection, timeoutMs) => {
      const sent = this.#hasCredentials ? this.#credentials.maskProgress(call) : call;
      const result = await connection.call(sent, timeoutMs);
      if (result instanceof UnreadMessage) return this.#holdUnread(result, call);
      if (result instanceof SplitAnswer) return result.release(this.#credentials);
      const listed = Array.isArray(result['content']) ? result : listContent(result);
      return this.#hasCredentials ? this.#credentials.maskAll(listed) : listed;
    });
  }

  async request(request: UpstreamRequest): Promise<JsonObject> {
    const { method, params, retryable = true, caller, cancellation, timeoutMs, words, resource } = request;
    const failed = {
      tool: method,
      arguments: params,
      retryable,
      ...(words === undefined ? {} : { words }),
      resource: () => resource,
    };
    const delivery = { retryable, caller, cancellation, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    return this.#run(delivery, failed, async (connection, ms) => {
      const result = await connection.request(this.#credentials.maskProgress(request), ms);
      return this.#hasCredentials ? this.#credentials.maskAll(result) : result;
    });
  }

  async #run<T>(delivery: Delivery, failed: FailedParts, send: Sending<T>): Promise<T> {
    const timeoutMs = delivery.timeoutMs ?? this.#config.timeoutMs;
    const { circuit } = this.#kept;
    try {
      circuit?.check();
      if (!this.#calls.tryEnter()) await this.#calls.enter({ ...delivery, timeoutMs });
      try {
        if (circuit === undefined) return await this.#deliver(delivery, timeoutMs, send);
        return await circuit.run(() => this.#deliver(delivery, timeoutMs, send));
      } finally {
        this.#calls.leave();
      }
    } catch (error) {
      throw withoutCredentials(translateFailure(error, failedCallOf(this.slug, failed)), this.#credentials);
    }
  }

  async connectFor(): Promise<void> {}

  /** Resolves when no call of it is in progress. */
  whenIdle(): Promise<void> {
    return this.#calls.whenNone();
  }

  /** The resources of which the server tells changes. */
  get watched(): readonly WatchedResource[] {
    return [...this.#kept.watched].map((uri) => ({ uri }));
  }

  capabilities(): JsonObject | undefined {
    return this.#kept.capabilities;
  }

  async watchResource(uri: string, isWatched: boolean): Promise<void> {
    if (!isWatched) {
      if (this.#kept.watched.delete(uri)) await this.#kept.current?.watch.set(uri, false).catch(() => undefined);
      return;
    }
    if (this.#kept.watched.has(uri)) return;
    const failed = { tool: 'resources/subscribe', arguments: { uri }, retryable: true };
    const delivery = { retryable: true, cancellation: new Cancellation() };
    await this.#run(delivery, failed, (connection) => connection.watch.set(uri, true));
    this.#kept.watched.add(uri);
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
    return { ...this.#kept.status(), calls: this.#calls.stats() };
  }

  /** All callers share its connection. */
  ownerOf(): undefined {
    return undefined;
  }

  readerOf(): undefined {
    return undefined;
  }

  accountOf(): undefined {
    return undefined;
  }

  /** Whether the server knows this connection by a session of its own, or by the process that it is. */
  get hasSession(): boolean {
    return this.#kept.current?.hasSession === true;
  }

  /** Connections that were lost, with the state of the server. */
  get losses(): number {
    return this.#kept.losses;
  }

  absence(): Absence | undefined {
    return this.#kept.absence();
  }

  announced(): ReturnType<Upstream['announced']> {
    return this.#kept.current?.announced;
  }

  introduction(): Introduction | undefined {
    return this.#kept.current?.introduction;
  }

  /** What its server says between two calls is for this session from now on, or for the only client. */
  logTo(sessionId: string | undefined): void {
    const write: CallLog['write'] = (message) => this.#kept.events?.onLog?.(sessionId, message);
    this.#kept.ownerLog = { level: 'debug', write };
  }

  setLogLevel(level: LogLevel): void {
    this.#kept.setLogLevel(level);
  }

  retryNow(): void {
    this.#kept.retryNow();
  }

  restart(): void {
    this.#kept.restart();
  }

  /** Ends the connection and gives up on the next. Safe to call twice. */
  close(): Promise<void> {
    return this.#kept.close();
  }

  /** Sends the call, and sends it again after a loss where that is safe. */
  async #deliver<T>(call: Delivery, timeoutMs: number, send: Sending<T>): Promise<T> {
    let failed: FailedAttempts | undefined;
    for (;;) {
      try {
        const ready = this.#kept.current;
        const connection = ready?.usable === true ? ready : await this.#kept.await(call.cancellation, timeoutMs);
        await call.beforeSend?.();
        // It may have been lost meanwhile.
        if (connection.usable) return await send(connection, timeoutMs);
      } catch (error) {
        failed ??= new FailedAttempts();
        const reason = this.#kept.isClosed() ? undefined : failed.add(error, call);
        if (reason === undefined) throw failed.endOf(error);
        if (reason !== 'unsent' && (await call.mayRepeat?.()) === false) throw failed.endOf(error);
      }
    }
  }
}

type Sending<T> = (connection: Connection, timeoutMs: number) => Promise<T>;

/** What sending something depends on, whatever it is. */
type Delivery = Pick<UpstreamCall, 'retryable' | 'timeoutMs' | 'cancellation' | 'beforeSend' | 'mayRepeat'> & {
  readonly caller?: UpstreamCall['caller'] | undefined;
};
