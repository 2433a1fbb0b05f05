import { IncomingMessage, type ServerResponse } from 'node:http';
import { BriefSet } from '../../base/lib/collections.js';
import type { Observer } from '../../base/observe/observation.js';
import type { RequestNotes } from '../../base/protocol/call.js';
import type { CarriedHeaders } from '../../base/protocol/caller.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { sendInTurn } from '../../base/turns/turns.js';
import type { Authenticated } from '../auth/authenticated.js';
import type { InterruptListener, RequestId, Responder } from '../mcp/calls-in-flight.js';
import { lengthOf, type MessageText, surround } from '../mcp/message-text.js';
import { RPC_ERROR, type RpcErrorCode, writeRpcError } from '../mcp/rpc-error.js';
import type { HeaderCarrier } from './header-carrier.js';
import { type AnswerOwner, KeptAnswers } from './kept-answers.js';

/** A request that came through a trusted proxy, which says where from. */
export class ProxiedRequest extends IncomingMessage {
  clientAddress?: string;
}

/** The network address of the client: of the one that the proxy names where it is trusted, else of the other end. */
export function addressOf(request: IncomingMessage & { readonly clientAddress?: string }): string {
  return request.clientAddress ?? request.socket?.remoteAddress ?? '';
}

/** What keeps a session or client in memory: its open requests, and an idle time after the last of them. */
export interface Occupancy {
  /** Requests and streams that are open now. */
  open: number;
  /** When the last one closed, in milliseconds since the epoch. */
  lastUsedAt: number;
}

/** Server-sent event streams; one timer keeps all of them alive. */
export interface SseStreams {
  /** Turns a response into an event stream. It is forgotten when it closes. */
  open(response: ServerResponse): void;
  readonly size: number;
  /** Ends every open stream and stops the timer. */
  close(): void;
}

/** Answers one HTTP request, at once or later. `client` is who was authenticated, where authentication is required. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  client: Authenticated | undefined,
) => void;

/** The requests that wait for their answers. */
export interface HttpExchanges {
  /**
   * Takes a request in. While it is open, its session is in use.
   * @param session where it has one: then a lost connection does not cancel the request, and its client can come back for the answer
   */
  open(
    response: ServerResponse,
    occupancy: Occupancy,
    accept: string | undefined,
    session?: AnswerOwner | undefined,
  ): Responder;
  /** Resolves when the requests that are open now have been answered, or their clients have gone. */
  settled(): Promise<void>;
  /** Ends every open request with an answer of the gateway's own. */
  interruptAll(reason: string): void;
  close(): void;
}

/** A silent request is looked at so often in the time in which it may be silent. */
const LOOKS = 5;
/** After so many looks it has an event stream, and with it an id to fetch its answer by, where its client knows how. */
const LOOKS_BEFORE_ID = 1;

interface ExchangeOptions {
  /** What finds the headers that upstreams want. */
  readonly carrier?: Pick<HeaderCarrier, 'carry'>;
  readonly kept?: KeptAnswers;
  /** A request whose client reads event streams becomes one after so long without an answer, in milliseconds. */
  readonly keepAliveMs?: number;
}

/** @param streams what opens an event stream for a request that gets messages before its answer, or is silent for long. */
export function createHttpExchanges(
  streams: Pick<SseStreams, 'open'>,
  observe: Observer,
  { carrier = NO_CARRIER, kept = new KeptAnswers(), keepAliveMs = KEEP_ALIVE_MS }: ExchangeOptions = {},
): HttpExchanges {
  const open = new BriefSet<HttpExchange>();
  const onUnsent = failing(observe, 'writing an answer');
  const shared: SharedByExchanges = { streams, open, onUnsent, carrier, kept, looks: 0 };
  // One timer for all: a call must not cost one.
  const looking = setInterval(() => {
    shared.looks += 1;
    for (const exchange of open.values()) exchange.keepAlive(shared.looks);
  }, keepAliveMs / LOOKS).unref();
  return {
    open: (response, occupancy, accept, session) =>
      new HttpExchange(response, { occupancy, session, acceptsStream: acceptsStream(accept) }, shared),
    async settled() {
      await Promise.all([...open.values()].map((exchange) => exchange.settled()));
    },
    interruptAll(reason) {
      for (const exchange of open.values()) exchange.interrupt(reason);
    },
    close: () => clearInterval(looking),
  };
}

const NO_CARRIER: Pick<HeaderCarrier, 'carry'> = { carry: undefined };

/** What all exchanges share. */
interface SharedByExchanges {
  readonly streams: Pick<SseStreams, 'open'>;
  readonly open: BriefSet<HttpExchange>;
  readonly carrier: Pick<HeaderCarrier, 'carry'>;
  readonly kept: KeptAnswers;
  /** Ends a request whose answer could not be written. */
  readonly onUnsent: Fail;
  /** How often the open requests have been looked at. */
  looks: number;
}

/** Ends a request with which something went wrong. */
export type Fail = (response: ServerResponse, cause: unknown) => void;

/**
 * Ends a request with which something went wrong, and no other: with an error where nothing has been sent; else its connection closes, so
 * that no client takes a part for the whole.
 */
export function failing(observe: Observer, where: string): Fail {
  return (response, cause) => {
    observe({ kind: 'defect', where, cause });
    try {
      if (response.headersSent) response.destroy();
      else sendRpcError(response, 500, RPC_ERROR.internal, 'Internal error');
    } catch {
      response.destroy();
    }
  };
}

/** Goes on with a request when what it waits for is known, unless its client has gone meanwhile. */
export async function answerWhen<Known>(
  known: Known | Promise<Known>,
  response: ServerResponse,
  fail: Fail,
  answer: (known: Known) => void,
): Promise<void> {
  try {
    const found = await known;
    if (!response.destroyed) answer(found);
  } catch (cause) {
    fail(response, cause);
  }
}

interface ExchangeSender {
  readonly occupancy: Occupancy;
  /** Absent where a lost connection cancels, as revision 2026-07-28 has it. */
  readonly session: AnswerOwner | undefined;
  /** Whether the client can read an event stream. */
  readonly acceptsStream: boolean;
}

/**
 * One HTTP request that waits for its JSON-RPC response: plain JSON, or an event stream from the first message that comes
 * before the response, or from when it has been silent for long.
 */
class HttpExchange implements Responder {
  readonly cancellation = new Cancellation();
  readonly traceparent: unknown;
  readonly tracestate: unknown;
  readonly notes: RequestNotes | undefined;
  readonly carried: CarriedHeaders | undefined;
  readonly structured: boolean;
  readonly canNotify: boolean;
  /** Undefined once answered, so that a reference to the exchange does not keep the connection's buffers in memory; and without a client. */
  #response: ServerResponse | undefined;
  readonly #occupancy: Occupancy;
  readonly #session: AnswerOwner | undefined;
  readonly #shared: SharedByExchanges;
  readonly #number: number;
  readonly #since: number;
  #isDone = false;
  #isLost = false;
  #streaming = false;
  /** What the ids of its events begin with, where a client can name them. */
  #key: string | undefined;
  #events = 0;
  #interrupted: InterruptListener | undefined;

  /** @param shared its `open` holds the exchange until it has ended. */
  constructor(
    response: ServerResponse,
    { occupancy, session, acceptsStream }: ExchangeSender,
    shared: SharedByExchanges,
  ) {
    this.#occupancy = occupancy;
    this.#session = session;
    this.#shared = shared;
    this.#since = shared.looks;
    this.#number = shared.open.enter(this);
    this.canNotify = acceptsStream;
    const { traceparent, tracestate } = response.req.headers;
    this.traceparent = traceparent;
    this.tracestate = tracestate;
    this.notes = notesOf(response);
    this.carried = shared.carrier.carry?.(response.req);
    this.structured = asksForStructured(response.req);
    this.#response = response;
    occupy(occupancy, response, () => this.#lose(response));
  }

  notify(text: string): void {
    if (this.#isDone || !this.canNotify) return;
    this.#stream();
    this.#response?.write(`${this.#nextId()}${toSseEvent(text)}`);
  }

  /** Turns a request that has waited for long enough into an event stream. @param looks at all requests so far */
  keepAlive(looks: number): void {
    if (!this.canNotify || this.#isDone) return;
    if (looks - this.#since > (this.#isPrimed() ? LOOKS_BEFORE_ID : LOOKS)) this.#stream();
  }

  /** Only clients of this revision expect an event without data, by which they learn an id before anything has happened. */
  #isPrimed(): boolean {
    return this.#session !== undefined && this.#response?.req.headers['mcp-protocol-version'] === PRIMING_REVISION;
  }

  answer(message: MessageText, status = 200): void {
    const response = this.#response;
    if (!this.#finish(message) || response === undefined) return;
    if (this.#streaming) endStreamWith(response, surround(`${this.#nextId()}${EVENT_START}`, message, EVENT_END));
    else
      sendInTurn(
        { length: lengthOf(message), isAlone: this.#shared.open.size === 0 },
        () => sendJson(response, status, message),
        (cause) => this.#shared.onUnsent(response, cause),
      );
  }

  /** Ends the request without a response: 202 is the status for messages that have none. */
  cancel(reason: string): void {
    if (this.#isDone) return;
    // What it withdraws is still sent on its stream.
    this.cancellation.cancel(reason);
    const response = this.#response;
    if (!this.#finish() || response === undefined) return;
    if (this.#streaming) response.end();
    else sendNothing(response, 202);
  }

  async settled(): Promise<void> {
    const response = this.#response;
    if (response !== undefined) await new Promise((resolve) => response.once('close', resolve));
  }

  onInterrupt(listener: InterruptListener): void {
    this.#interrupted = listener;
  }

  interrupt(reason: string): void {
    if (this.#isDone) return;
    this.#interrupted?.(reason);
    const response = this.#response;
    if (this.#finish() && response !== undefined) {
      if (this.#streaming) response.end();
      else sendRpcError(response, 503, RPC_ERROR.refused, `Not answered: ${reason}.`);
    }
    this.cancellation.cancel(reason);
  }

  /** Its client has come back, with an open event stream. */
  moveTo(response: ServerResponse): void {
    const before = this.#response;
    this.#response = response;
    this.#find();
    before?.end();
    response.once('close', () => this.#lose(response));
  }

  /** The connection has closed: the client does not want the answer, or comes back for it. */
  #lose(response: ServerResponse): void {
    if (this.#isDone || response !== this.#response) return;
    this.#response = undefined;
    if (this.#session !== undefined && this.#shared.kept.lose(this.#session)) {
      this.#isLost = true;
      this.#occupancy.open += 1;
    } else if (this.#finish()) this.cancellation.cancel('the client closed the connection');
  }

  #find(): void {
    if (!this.#isLost || this.#session === undefined) return;
    this.#isLost = false;
    this.#shared.kept.found(this.#session);
    this.#occupancy.open -= 1;
    this.#occupancy.lastUsedAt = Date.now();
  }

  #stream(): void {
    const response = this.#response;
    if (this.#streaming || response === undefined) return;
    this.#streaming = true;
    this.#shared.streams.open(response);
    if (this.#session === undefined) {
      response.write(KEEP_ALIVE);
      return;
    }
    this.#key = this.#shared.kept.begin(this.#session, this);
    response.write(`${this.#nextId()}${this.#isPrimed() ? 'data: \n\n' : '\n'}`);
  }

  #nextId(): string {
    if (this.#key === undefined) return '';
    this.#events += 1;
    return `id: ${this.#key}.${this.#events}\n`;
  }

  /** True on the first call. */
  #finish(answer?: MessageText): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#response = undefined;
    this.#shared.open.take(this.#number);
    if (this.#isLost) this.#find();
    if (this.#key !== undefined && this.#session !== undefined) this.#shared.kept.end(this.#key, this.#session, answer);
    return true;
  }
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server */
const PRIMING_REVISION = '2025-11-25';

/** What is noted of a request for its log; undefined where requests are not logged. */
export function notesOf(response: ServerResponse & { readonly notes?: RequestNotes }): RequestNotes | undefined {
  return response.notes;
}

/** Whether a request asks for answers as structured content too. */
export function asksForStructured({ headers }: IncomingMessage): boolean {
  return headers['mcp-aql-structured-content'] === '1';
}

/** Counts a response as open until either side closes it. */
export function occupy(occupancy: Occupancy, response: ServerResponse, onClose?: () => void): void {
  occupancy.open += 1;
  // It closes once; `once` would cost as much again.
  response.on('close', () => {
    occupancy.open -= 1;
    occupancy.lastUsedAt = Date.now();
    onClose?.();
  });
}

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Buffering proxies would hold events back until the stream ends.
  'x-accel-buffering': 'no',
} as const;

export const KEEP_ALIVE = ': keep-alive\n\n';

/** Intermediaries commonly close a connection that was silent for 30 to 60 seconds. */
const KEEP_ALIVE_MS = 15_000;

export function createSseStreams(keepAliveMs = KEEP_ALIVE_MS): SseStreams {
  const streams = new Set<ServerResponse>();
  const timer = setInterval(() => {
    for (const response of streams) response.write(KEEP_ALIVE);
  }, keepAliveMs);
  timer.unref();

  return {
    get size() {
      return streams.size;
    },
    open(response) {
      response.writeHead(200, SSE_HEADERS);
      response.flushHeaders();
      streams.add(response);
      response.once('close', () => streams.delete(response));
    },
    close() {
      clearInterval(timer);
      for (const response of streams) response.end();
    },
  };
}

/** One JSON-RPC message as an event. JSON text holds no line breaks, so one data line is enough. */
export function toSseEvent(text: string): string {
  return `${EVENT_START}${text}${EVENT_END}`;
}

const EVENT_START = 'event: message\ndata: ';
const EVENT_END = '\n\n';

/** Answers with a JSON text that is already written. */
export function sendJson(response: ServerResponse, status: number, message: MessageText): void {
  const length = typeof message === 'string' ? Buffer.byteLength(message) : lengthOf(message);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  if (typeof message !== 'string') {
    // The pieces go out in one write.
    response.cork();
    for (const piece of message) response.write(piece);
    response.end();
  } else response.end(message);
}

/** Ends an event stream. From Node.js 22 on, `end` loses chunks that are corked still. */
function endStreamWith(response: ServerResponse, event: MessageText): void {
  if (typeof event !== 'string') {
    response.cork();
    for (const piece of event) response.write(piece);
    response.uncork();
    response.end();
  } else response.end(event);
}

/** Ends an open event stream with a message. */
export function sendEvent(response: ServerResponse, message: MessageText): void {
  endStreamWith(response, surround(EVENT_START, message, EVENT_END));
}

/** Answers without a body. */
export function sendNothing(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 204 ? {} : { 'content-length': 0 });
  response.end();
}

/** Answers with a JSON-RPC error. */
export function sendRpcError(
  response: ServerResponse,
  status: number,
  code: RpcErrorCode,
  message: string,
  id: RequestId | null = null,
): void {
  sendJson(response, status, writeRpcError(id, code, message));
}

/** Whether a request's body says that it is JSON. */
export function sendsJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/**
 * Whether a client accepts a plain JSON answer. The protocol requires both types in `Accept`; a client that names JSON
 * alone, a wildcard or nothing is served without progress.
 */
export function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || /application\/(json|\*)|\*\/\*/i.test(accept);
}

/** Whether a client has said that it reads event streams; a wildcard does not say so. */
export function acceptsStream(accept: string | undefined): boolean {
  return accept?.includes('text/event-stream') ?? false;
}
