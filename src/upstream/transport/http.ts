import {
  type JSONRPCMessage,
  type RequestId,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { Pool } from 'undici';
import type { HttpEndpoint } from '../../config/gateway-config.js';
import { isJsonObject } from '../../protocol/json.js';
import type { AnnouncedLimits } from '../../protocol/limits.js';
import { UpstreamFault } from '../fault.js';
import {
  type BodyReader,
  HttpExchange,
  headerOf,
  type ResponseHeaders,
  readEvents,
  readStart,
  readText,
  SKIP_BODY,
} from './http-exchange.js';
import {
  type ConnectionFacts,
  connectionHeaders,
  type FlatHeaders,
  messageHeaders,
  readLimitHeaders,
} from './http-headers.js';
import { describePlace, networkFault } from './network-fault.js';
import type { UpstreamTransport } from './transport.js';

export interface HttpTransportOptions {
  readonly endpoint: HttpEndpoint;
  readonly userAgent: string;
  /** Told what an answer says of the server's rate limit. */
  readonly onLimits?: ((limits: AnnouncedLimits) => void) | undefined;
}

const POST_HEADERS: FlatHeaders = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
const STREAM_HEADERS: FlatHeaders = ['accept', 'text/event-stream'];
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
/** How long the server may take to hear that the session is over. */
const FAREWELL_MS = 500;
/** Response streams that a server left open after its answer; the oldest beyond this are closed. */
const MAX_LINGERING = 16;
/** Pause before a broken response stream is asked for again, unless the server names one. */
const RESUME_MS = 500;
const MAX_RESUMES = 3;

/** One POST, and the GETs that take up its response stream when it breaks. */
interface Post {
  readonly message: JSONRPCMessage;
  readonly options: TransportSendOptions | undefined;
  readonly requestId: RequestId | undefined;
  exchange: HttpExchange;
  answered: boolean;
  redirects: number;
  resumes: number;
  lastEventId: string | undefined;
  retryMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Streamable HTTP over a keep-alive pool of undici, both protocol eras. Thin on purpose: docs/performance.md shows what
 * `fetch`, web streams and an AbortController for each call cost.
 */
export class HttpTransport implements UpstreamTransport {
  readonly kind = 'http';
  readonly hasPerRequestStream = true;
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  onlost?: UpstreamTransport['onlost'];

  readonly #options: HttpTransportOptions;
  readonly #url: URL;
  readonly #pool: Pool;
  readonly #open = new Map<RequestId, Post>();
  readonly #lingering = new Set<HttpExchange>();
  #path: string;
  #facts: ConnectionFacts = { sessionId: undefined, protocolVersion: undefined };
  #headers: FlatHeaders;
  #standing: StandaloneStream | undefined;
  #lost = false;
  #closing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#url = new URL(options.endpoint.url);
    this.#path = this.#url.pathname + this.#url.search;
    // Silence is timed by the calls themselves: a stream may rest for hours.
    this.#pool = new Pool(this.#url.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
    this.#headers = this.#connectionHeaders();
  }

  get sessionId(): string | undefined {
    return this.#facts.sessionId;
  }

  async start(): Promise<void> {}

  setProtocolVersion(protocolVersion: string): void {
    this.#know({ ...this.#facts, protocolVersion });
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const requestId = 'method' in message && 'id' in message ? message.id : undefined;
      const blank = { answered: false, redirects: 0, resumes: 0, lastEventId: undefined, retryMs: RESUME_MS };
      const post: Post = { message, options, requestId, resolve, reject, exchange: NO_EXCHANGE, ...blank };
      if (requestId !== undefined) this.#open.set(requestId, post);
      // Only the SDK's own rare requests bring a signal; calls are ended by `abandon`.
      options?.requestSignal?.addEventListener('abort', () => post.exchange.abort(abandoned()), { once: true });
      this.#post(post);
    });
  }

  abandon(id: RequestId): void {
    this.#open.get(id)?.exchange.abort(abandoned());
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#standing?.close();
    if (!this.#lost && this.#facts.sessionId !== undefined) await this.#endSession();
    await this.#pool.destroy(new UpstreamFault('lost', 'the gateway closed the connection'));
    this.onclose?.();
  }

  /** Servers that do not let clients end sessions answer 405; none of the answers changes anything here. */
  async #endSession(): Promise<void> {
    await new Promise<void>((resolve) => {
      const exchange = new HttpExchange(
        () => SKIP_BODY,
        () => resolve(),
      );
      this.#pool.dispatch({ method: 'DELETE', path: this.#path, headers: [...this.#headers] }, exchange);
      setTimeout(resolve, FAREWELL_MS).unref();
    });
  }

  #know(facts: ConnectionFacts): void {
    this.#facts = facts;
    this.#headers = this.#connectionHeaders();
  }

  #connectionHeaders(): FlatHeaders {
    return connectionHeaders(this.#options.endpoint.headers, this.#facts, this.#options.userAgent);
  }

  #post(post: Post): void {
    const headers = [...POST_HEADERS, ...this.#headers, ...messageHeaders(post.message, this.#facts)];
    const own = post.options?.headers;
    if (own !== undefined) for (const name of Object.keys(own)) headers.push(name.toLowerCase(), own[name] ?? '');
    const exchange = new HttpExchange(
      (status, head) => this.#openAnswer(post, status, head),
      // A redirect has put another exchange in this one's place.
      (error) => post.exchange === exchange && this.#finish(post, error),
    );
    post.exchange = exchange;
    this.#pool.dispatch({ method: 'POST', path: this.#path, headers, body: JSON.stringify(post.message) }, exchange);
  }

  #openAnswer(post: Post, status: number, headers: ResponseHeaders): BodyReader {
    const limits = readLimitHeaders(status, headers);
    if (limits !== undefined) this.#options.onLimits?.(limits);
    if (status === 307 || status === 308) return this.#redirect(post, status, headers);
    if (status >= 300) return readStart((text) => this.#refuse(post, status, headers, text));
    const method = 'method' in post.message ? post.message.method : undefined;
    if (method === 'initialize') this.#know({ ...this.#facts, sessionId: headerOf(headers, 'mcp-session-id') });
    if (method === 'notifications/initialized') this.#openStandingStream();
    // 202: an old server may answer on its standing stream instead.
    if (post.requestId === undefined || status === 202) {
      post.answered = true;
      return SKIP_BODY;
    }
    return this.#answerReader(post, headers);
  }

  #answerReader(post: Post, headers: ResponseHeaders): BodyReader {
    const type = headerOf(headers, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
    if (type === 'application/json') return readText((text) => this.#deliver(text, post));
    if (type === 'text/event-stream') return this.#eventReader(post);
    throw new SdkError(
      SdkErrorCode.ClientHttpUnexpectedContent,
      `the answer is '${type ?? 'nothing'}' instead of JSON or events`,
    );
  }

  #eventReader(post: Post): BodyReader {
    return readEvents({
      onData: (data) => {
        post.resumes = 0;
        this.#deliver(data, post);
      },
      onEventId: (id) => {
        post.lastEventId = id;
      },
      onRetry: (ms) => {
        post.retryMs = ms;
      },
    });
  }

  #deliver(text: string, post?: Post): void {
    const value: unknown = JSON.parse(text);
    for (const message of Array.isArray(value) ? value : [value]) {
      if (!isJsonObject(message)) continue;
      if (post !== undefined && message['id'] === post.requestId && message['method'] === undefined)
        this.#markAnswered(post);
      this.onmessage?.(message as unknown as JSONRPCMessage);
    }
  }

  #markAnswered(post: Post): void {
    post.answered = true;
    this.#lingering.add(post.exchange);
    if (this.#lingering.size <= MAX_LINGERING) return;
    // Insertion order: the first has been left open for longest.
    for (const oldest of this.#lingering) {
      if (oldest === post.exchange) return;
      oldest.abort(abandoned());
      return;
    }
  }

  #finish(post: Post, error: Error | undefined): void {
    this.#lingering.delete(post.exchange);
    if (!post.answered && this.#resume(post)) return;
    if (post.requestId !== undefined) this.#open.delete(post.requestId);
    if (post.answered) {
      post.resolve();
    } else if (post.exchange.aborted) {
      post.reject(error ?? abandoned());
    } else {
      post.options?.onRequestStreamEnd?.();
      post.reject(this.#faultOf(error));
    }
  }

  /** A network error means that the server is gone; an answer of the wrong kind is that request's affair alone. */
  #faultOf(error: Error | undefined): Error {
    if (error === undefined) return new UpstreamFault('lost', 'its answer ended before it was complete');
    if (error instanceof SyntaxError || error instanceof SdkError || error instanceof UpstreamFault) return error;
    const fault = networkFault(error, describePlace(this.#url));
    this.#lose(fault);
    return fault;
  }

  /**
   * Takes up a response stream that ended before the answer where the server gave its events ids.
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
   */
  #resume(post: Post): boolean {
    if (post.lastEventId === undefined || post.exchange.aborted || this.#closing !== undefined) return false;
    post.resumes += 1;
    if (post.resumes > MAX_RESUMES) return false;
    const headers = [...STREAM_HEADERS, ...this.#headers, 'last-event-id', post.lastEventId];
    const exchange = new HttpExchange(
      (status) => (status === 200 ? this.#eventReader(post) : SKIP_BODY),
      (error) => this.#finish(post, error),
    );
    post.exchange = exchange;
    setTimeout(() => {
      if (exchange.aborted) return this.#finish(post, abandoned());
      this.#pool.dispatch({ method: 'GET', path: this.#path, headers }, exchange);
    }, post.retryMs).unref();
    return true;
  }

  /** Method and body must survive, so only 307 and 308 count; credentials must not leave, so only the same origin does. */
  #redirect(post: Post, status: number, headers: ResponseHeaders): BodyReader {
    const target = new URL(headerOf(headers, 'location') ?? '', new URL(this.#path, this.#url));
    post.redirects += 1;
    if (target.origin !== this.#url.origin || post.redirects > MAX_REDIRECTS) {
      throw new SdkHttpError(
        SdkErrorCode.ClientHttpNotImplemented,
        `it redirects to ${describePlace(target)}: configure that URL`,
        { status },
      );
    }
    this.#path = target.pathname + target.search;
    return { read: () => {}, end: () => this.#post(post) };
  }

  /** What is not a success: a JSON-RPC error in an HTTP one, a forgotten session, or a plain HTTP error. */
  #refuse(post: Post, status: number, headers: ResponseHeaders, text: string): void {
    if ((status === 400 || status === 404) && isErrorFor(text, post.requestId)) {
      this.#deliver(text, post);
      if (post.answered) return;
    }
    if (this.#facts.sessionId !== undefined && isForgottenSession(status, text)) {
      const fault = new UpstreamFault('lost', 'it no longer knows the session', { undelivered: true });
      this.#lose(fault);
      throw fault;
    }
    const retryAfter = headerOf(headers, 'retry-after');
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, text, retryAfter });
  }

  #lose(fault: UpstreamFault): void {
    if (this.#lost || this.#closing !== undefined) return;
    this.#lost = true;
    this.#standing?.close();
    this.onlost?.(fault);
  }

  #openStandingStream(): void {
    this.#standing ??= new StandaloneStream({
      dispatch: (headers, exchange) =>
        this.#pool.dispatch(
          { method: 'GET', path: this.#path, headers: [...STREAM_HEADERS, ...this.#headers, ...headers] },
          exchange,
        ),
      onData: (data) => this.#deliver(data),
      onForgotten: () => this.#lose(new UpstreamFault('lost', 'it no longer knows the session', { undelivered: true })),
      onGone: (error) => this.#lose(networkFault(error, describePlace(this.#url))),
    });
  }
}

const NO_EXCHANGE = new HttpExchange(
  () => SKIP_BODY,
  () => {},
);

function abandoned(): UpstreamFault {
  return new UpstreamFault('cancelled', 'the request was given up');
}

/**
 * 404 is the specified answer to an unknown session. Many servers were built after an example that answers 400 with a text
 * about the session instead, and would otherwise stay unreachable after each of their restarts.
 */
function isForgottenSession(status: number, text: string): boolean {
  return status === 404 || (status === 400 && /session/i.test(text));
}

function isErrorFor(text: string, requestId: RequestId | undefined): boolean {
  if (requestId === undefined) return false;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value['id'] === requestId && isJsonObject(value['error']);
  } catch {
    return false;
  }
}

/** A stream that lived for this long was a good one: the next may be opened at once. */
const STABLE_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 30_000;

interface StandaloneStreamOptions {
  readonly dispatch: (headers: readonly string[], exchange: HttpExchange) => void;
  readonly onData: (data: string) => void;
  /** The server answered that it does not know the session. */
  readonly onForgotten: () => void;
  /** The server cannot be reached any more. */
  readonly onGone: (error: Error) => void;
}

/**
 * The GET stream on which a legacy server sends what belongs to no request, `list_changed` above all. It is also the first to
 * notice that a server went away. A server that offers none answers 405, and that is the end of it.
 */
class StandaloneStream {
  readonly #options: StandaloneStreamOptions;
  #exchange: HttpExchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #openedAt: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #closed = false;

  constructor(options: StandaloneStreamOptions) {
    this.#options = options;
    this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#exchange?.abort(new Error('closed'));
  }

  #connect(): void {
    const headers = this.#lastEventId === undefined ? [] : ['last-event-id', this.#lastEventId];
    let refused: number | undefined;
    this.#openedAt = undefined;
    this.#exchange = new HttpExchange(
      (status) => {
        if (status !== 200) {
          refused = status;
          return SKIP_BODY;
        }
        this.#openedAt = performance.now();
        return readEvents({
          onData: this.#options.onData,
          onEventId: (id) => {
            this.#lastEventId = id;
          },
          onRetry: (ms) => {
            this.#retryMs = ms;
          },
        });
      },
      (error) => this.#afterEnd(refused, error),
    );
    this.#options.dispatch(headers, this.#exchange);
  }

  #afterEnd(refused: number | undefined, error: Error | undefined): void {
    if (this.#closed) return;
    if (refused !== undefined) {
      if (refused === 404) this.#options.onForgotten();
      return;
    }
    if (error !== undefined && this.#openedAt === undefined) {
      this.#options.onGone(error);
      return;
    }
    const stable = this.#openedAt !== undefined && performance.now() - this.#openedAt > STABLE_MS;
    this.#pauseMs = stable ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 4, MAX_PAUSE_MS);
    this.#timer = setTimeout(() => this.#connect(), this.#retryMs ?? this.#pauseMs);
    this.#timer.unref();
  }
}
