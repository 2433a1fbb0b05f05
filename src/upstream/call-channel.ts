import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCResponse,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { BriefMap } from '../base/lib/collections.js';
import { markHandshake } from '../base/protocol/gateway-chain.js';
import { LARGE_BYTES, type LargeMessage } from '../base/protocol/large-answer.js';
import type { PingBounds } from '../config/gateway-config.js';
import { type CallResult, readLarge, UnreadMessage } from './call-result.js';
import { Liveness, type PingMemory } from './liveness.js';
import { OWN_METHODS, type Pending, type RequestOptions, restartClock } from './pending-request.js';
import type { AskSettings } from './questions/ask-client.js';
import { explainRefusal } from './questions/explain-refusal.js';
import { ServerQuestions } from './questions/server-questions.js';
import { type DriveTask, TaskRequests } from './task-requests.js';
import { answerTooLong, cancelled, expired, lostWith, UpstreamFault } from './transport/fault.js';
import { mendForSdk } from './transport/mend-handshake.js';
import { SplitAnswer } from './transport/split-answer.js';
import type { UpstreamTransport } from './transport/transport.js';
import { readMessages, readResult } from './transport/wire-messages.js';
import {
  ChangedLists,
  NOTIFICATION_START,
  ProgressAllowance,
  readChangedList,
  readProgressToken,
} from './unasked-messages.js';

/** The SDK's client counts its requests from 0; the channel's own begin where no client will ever arrive. */
const FIRST_ID = 1_000_000_001;
/** How exactly time-outs are kept. One timer for all calls instead of one a call. */
const SWEEP_MS = 250;

interface ChannelLimits {
  readonly maxAnswerBytes: number;
  readonly connectTimeoutMs: number;
  readonly pings: PingBounds;
}

/**
 * The fast path. It is the `Transport` that the SDK's client is given, and passes that client's handshake and notifications
 * through; but requests of its own go straight to the wire, matched by ids the client never uses. The client's way costs a
 * validation, an AbortController and two timers a call.
 */
export class CallChannel implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  /** Called for an answer to a request that was never sent; it is dropped. */
  onunknown: ((message: JSONRPCResponse) => void) | undefined;
  /** Called once when no new request can be sent. */
  onlost: ((fault: UpstreamFault) => void) | undefined;
  readonly hasPerRequestStream: boolean;
  /** The SDK's negotiation takes whatever has these two for a child process, which may stay silent when probed. */
  declare readonly pid?: null;
  declare readonly stderr?: null;

  readonly #transport: UpstreamTransport;
  readonly #limits: ChannelLimits;
  readonly #pending = new BriefMap<number, Pending>();
  /** Requests of the SDK's client that have no answer yet. */
  readonly #passedOn = new Set<unknown>();
  #nextId = FIRST_ID;
  #sweeper: NodeJS.Timeout | undefined;
  #envelope: JsonObject | undefined;
  #lost: UpstreamFault | undefined;
  #reported: UpstreamFault | undefined;
  #retired = false;
  /** Undefined before the handshake is done. */
  #liveness: Liveness | undefined;
  #messages = 0;
  readonly #changed = new ChangedLists();
  #lastMethod: string | undefined;
  /** Undefined as long as no answer can be a task. */
  #tasks: TaskRequests | undefined;
  /** Undefined where the server's requests are the SDK's. */
  #questions: ServerQuestions<Pending> | undefined;

  constructor(transport: UpstreamTransport, limits: ChannelLimits) {
    this.#transport = transport;
    this.#limits = limits;
    this.hasPerRequestStream = transport.hasPerRequestStream === true;
    if (transport.kind === 'stdio') Object.assign(this, { pid: null, stderr: null });
    transport.onmessage = (message) => this.#receive(message);
    transport.onrelated = (message, requestId) => this.#receive(message, requestId);
    transport.onlarge = (message, id) => this.#receiveLarge(message, id);
    transport.onanswer = (answer) => this.#receiveSplit(answer);
    transport.admits = (text) => !NOTIFICATION_START.test(text) || this.#admits(text);
    transport.onoversize = (id) => this.#failOwn(id, answerTooLong(this.#limits.maxAnswerBytes));
    transport.onmalformed = (id, why) => this.#failOwn(id, new UpstreamFault('malformed', why));
    transport.onerror = (error) => this.onerror?.(error);
    transport.onlost = (fault) => {
      this.#reported = fault;
      this.#lose(fault);
    };
    transport.onclose = () => this.#end();
  }

  get usable(): boolean {
    return this.#lost === undefined;
  }

  /** What the transport said of its end; undefined while it lives, and where it was simply closed. */
  get reportedLoss(): UpstreamFault | undefined {
    return this.#reported;
  }

  /** The method that was sent last, to say what a silent server did not answer. */
  get lastMethod(): string | undefined {
    return this.#lastMethod;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  /** Whether the server has no way to tell of changes unasked. */
  get isUnheard(): boolean {
    return this.#transport.isUnheard === true;
  }

  /** Calls the listener when the server may have told of changes that were not heard. */
  onMissed(listener: () => void): void {
    this.#transport.onmissed = listener;
  }

  start(): Promise<void> {
    return this.#transport.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message && 'id' in message) {
      this.#lastMethod = message.method;
      this.#passedOn.add(message.id);
    }
    return this.#transport.send(markHandshake(message, this.#transport.kind === 'stdio'), options);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  /** From now on every request carries the envelope in `_meta`, as protocol 2026-07-28 wants it. */
  useEnvelope(envelope: JsonObject): void {
    this.#envelope = envelope;
  }

  /** From now on the server's questions are answered by the clients of its calls. */
  answerQuestions(settings: AskSettings): void {
    this.#questions = new ServerQuestions<Pending>({
      ...settings,
      send: (response) => void this.#transport.send(response).catch((error) => this.onerror?.(error)),
      onAnswered: restartClock,
      callOf: (id) => this.#pending.get(ownId(id) ?? 0),
      callOfTask: (taskId) => this.#pending.get(this.#tasks?.requestOf(taskId) ?? 0),
      inFlight: () => this.#pending.values().filter(({ method }) => !OWN_METHODS.has(method)),
    });
  }

  /** Whether the server has asked for folders, and not learned those of a client. */
  get hasStoodIn(): boolean {
    return this.#questions?.hasStoodIn === true;
  }

  /** From now on silence is proven by pings. @param memory of the server, over all its connections */
  provePings(memory: PingMemory): void {
    this.#liveness = new Liveness({
      bounds: this.#limits.pings,
      connectTimeoutMs: this.#limits.connectTimeoutMs,
      memory,
      ping: (timeoutMs) => this.request('ping', {}, { timeoutMs }),
      activity: () => this.#activity,
      inFlight: () => this.#pending.values().flatMap(({ method, subject }) => (method === 'ping' ? [] : [subject])),
      hasPerRequestStream: this.hasPerRequestStream,
      isLost: () => this.#lost !== undefined,
      onDeaf: (fault) => this.#abandonServer(fault),
    });
  }

  /** Takes no new requests, lets those in flight finish, then closes. */
  retire(why = new UpstreamFault('lost', 'the connection was replaced', { undelivered: true })): void {
    this.#retired = true;
    this.#lose(why);
    this.#closeWhenIdle();
  }

  /** Ends at once what is in flight, and closes, however long the transport takes for that. */
  abandon(fault: UpstreamFault): Promise<void> {
    this.#lose(fault);
    this.#rejectAll();
    return this.close();
  }

  /**
   * Sends a request and waits for its result, as sent.
   *
   * Rejects with an `UpstreamFault`, with a `ProtocolError` for a JSON-RPC error, or with an `SdkHttpError`.
   */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const result = await this.call(method, params, options);
    if (result instanceof UnreadMessage) return readResult(await readLarge(result));
    return result instanceof SplitAnswer ? readResult({ result: result.wholeResult() }) : result;
  }

  /** The same, for whom an answer need not be parsed. */
  call(method: string, params: JsonObject, options: RequestOptions): Promise<CallResult> {
    if (this.#lost !== undefined && !(options.continues === true && this.#retired))
      return Promise.reject(lostWith(this.#lost, { undelivered: true }));
    if (options.cancellation?.cancelled === true) return Promise.reject(cancelled(options.cancellation));
    const now = performance.now();
    const isOwn = method === 'ping' || options.continues === true;
    const proof = isOwn ? undefined : this.#liveness?.proofBeforeCall(now);
    if (proof !== undefined) return proof.then(() => this.call(method, params, options));
    const id = this.#nextId;
    this.#nextId += 1;
    this.#lastMethod = method;
    return new Promise((resolve, reject) => {
      const { timeoutMs, maxMs = timeoutMs, onProgress, cancellation, ask, log } = options;
      const most = Math.max(maxMs, timeoutMs);
      this.#pending.add(id, {
        resolve,
        reject,
        method,
        subject: method === 'tools/call' ? String(params['name']) : method,
        sentAt: now,
        timeoutMs,
        onProgress,
        allowance: undefined,
        activity: this.#activity,
        ask,
        log,
        questions: undefined,
        endsAt: now + most,
        maxMs: most,
        deadline: now + timeoutMs,
      });
      if (options.drive !== undefined) this.#mayBeTask(id, options.drive);
      // After a time without turns (a machine that slept, a thread that was held up) what has come is read before anything counts as late.
      this.#sweeper ??= setInterval(() => setImmediate(() => this.#sweep()), SWEEP_MS).unref();
      // The token is sent even where no caller wants progress: it also keeps a long call from timing out.
      const meta = { ...this.#envelope, ...options.meta, progressToken: id };
      const message: JSONRPCMessage = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
      const { headers, preface } = options;
      const send = (): Promise<void> => this.#transport.send(message, headers && { headers });
      const sending = preface === undefined ? send() : this.#sendAfter(preface, id, send);
      sending.catch((error) => this.#fail(id, error));
      cancellation?.onCancel(() => this.#cancel(id, cancelled(cancellation)));
    });
  }

  #sendAfter(preface: JSONRPCNotification, id: number, send: () => Promise<void>): Promise<void> {
    // The request is in flight by now, so that what the server asks upon the notification is its caller's.
    const isWanted = (): boolean => this.#pending.get(id) !== undefined;
    return this.#transport.send(preface).then(
      () => (isWanted() ? send() : undefined),
      () => (isWanted() ? send() : undefined),
    );
  }

  #mayBeTask(id: number, drive: DriveTask): void {
    this.#tasks ??= new TaskRequests();
    this.#tasks.add(id, drive);
  }

  /** Grows with what arrives: bytes where the transport sees them, else messages. */
  get #activity(): number {
    return this.#transport.activity ?? this.#messages;
  }

  /** Whether a notification is worth parsing: progress beyond a request's allowance, or of a request that has ended, is not. */
  #admits(text: string): boolean {
    const list = readChangedList(text);
    if (list !== undefined) return this.#changed.admit(list);
    const id = ownId(readProgressToken(text));
    if (id === undefined) return true;
    const pending = this.#pending.get(id);
    return pending !== undefined && pending.allowance?.hasRoom(performance.now()) !== false;
  }

  #noteMessage(): void {
    this.#messages += 1;
    this.#liveness?.heard();
  }

  #failOwn(id: unknown, fault: UpstreamFault): void {
    const own = ownId(id);
    if (own !== undefined) this.#fail(own, fault);
  }

  /** @param requestId of the request on whose stream it came, where that is known */
  #receive(message: JSONRPCMessage, requestId?: RequestId): void {
    this.#noteMessage();
    if ('method' in message) {
      if (message.method === 'notifications/progress' && this.#progress(message.params)) return;
      if (this.#questions?.take(message, requestId) !== true) this.onmessage?.(message);
      return;
    }
    const id = ownId(message.id);
    if (id !== undefined && this.#tasks !== undefined && this.#goesOn(id, message as unknown as JsonObject)) return;
    if (id !== undefined && id < this.#nextId) this.#answer(id, message as unknown as JsonObject);
    else if (this.#passedOn.delete(message.id)) this.onmessage?.(mendForSdk(message));
    else this.onunknown?.(message);
  }

  /** An answer that is a task: its request goes on. */
  #goesOn(id: number, message: JsonObject): boolean {
    const pending = this.#pending.get(id);
    const onCancelled = (): void => this.#questions?.abandoned.answered(id, performance.now());
    if (pending === undefined) {
      this.#tasks?.takeLate(id, message, onCancelled);
      return false;
    }
    const touch = (waitedMs = 0): void => restartClock(pending, waitedMs);
    const resolve = (result: CallResult): void => this.#take(id)?.resolve(result);
    const reject = (error: unknown): void => this.#fail(id, error);
    return this.#tasks?.take(id, message, { touch, resolve, reject, onCancelled }) === true;
  }

  #receiveLarge(message: LargeMessage, id: unknown): void {
    const own = ownId(id);
    if (own !== undefined) this.#takeAnswered(own)?.resolve(new UnreadMessage(message, own));
    // What is neither an answer nor too large to be read here may be the SDK's.
    else if (message.length <= LARGE_BYTES)
      for (const read of readMessages(String(message.join()))) this.#receive(read);
    this.#noteMessage();
  }

  #receiveSplit(answer: SplitAnswer): void {
    this.#noteMessage();
    const id = ownId(answer.id);
    if (id === undefined) this.onmessage?.(answer.whole());
    // One that comes too late is dropped.
    else this.#takeAnswered(id)?.resolve(answer);
  }

  #answer(id: number, message: JsonObject): void {
    const pending = this.#takeAnswered(id);
    if (pending === undefined) return;
    const refusal = pending.questions?.refusal;
    const answer = refusal === undefined ? message : explainRefusal(message, refusal);
    try {
      pending.resolve(readResult(answer));
    } catch (thrown) {
      pending.reject(thrown);
    }
  }

  /** Whether the progress was of a request of ours. */
  #progress(params: unknown): boolean {
    if (!isJsonObject(params)) return false;
    const { progressToken, _meta, ...update } = params;
    const id = ownId(progressToken);
    if (id === undefined) return false;
    const pending = this.#pending.get(id);
    if (pending === undefined) return true;
    const now = performance.now();
    pending.deadline = Math.min(now + pending.timeoutMs, pending.endsAt);
    pending.allowance ??= new ProgressAllowance(now);
    const read = pending.allowance.take(now, update);
    if (read !== undefined) pending.onProgress?.(read);
    return true;
  }

  #sweep(): void {
    if (this.#pending.size === 0) {
      clearInterval(this.#sweeper);
      this.#sweeper = undefined;
      return;
    }
    const now = performance.now();
    let oldest = now;
    for (const { key: id, value: pending } of this.#pending.entries()) {
      if ((pending.questions?.open ?? 0) > 0) continue;
      if (pending.method !== 'ping') oldest = Math.min(oldest, pending.sentAt);
      if (pending.deadline > now) continue;
      this.#abandon(id, expired(pending, now), 'timed out');
      if (pending.method !== 'ping' && pending.activity === this.#activity) void this.#liveness?.proveAfterTimeout();
    }
    if (this.#pending.size > 0) this.#liveness?.watchCalls(now, oldest);
  }

  #abandonServer(fault: UpstreamFault): void {
    this.#reported = fault;
    this.abandon(fault).catch((error) => this.onerror?.(error));
  }

  #cancel(id: number, fault: UpstreamFault): void {
    this.#abandon(id, fault, fault.message);
  }

  /** Waits no longer for an answer, which the server may still be working on. */
  #abandon(id: number, fault: UpstreamFault, reason: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (!OWN_METHODS.has(pending.method))
      this.#questions?.abandoned.add(id, pending.ask, { now: performance.now(), maxMs: pending.maxMs });
    // A task is cancelled by what drives it.
    const isTask = this.#tasks?.giveUp(id) === true;
    this.#fail(id, fault);
    if (!isTask) this.#withdraw(id, reason);
  }

  /** Says that the answer is not wanted any more: by closing the request's stream where the era has it so, else in words. */
  #withdraw(requestId: number, reason: string): void {
    const inWords = this.#envelope === undefined || !this.hasPerRequestStream;
    if (inWords && this.#lost === undefined) {
      const params = { requestId, reason, ...(this.#envelope === undefined ? {} : { _meta: this.#envelope }) };
      this.#transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
    }
    this.#transport.abandon?.(requestId);
  }

  #fail(id: number, error: unknown): void {
    this.#take(id)?.reject(error);
  }

  /** Undefined where the answer comes too late: the request timed out or was cancelled meanwhile. */
  #takeAnswered(id: number): Pending | undefined {
    const pending = this.#take(id);
    if (pending === undefined) this.#questions?.abandoned.answered(id, performance.now());
    return pending;
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.take(id);
    pending?.questions?.end.cancel('the call has ended');
    this.#tasks?.end(id);
    if (this.#retired) this.#closeWhenIdle();
    return pending;
  }

  #closeWhenIdle(): void {
    if (this.#pending.size === 0) this.close().catch((error) => this.onerror?.(error));
  }

  #lose(fault: UpstreamFault): void {
    if (this.#lost !== undefined) return;
    this.#lost = fault;
    this.#liveness?.end();
    this.onlost?.(fault);
  }

  #end(): void {
    this.#lose(new UpstreamFault('lost', 'the connection was closed'));
    clearInterval(this.#sweeper);
    this.#rejectAll();
    this.onclose?.();
  }

  #rejectAll(): void {
    const pending = this.#pending.values();
    this.#pending.clear();
    this.#tasks?.endAll();
    // What was in flight may have run, even where a new request would certainly not have been delivered.
    for (const { reject, questions } of pending) {
      questions?.end.cancel('the connection has ended');
      reject(lostWith(this.#lost, { undelivered: false }));
    }
  }
}

/** An id or token of the channel's own; some servers send it back as a string. */
function ownId(value: unknown): number | undefined {
  const id = typeof value === 'string' ? Number(value) : value;
  return typeof id === 'number' && id >= FIRST_ID ? id : undefined;
}
