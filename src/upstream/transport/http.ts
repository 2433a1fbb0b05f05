import {
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { lengthOf, type Pieces } from '../../base/json/pieces.js';
import { BriefMap } from '../../base/lib/collections.js';
import { LargeMessage } from '../../base/protocol/large-answer.js';
import type { AnnouncedLimits } from '../../base/protocol/limits.js';
import { sendInTurn } from '../../base/turns/turns.js';
import type { HttpEndpoint } from '../../config/gateway-config.js';
import type { BodyReader, ResponseFlow } from './decode-body.js';
import { abandoned, answerTooLong, endedWithSession, forgotten, UpstreamFault } from './fault.js';
import {
  asJson,
  HttpExchange,
  headerOf,
  inUtf8,
  isEventStream,
  mayBeJson,
  type ResponseHeaders,
  readBytes,
  readEvents,
  readStart,
  SKIP_BODY,
} from './http-exchange.js';
import {
  type ConnectionFacts,
  configuredHeaders,
  connectionHeaders,
  envelopeOf,
  type FlatHeaders,
  messageHeaders,
  readLimitHeaders,
} from './http-headers.js';
import { newPost, type Post } from './http-post.js';
import { describePlace, networkFault } from './network-fault.js';
import type { SocketOpener } from './outbound.js';
import { openPool, type RequestPool } from './request-pool.js';
import { mayMeanLoss, NO_ANSWER, type RefusedWith, readError, SessionDoubts } from './session-doubts.js';
import { StandaloneStream } from './standalone-stream.js';
import type { UpstreamTransport } from './transport.js';
import type { RequestCredentials } from './user-rights.js';
import {
  asAnswerTo,
  EDGE_BYTES,
  readMessageId,
  readMessages,
  recogniseMessage,
  writeMessage,
} from './wire-messages.js';

export interface HttpTransportOptions {
  readonly endpoint: HttpEndpoint;
  readonly userAgent: string;
  /** An answer that is longer fails its request alone. */
  readonly maxAnswerBytes: number;
  /** Called with what an answer says of the server's rate limit. */
  readonly onLimits?: ((limits: AnnouncedLimits, tool: string | undefined) => void) | undefined;
  /** What requests carry beside the configured headers. */
  readonly credentials: RequestCredentials | undefined;
  /** Whether they are of users, and renewed by those who hold them. */
  readonly areOfUsers: boolean;
  readonly connect: SocketOpener;
}

const POST_HEADERS: FlatHeaders = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
const STREAM_HEADERS: FlatHeaders = ['accept', 'text/event-stream'];
const MAX_REDIRECTS = 3;
/** How long the server may take to hear that the session is over. */
const FAREWELL_MS = 500;
/** Response streams that a server left open after its answer; the oldest beyond this are closed. */
const MAX_LINGERING = 16;
const MAX_RESUMES = 3;

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
  onrelated?: UpstreamTransport['onrelated'];
  onlarge?: UpstreamTransport['onlarge'];
  onanswer?: UpstreamTransport['onanswer'];
  onmissed?: UpstreamTransport['onmissed'];
  admits?: UpstreamTransport['admits'];

  readonly #options: HttpTransportOptions;
  readonly #url: URL;
  readonly #pool: RequestPool;
  readonly #open = new BriefMap<RequestId, Post>();
  readonly #lingering = new Set<HttpExchange>();
  #path: string;
  #facts: ConnectionFacts = { sessionId: undefined, protocolVersion: undefined };
  #headers: FlatHeaders;
  #standing: StandaloneStream | undefined;
  readonly #doubts: SessionDoubts;
  /** Whether a request in this session has had a result: a refusal before says nothing of the session. */
  #isProven = false;
  #bytesSeen = 0;
  #lost = false;
  #closing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#url = new URL(options.endpoint.url);
    this.#path = this.#url.pathname + this.#url.search;
    this.#pool = openPool(this.#url.origin, options);
    this.#headers = this.#connectionHeaders();
    this.#doubts = new SessionDoubts({
      dispatch: (message, exchange) => {
        const headers = [...POST_HEADERS, ...this.#headers, ...messageHeaders(message, this.#facts)];
        this.#pool.dispatch({ method: 'POST', path: this.#path, headers, body: JSON.stringify(message) }, exchange);
      },
      onBytes: this.#noteBytes,
    });
  }

  get sessionId(): string | undefined {
    return this.#facts.sessionId;
  }

  get isUnheard(): boolean {
    return this.#standing?.refused === true;
  }

  get activity(): number {
    return this.#bytesSeen;
  }

  async start(): Promise<void> {}

  setProtocolVersion(protocolVersion: string): void {
    this.#know({ ...this.#facts, protocolVersion });
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const requestId = 'method' in message && 'id' in message ? message.id : undefined;
      const post = newPost({ message, options, requestId, resolve, reject });
      if (requestId !== undefined) this.#open.add(requestId, post);
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

  readonly #noteBytes = (): void => {
    this.#bytesSeen += 1;
  };

  #know(facts: ConnectionFacts): void {
    this.#facts = facts;
    this.#headers = this.#connectionHeaders();
  }

  #connectionHeaders(): FlatHeaders {
    return connectionHeaders(configuredHeaders(this.#options.endpoint), this.#facts, this.#options.userAgent);
  }

  #post(post: Post): void {
    const headers = [...POST_HEADERS, ...this.#headers, ...messageHeaders(post.message, this.#facts)];
    const own = post.options?.headers;
    if (own !== undefined) for (const name of Object.keys(own)) headers.push(name.toLowerCase(), own[name] ?? '');
    const exchange = new HttpExchange(
      (status, head, flow) => this.#openAnswer(post, status, head, flow),
      // A redirect has put another exchange in this one's place.
      (error) => post.exchange === exchange && this.#finish(post, error),
      this.#noteBytes,
    );
    post.exchange = exchange;
    const body = writeMessage(post.message);
    const length = typeof body === 'string' ? body.length : lengthOf(body);
    // Of pieces the pool cannot tell how long they are together.
    if (typeof body !== 'string') headers.push('content-length', String(length));
    sendInTurn(
      { length, isAlone: this.#open.size <= 1 },
      () => this.#pool.dispatch({ method: 'POST', path: this.#path, headers, body }, exchange),
      (fault) => this.#finish(post, fault instanceof Error ? fault : new Error(String(fault))),
    );
  }

  #openAnswer(post: Post, status: number, headers: ResponseHeaders, flow: ResponseFlow): BodyReader {
    const limits = readLimitHeaders(status, headers);
    if (limits !== undefined) this.#options.onLimits?.(limits, toolOf(post.message));
    if (status === 307 || status === 308) return this.#redirect(post, status, headers);
    const method = 'method' in post.message ? post.message.method : undefined;
    if (method === 'notifications/initialized') this.#openStandingStream();
    if (status >= 300)
      return inUtf8(
        headers,
        readStart((text) => this.#refuse(post, status, headers, text)),
      );
    if (method === 'initialize') this.#know({ ...this.#facts, sessionId: headerOf(headers, 'mcp-session-id') });
    // 202: an old server may answer on its standing stream instead, where it offers one.
    if (post.requestId !== undefined && status === 202 && this.#standing?.refused === true) {
      throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'it has no stream to answer on');
    }
    if (post.requestId === undefined) return this.#leaveBody(post, headers, flow);
    if (status === 202) {
      post.answered = true;
      return SKIP_BODY;
    }
    return this.#answerReader(post, headers, flow);
  }

  /** What answers a notification says nothing, and some servers leave it open: the status delivers it. */
  #leaveBody(post: Post, headers: ResponseHeaders, flow: ResponseFlow): BodyReader {
    post.answered = true;
    post.resolve();
    if (isEventStream(headers)) flow.abort(abandoned());
    else this.#linger(post.exchange);
    return SKIP_BODY;
  }

  #answerReader(post: Post, headers: ResponseHeaders, flow: ResponseFlow): BodyReader {
    if (isEventStream(headers)) return this.#eventReader(post, flow);
    const { maxAnswerBytes } = this.#options;
    if (Number(headerOf(headers, 'content-length')) > maxAnswerBytes) throw answerTooLong(maxAnswerBytes);
    const deliver = asJson(headers, (bytes: Pieces | LargeMessage) => this.#deliver(bytes, post));
    return inUtf8(headers, readBytes(deliver, maxAnswerBytes));
  }

  #eventReader(post: Post, flow: ResponseFlow): BodyReader {
    return readEvents(
      {
        onData: (data) => {
          post.resumes = 0;
          this.#deliverEvent(data, post);
          if (post.answered || post.isHeld) this.#linger(post.exchange);
        },
        onEventId: (id) => {
          post.lastEventId = id;
        },
        onRetry: (ms) => {
          post.retryMs = ms;
        },
      },
      this.#options.maxAnswerBytes,
      flow,
    );
  }

  /** Some servers keep a stream alive by events that hold no JSON. */
  #deliverEvent(data: Pieces | LargeMessage, post?: Post): void {
    if (mayBeJson(data)) this.#deliver(data, post);
    else this.onerror?.(new Error('an event that holds no JSON was left out'));
  }

  #deliver(bytes: Pieces | LargeMessage, post?: Post): void {
    const message = recogniseMessage(bytes);
    if (typeof message === 'string') this.#deliverText(message, post);
    else if (message instanceof LargeMessage) {
      const id = readMessageId(message.edges(EDGE_BYTES)) ?? post?.requestId;
      if (id === undefined) return;
      if (post !== undefined) this.#noteAnswer(id, post);
      this.onlarge?.(message, id);
    } else {
      if (post !== undefined) this.#noteAnswer(message.id, post);
      this.onanswer?.(message);
    }
  }

  #deliverText(text: string, post?: Post): void {
    if (this.admits?.(text) === false) return;
    for (const message of readMessages(text)) {
      if (post?.requestId === undefined) this.onmessage?.(message);
      else if ('method' in message) this.onrelated?.(message, post.requestId);
      else this.#deliverAnswer(asAnswerTo(post.requestId, message), post);
    }
  }

  /** An error that may mean that the session is lost waits until that is known. */
  #deliverAnswer(message: JSONRPCResponse, post: Post): void {
    if ('error' in message && message.id === post.requestId && !post.isHeld) {
      const pass = (): undefined => this.#passAnswer(message, post);
      if (this.#hold(post, { status: 200, error: { ...message.error } }, pass)) return;
    }
    this.#passAnswer(message, post);
  }

  #passAnswer(message: JSONRPCResponse, post: Post): undefined {
    this.#noteAnswer(message.id, post, 'result' in message);
    this.onmessage?.(message);
  }

  #noteAnswer(id: unknown, post: Post, isResult = true): void {
    if (id !== post.requestId) post.foreign = true;
    else {
      post.answered = true;
      this.#isProven ||= isResult;
    }
  }

  /** The server ends the stream, or leaves it open. */
  #linger(exchange: HttpExchange): void {
    this.#lingering.add(exchange);
    if (this.#lingering.size <= MAX_LINGERING) return;
    // Insertion order: the first has been left open for longest.
    for (const oldest of this.#lingering) {
      if (oldest === exchange) return;
      oldest.abort(abandoned());
      return;
    }
  }

  #finish(post: Post, error: Error | undefined): void {
    this.#lingering.delete(post.exchange);
    if (post.isHeld) return;
    if (!post.answered && !(error instanceof UpstreamFault) && this.#resume(post)) return;
    if (holdsNoAnswer(post, error) && this.#hold(post, NO_ANSWER, () => error)) return;
    this.#settle(post, error);
  }

  #settle(post: Post, error: Error | undefined): void {
    if (post.requestId !== undefined) this.#open.take(post.requestId);
    if (post.answered) {
      post.resolve();
    } else if (post.exchange.aborted) {
      post.reject(error ?? abandoned());
    } else if (post.requestId === undefined) {
      // Nobody waits for an answer, and a server that is gone is noticed by the next request.
      const what = 'method' in post.message ? `'${post.message.method}'` : 'an answer';
      this.onerror?.(new Error(`${what} was not taken: ${error?.message ?? 'no answer'}`));
      post.resolve();
    } else {
      post.options?.onRequestStreamEnd?.();
      post.reject(this.#faultOf(error, post));
    }
  }

  /** A network error means that the server is gone; an answer of the wrong kind is that request's affair alone. */
  #faultOf(error: Error | undefined, { foreign }: Post): Error {
    if (error === undefined && foreign)
      return new UpstreamFault('malformed', 'its answer carries the id of another request');
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
      (status, _headers, flow) => {
        if (status === 200) return this.#eventReader(post, flow);
        if (status < 500) this.#hold(post, { status, error: undefined }, () => undefined);
        return SKIP_BODY;
      },
      (error) => this.#finish(post, error),
      this.#noteBytes,
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
        target.origin === this.#url.origin
          ? `it redirects in a circle, last to ${describePlace(target)}`
          : `it redirects to ${describePlace(target)}: configure that URL`,
        { status },
      );
    }
    this.#path = target.pathname + target.search;
    return { ...SKIP_BODY, end: () => this.#post(post) };
  }

  /** What is not a success: a JSON-RPC error in an HTTP one, a forgotten session, or a plain HTTP error. */
  #refuse(post: Post, status: number, headers: ResponseHeaders, text: string): void {
    const pass = (): Error | undefined => {
      if (status === 400 || status === 404) this.#deliverError(post, text);
      if (post.answered) return undefined;
      const retryAfter = headerOf(headers, 'retry-after');
      const words = describeRedirect(status, headerOf(headers, 'location'), this.#url) ?? `HTTP ${status}`;
      return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, words, { status, text, retryAfter });
    };
    if (this.#hold(post, { status, error: readError(text) }, pass)) return;
    const error = pass();
    if (error !== undefined) throw error;
  }

  /** Some servers write a JSON-RPC error into an HTTP error. */
  #deliverError(post: Post, text: string): void {
    const error = readError(text);
    if (error === undefined || post.requestId === undefined || this.admits?.(text) === false) return;
    for (const message of readMessages(text))
      if ('error' in message && message.id === post.requestId) this.#passAnswer(message, post);
  }

  /**
   * A refusal may be the tool's own, after the work was done. Only a session that is refused to a harmless request, too, is gone, and
   * only what was refused in the same way may be sent again. Returns false where the refusal raises no doubt.
   * @param pass what becomes of the request where the session is known; returns its error
   */
  #hold(post: Post, refusal: RefusedWith, pass: () => Error | undefined): boolean {
    // What answers nothing shows nothing of a server without sessions, either.
    const isMute = this.#facts.sessionId === undefined && post.requestId === undefined;
    if (isMute || !this.#isDoubtful(refusal)) return false;
    post.isHeld = true;
    void this.#doubts.judge(refusal, envelopeOf(post.message)).then((verdict) => {
      if (verdict === 'known') return this.#settle(post, pass());
      this.#lose(forgotten());
      this.#settle(post, verdict === 'never-reached' && post.resumes === 0 ? forgotten() : endedWithSession());
    });
    return true;
  }

  #isDoubtful(refusal: RefusedWith): boolean {
    if (!this.#isProven || this.#lost || !mayMeanLoss(refusal)) return false;
    const { status } = refusal;
    const isOfRights = status === 401 || status === 403;
    if (this.#facts.sessionId !== undefined) return !isOfRights || !this.#options.areOfUsers;
    // Whoever lacks a right, or finds a server that fails, has not lost a session that never was.
    return !isOfRights && status < 500;
  }

  #lose(fault: UpstreamFault): void {
    if (this.#lost || this.#closing !== undefined) return;
    this.#lost = true;
    this.#standing?.close();
    this.onlost?.(fault);
  }

  #openStandingStream(): void {
    const place = describePlace(this.#url);
    this.#standing ??= new StandaloneStream({
      dispatch: (headers, exchange) =>
        this.#pool.dispatch(
          { method: 'GET', path: this.#path, headers: [...STREAM_HEADERS, ...this.#headers, ...headers] },
          exchange,
        ),
      maxBytes: this.#options.maxAnswerBytes,
      onData: (data) => this.#deliverEvent(data),
      onReopened: () => this.onmissed?.(),
      onRefused: async (status) => {
        const refusal = { status, error: undefined };
        if (!this.#isDoubtful(refusal) || (await this.#doubts.judge(refusal)) === 'known') return true;
        this.#lose(forgotten());
        return false;
      },
      onGone: (error) => this.#lose(networkFault(error, place)),
      isUnreachable: (error) => networkFault(error, place).undelivered,
    });
  }
}

/** Whether a request that was taken has ended with something that is no answer to anything. */
function holdsNoAnswer({ answered, requestId, exchange }: Post, error: Error | undefined): boolean {
  if (answered || requestId === undefined || exchange.aborted) return false;
  return (
    error === undefined ||
    error instanceof SyntaxError ||
    (error instanceof SdkError && !(error instanceof SdkHttpError))
  );
}

/** Where a status of a redirect leads that no request may follow, as it would become another one. */
function describeRedirect(status: number, location: string | undefined, from: URL): string | undefined {
  if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, from.href)) return undefined;
  return `it redirects to ${describePlace(new URL(location, from))}`;
}

/** The tool that a message calls, if it calls one. */
function toolOf(message: JSONRPCMessage): string | undefined {
  const name = 'method' in message && message.method === 'tools/call' ? message.params?.['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
