import {
  isInputRequiredResult,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { ProgressUpdate } from '../protocol/call.js';
import type { Cancellation } from '../protocol/cancellation.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { UpstreamFault } from './fault.js';
import type { UpstreamTransport } from './transport/transport.js';

/** The SDK's client counts its requests from 0; the channel's own begin where no client will ever arrive. */
const FIRST_ID = 1_000_000_001;
/** How exactly time-outs are kept. One timer for all calls instead of one a call. */
const SWEEP_MS = 250;

interface RequestOptions {
  /** Silence longer than this fails the request; progress starts the clock anew. */
  readonly timeoutMs: number;
  readonly cancellation?: Cancellation;
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface Pending {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  readonly timeoutMs: number;
  readonly onProgress: ((update: ProgressUpdate) => void) | undefined;
  deadline: number;
}

/**
 * The hot path. It is the `Transport` that the SDK's client is given, and passes that client's handshake and notifications
 * through; but requests of its own go straight to the wire, matched by ids the client never uses. The client's way costs a
 * validation, an AbortController and two timers a call.
 */
export class CallChannel implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  /** Told once when no new request can be sent. */
  onlost: ((fault: UpstreamFault) => void) | undefined;
  readonly hasPerRequestStream: boolean;
  /** The SDK's negotiation takes whatever has these two for a child process, which may stay silent when probed. */
  declare readonly pid?: null;
  declare readonly stderr?: null;

  readonly #transport: UpstreamTransport;
  readonly #pending = new Map<number, Pending>();
  #nextId = FIRST_ID;
  #sweeper: NodeJS.Timeout | undefined;
  #envelope: JsonObject | undefined;
  #lost: UpstreamFault | undefined;
  #reported: UpstreamFault | undefined;
  #retired = false;
  #lastMethod: string | undefined;

  constructor(transport: UpstreamTransport) {
    this.#transport = transport;
    this.hasPerRequestStream = transport.hasPerRequestStream === true;
    if (transport.kind === 'stdio') Object.assign(this, { pid: null, stderr: null });
    transport.onmessage = (message) => this.#receive(message);
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

  start(): Promise<void> {
    return this.#transport.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message && 'id' in message) this.#lastMethod = message.method;
    return this.#transport.send(message, options);
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

  /** Takes no new requests, lets those in flight finish, then closes. */
  retire(): void {
    this.#retired = true;
    this.#lose(new UpstreamFault('lost', 'the connection was replaced', { undelivered: true }));
    this.#closeWhenIdle();
  }

  /**
   * Sends a request and waits for its result, as sent.
   *
   * Rejects with an `UpstreamFault`, with a `ProtocolError` for a JSON-RPC error, or with an `SdkHttpError`.
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.#lost !== undefined) return Promise.reject(lostWith(this.#lost, { undelivered: true }));
    if (options.cancellation?.cancelled === true) return Promise.reject(cancelled(options.cancellation));
    const id = this.#nextId;
    this.#nextId += 1;
    this.#lastMethod = method;
    return new Promise((resolve, reject) => {
      const { timeoutMs, onProgress, cancellation, headers } = options;
      this.#pending.set(id, { resolve, reject, timeoutMs, onProgress, deadline: performance.now() + timeoutMs });
      this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
      // The token is sent although nobody may listen: progress is also what keeps a long call from timing out.
      const meta = { ...this.#envelope, progressToken: id };
      const message: JSONRPCMessage = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
      this.#transport
        .send(message, headers === undefined ? undefined : { headers })
        .catch((error) => this.#fail(id, error));
      cancellation?.onCancel(() => this.#cancel(id, cancelled(cancellation)));
    });
  }

  #receive(message: JSONRPCMessage): void {
    if ('method' in message) {
      if (message.method === 'notifications/progress' && this.#progress(message.params)) return;
      this.onmessage?.(message);
      return;
    }
    const id = ownId(message.id);
    if (id === undefined) this.onmessage?.(message);
    else this.#answer(id, message as unknown as JsonObject);
  }

  #answer(id: number, message: JsonObject): void {
    const pending = this.#take(id);
    // Too late: timed out or cancelled meanwhile.
    if (pending === undefined) return;
    const { result, error } = message;
    if (isJsonObject(error)) pending.reject(protocolError(error));
    else if (!isJsonObject(result))
      pending.reject(new UpstreamFault('malformed', 'its answer has neither result nor error'));
    else if (isInputRequiredResult(result))
      pending.reject(new UpstreamFault('input-required', 'the tool asks the client for input'));
    else pending.resolve(withoutResultType(result));
  }

  /** Whether the progress was of a request of ours. */
  #progress(params: unknown): boolean {
    if (!isJsonObject(params)) return false;
    const { progressToken, _meta, ...update } = params;
    const id = ownId(progressToken);
    if (id === undefined) return false;
    const pending = this.#pending.get(id);
    if (pending === undefined) return true;
    pending.deadline = performance.now() + pending.timeoutMs;
    if (typeof update['progress'] === 'number') pending.onProgress?.(update as unknown as ProgressUpdate);
    return true;
  }

  #sweep(): void {
    if (this.#pending.size === 0) {
      clearInterval(this.#sweeper);
      this.#sweeper = undefined;
      return;
    }
    const now = performance.now();
    for (const [id, { deadline, timeoutMs }] of this.#pending) {
      if (deadline > now) continue;
      this.#fail(id, new UpstreamFault('timeout', `no answer within ${timeoutMs / 1000} s`));
      this.#withdraw(id, 'timed out');
    }
  }

  #cancel(id: number, fault: UpstreamFault): void {
    if (!this.#pending.has(id)) return;
    this.#fail(id, fault);
    this.#withdraw(id, fault.message);
  }

  /** Tells the server that nobody waits: by closing the request's stream where the era has it so, else in words. */
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

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending !== undefined) this.#pending.delete(id);
    if (this.#retired) this.#closeWhenIdle();
    return pending;
  }

  #closeWhenIdle(): void {
    if (this.#pending.size === 0) this.close().catch((error) => this.onerror?.(error));
  }

  #lose(fault: UpstreamFault): void {
    if (this.#lost !== undefined) return;
    this.#lost = fault;
    this.onlost?.(fault);
  }

  #end(): void {
    this.#lose(new UpstreamFault('lost', 'the connection was closed'));
    clearInterval(this.#sweeper);
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    // What was in flight may have run, even where a new request would certainly not have been delivered.
    for (const { reject } of pending) reject(lostWith(this.#lost, { undelivered: false }));
    this.onclose?.();
  }
}

function cancelled({ reason }: Cancellation): UpstreamFault {
  return new UpstreamFault('cancelled', reason ?? 'cancelled');
}

function lostWith(cause: UpstreamFault | undefined, { undelivered }: { readonly undelivered: boolean }): UpstreamFault {
  return new UpstreamFault('lost', cause?.message ?? 'the connection was closed', { cause, undelivered });
}

/** An id or token of the channel's own; some servers send it back as a string. */
function ownId(value: unknown): number | undefined {
  const id = typeof value === 'string' ? Number(value) : value;
  return typeof id === 'number' && id >= FIRST_ID ? id : undefined;
}

function protocolError({ code, message, data }: JsonObject): ProtocolError {
  const known = typeof code === 'number' ? code : ProtocolErrorCode.InternalError;
  return ProtocolError.fromError(known, typeof message === 'string' ? message : '', data);
}

/** `resultType: "complete"` belongs to the envelope of protocol 2026-07-28, not to the tool's result. */
function withoutResultType(result: JsonObject): JsonObject {
  if (!('resultType' in result)) return result;
  const { resultType, ...rest } = result;
  return rest;
}
