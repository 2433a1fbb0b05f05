import { IncomingMessage, type ServerResponse } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { BriefSet } from '../../base/lib/maps.js';
import type { Observer } from '../../base/observe/observation.js';
import type { RequestNotes } from '../../base/protocol/call.js';
import type { CarriedHeaders } from '../../base/protocol/caller.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { sendInTurn } from '../../base/turns/turns.js';
import type { Authenticated } from '../auth/authenticated.js';
import type { InterruptListener, RequestId, Responder } from '../mcp/calls-in-flight.js';
import { type MessageText, surround } from '../mcp/message-text.js';
import { RPC_ERROR, type RpcErrorCode, writeRpcError } from '../mcp/rpc-error.js';
import type { HeaderCarrier } from './header-carrier.js';

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
  /** Takes a request in. While it is open, its session is in use. */
  open(response: ServerResponse, occupancy: Occupancy, accept: string | undefined): Responder;
  /** Resolves when the requests that are open now have been answered, or their clients have gone. */
  settled(): Promise<void>;
  /** Ends every open request with an answer of the gateway's own. */
  interruptAll(reason: string): void;
}

/**
 * @param streams what opens an event stream for a request that gets messages before its answer.
 * @param carrier what finds the headers that upstreams want.
 */
export function createHttpExchanges(
  streams: Pick<SseStreams, 'open'>,
  observe: Observer,
  carrier: Pick<HeaderCarrier, 'carry'> = NO_CARRIER,
): HttpExchanges {
  const open = new BriefSet<HttpExchange>();
  const onUnsent = (response: ServerResponse, cause: unknown): void => {
    observe({ kind: 'defect', where: 'writing an answer', cause });
    failUnsent(response);
  };
  const shared = { streams, open, onUnsent, carrier };
  return {
    open: (response, occupancy, accept) => new HttpExchange(response, occupancy, acceptsStream(accept), shared),
    async settled() {
      await Promise.all([...open.values()].map((exchange) => exchange.settled()));
    },
    interruptAll(reason) {
      for (const exchange of open.values()) exchange.interrupt(reason);
    },
  };
}

const NO_CARRIER: Pick<HeaderCarrier, 'carry'> = { carry: undefined };

/** What all exchanges share. */
interface SharedByExchanges {
  readonly streams: Pick<SseStreams, 'open'>;
  readonly open: BriefSet<HttpExchange>;
  readonly carrier: Pick<HeaderCarrier, 'carry'>;
  /** Ends a request whose answer could not be written. */
  readonly onUnsent: (response: ServerResponse, cause: unknown) => void;
}

/** Says so where nothing has been sent; otherwise the connection closes, so that no client takes a part for the whole. */
export function failUnsent(response: ServerResponse): void {
  try {
    if (response.headersSent) response.destroy();
    else sendRpcError(response, 500, RPC_ERROR.internal, 'Internal error');
  } catch {
    response.destroy();
  }
}

/**
 * One HTTP request that waits for its JSON-RPC response: plain JSON, or an event stream from the first message that comes
 * before the response.
 */
class HttpExchange implements Responder {
  readonly cancellation = new Cancellation();
  readonly traceparent: unknown;
  readonly tracestate: unknown;
  readonly notes: RequestNotes | undefined;
  readonly carried: CarriedHeaders | undefined;
  readonly structured: boolean;
  readonly canNotify: boolean;
  /** Undefined once answered, so that a reference to the exchange does not keep the connection's buffers in memory. */
  #response: ServerResponse | undefined;
  readonly #streams: SharedByExchanges['streams'];
  readonly #open: BriefSet<HttpExchange>;
  readonly #onUnsent: SharedByExchanges['onUnsent'];
  readonly #number: number;
  #streaming = false;
  #interrupted: InterruptListener | undefined;

  /**
   * @param acceptsStream whether the client can read an event stream.
   * @param shared its `open` holds the exchange until it has ended.
   */
  constructor(
    response: ServerResponse,
    occupancy: Occupancy,
    acceptsStream: boolean,
    { streams, open, onUnsent, carrier }: SharedByExchanges,
  ) {
    this.#response = response;
    this.#onUnsent = onUnsent;
    this.#streams = streams;
    this.#open = open;
    this.#number = open.add(this);
    this.canNotify = acceptsStream;
    const { traceparent, tracestate } = response.req.headers;
    this.traceparent = traceparent;
    this.tracestate = tracestate;
    this.notes = notesOf(response);
    this.carried = carrier.carry?.(response.req);
    this.structured = asksForStructured(response.req);
    occupy(occupancy, response, () => {
      if (this.#finish() !== undefined) this.cancellation.cancel('the client closed the connection');
    });
  }

  notify(text: string): void {
    const response = this.#response;
    if (response === undefined || !this.canNotify) return;
    if (!this.#streaming) this.#streams.open(response);
    this.#streaming = true;
    response.write(toSseEvent(text));
  }

  answer(message: MessageText, status = 200): void {
    const response = this.#finish();
    if (response === undefined) return;
    if (this.#streaming) endStreamWith(response, surround(EVENT_START, message, EVENT_END));
    else
      sendInTurn(
        { length: lengthOf(message), isAlone: this.#open.size === 0 },
        () => sendJson(response, status, message),
        (cause) => this.#onUnsent(response, cause),
      );
  }

  /** Ends the request without a response: 202 is the status for messages that have none. */
  cancel(reason: string): void {
    if (this.#response === undefined) return;
    // What it withdraws is still sent on its stream.
    this.cancellation.cancel(reason);
    const response = this.#finish();
    if (response === undefined) return;
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
    if (this.#response === undefined) return;
    this.#interrupted?.(reason);
    const response = this.#finish();
    if (response !== undefined) {
      if (this.#streaming) response.end();
      else sendRpcError(response, 503, RPC_ERROR.refused, `Not answered: ${reason}.`);
    }
    this.cancellation.cancel(reason);
  }

  /** The response on the first call, undefined afterwards. */
  #finish(): ServerResponse | undefined {
    const response = this.#response;
    this.#response = undefined;
    this.#open.remove(this.#number);
    return response;
  }
}

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

/** Intermediaries commonly close a connection that was silent for 30 to 60 seconds. */
const KEEP_ALIVE_MS = 15_000;

export function createSseStreams(keepAliveMs = KEEP_ALIVE_MS): SseStreams {
  const streams = new Set<ServerResponse>();
  const timer = setInterval(() => {
    for (const response of streams) response.write(': keep-alive\n\n');
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

/** In characters, or in bytes where it is in bytes. */
function lengthOf(message: MessageText): number {
  return typeof message === 'string' ? message.length : message.reduce((sum, piece) => sum + piece.length, 0);
}

/** Answers with a JSON text that is already written. */
export function sendJson(response: ServerResponse, status: number, message: MessageText): void {
  const length = typeof message === 'string' ? Buffer.byteLength(message) : lengthOf(message);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  endWith(response, message);
}

/** Ends a response of a known length: pieces go out in one write. */
function endWith(response: ServerResponse, message: MessageText): void {
  if (typeof message !== 'string') {
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
  return contentType === 'application/json' || isJsonContentType(contentType);
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
