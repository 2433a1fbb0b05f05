import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject } from '../../base/json/json.js';
import { networkOf } from '../../base/lib/network-of.js';
import type { Observer } from '../../base/observe/observation.js';
import { HANDSHAKES, isOwnHandshake, LOOP, LOOP_CURE } from '../../base/protocol/gateway-chain.js';
import { type MessageLimits, payloadTooLarge } from '../../base/protocol/limits.js';
import { turns } from '../../base/turns/turns.js';
import type { Authenticated } from '../auth/authenticated.js';
import { decodeMessage, GrowingBuffer, type Refusal, refuseMessage } from '../mcp/decode-message.js';
import { MessageExcerpt } from '../mcp/message-excerpt.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { type Era, MODERN_REVISION, type ResultWriter } from '../mcp/write-result.js';
import {
  acceptsJson,
  addressOf,
  failing,
  type RequestHandler,
  sendJson,
  sendRpcError,
  sendsJson,
} from './responder.js';

/** Passes a parsed body to the part that answers it. */
export type MessageRouter = (
  message: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  client: Authenticated | undefined,
) => void;

interface PostReceiverDeps {
  /** As they are in force for a request that comes now. */
  readonly limits: () => MessageLimits;
  readonly requestTimeoutMs: number;
  readonly route: MessageRouter;
  readonly writer: ResultWriter;
  readonly observe: Observer;
}

/** Parsing a body of this size takes about a millisecond. */
const LARGE_BYTES = 65_536;

const UNSUPPORTED_MEDIA_TYPE = 'Unsupported Media Type: Content-Type must be application/json';
const NOT_ACCEPTABLE = 'Not Acceptable: Client must accept both application/json and text/event-stream';

const UNSUPPORTED_ENCODING = 'Unsupported Media Type: send the body without Content-Encoding';

/** The answers to bodies that were not read to their end. */
const UNREAD = {
  'too-slow': { status: 408, problem: 'Request Timeout: the body arrived too slowly. Send it again.' },
  'too-many': {
    status: 503,
    problem: 'Too many large requests of this address are being received. Send this one again when another has ended.',
  },
  'too-fragmented': {
    status: 400,
    problem:
      'Bad Request: the body came in too many chunks of a few bytes each. Send it in one piece, with Content-Length.',
  },
} as const;

/** Reads a POST up to its parsed body. Refuses a request that is not JSON, not UTF-8 or too large. */
export function createPostReceiver(deps: PostReceiverDeps): RequestHandler {
  const { limits, requestTimeoutMs, route, writer, observe } = deps;
  const failRequest = failing(observe, 'POST /mcp');
  const readBody = createBodyReader({ maxBytes: () => limits().maxRequestSize, smallBodyMs: requestTimeoutMs / 10 });
  const answerBody = (
    body: Body,
    request: IncomingMessage,
    response: ServerResponse,
    client: Authenticated | undefined,
  ): Promise<void> | void => {
    const { maxRequestSize, maxNestingDepth, maxArrayElements: maxMembers, maxValues } = limits();
    const era: Era = request.headers['mcp-protocol-version'] === MODERN_REVISION ? 'modern' : 'legacy';
    if (body.kind === 'too-large') {
      if (body.cutOff) cutOffAfterAnswer(request, response);
      const error = payloadTooLarge('request_size', body.size, { maxRequestSize });
      sendRefusal(response, refuseMessage(body.excerpt.sketch(), error, era, writer));
      return;
    }
    if (body.kind !== 'complete') {
      const { status, problem } = UNREAD[body.kind];
      cutOffAfterAnswer(request, response);
      sendRpcError(response, status, RPC_ERROR.refused, problem);
      return;
    }
    turns.spend(body.bytes.length);
    const decoded = decodeMessage(body.bytes, { era, writer, maxNestingDepth, maxMembers, maxValues });
    const take = (): void => {
      if (decoded.kind === 'refused') {
        sendRefusal(response, decoded.refusal);
        return;
      }
      const { message } = decoded;
      // A gateway that begins a connection to itself.
      if (isJsonObject(message) && HANDSHAKES.has(message['method']) && isOwnHandshake(message))
        sendRpcError(response, 508, RPC_ERROR.refused, `${LOOP}. ${LOOP_CURE}.`);
      else route(message, request, response, client);
    };
    // What is done with a large message has a turn of its own.
    return body.bytes.length > LARGE_BYTES ? turns.next(laneOf(request)).then(take) : take();
  };

  return (request, response, client) => {
    const { accept, 'content-type': contentType } = request.headers;
    if (!sendsJson(contentType)) {
      sendRpcError(response, 415, RPC_ERROR.refused, UNSUPPORTED_MEDIA_TYPE);
      return;
    }
    if (!acceptsJson(accept)) {
      sendRpcError(response, 406, RPC_ERROR.refused, NOT_ACCEPTABLE);
      return;
    }
    if (isEncoded(request)) {
      response.setHeader('accept-encoding', 'identity');
      sendRpcError(response, 415, RPC_ERROR.refused, UNSUPPORTED_ENCODING);
      return;
    }
    const fail = (cause: unknown): void => failRequest(response, cause);
    readBody(request, (body) => {
      if (body.kind === 'complete' && body.bytes.length > LARGE_BYTES) {
        // Large bodies that end together are parsed one a turn.
        turns
          .next(laneOf(request))
          .then(() => answerBody(body, request, response, client))
          .catch(fail);
        return;
      }
      try {
        answerBody(body, request, response, client)?.catch(fail);
      } catch (cause) {
        fail(cause);
      }
    });
  };
}

/** Clients are not known by their sessions yet. */
function laneOf(request: IncomingMessage): string {
  return networkOf(addressOf(request));
}

/** Whether the body is other bytes than those that are sent for it. */
export function isEncoded({ headers }: IncomingMessage): boolean {
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  return content.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked';
}

function sendRefusal(response: ServerResponse, { status, text }: Refusal): void {
  sendJson(response, status, text);
}

/**
 * How much of a body over the limit is read and discarded, so that the client can finish writing before it reads the
 * refusal. The connection of a client that sends more is closed.
 */
const DRAIN_BYTES = 16 * 1024 * 1024;

/** A body beyond this size counts as large; a smaller one has a tenth of the request's time to end. */
const SMALL_BYTES = 64 * 1024;

/** Large bodies under way at once from one address. */
const MAX_LARGE_BODIES = 32;

export type Body =
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'too-large'; readonly excerpt: MessageExcerpt; readonly size: number; readonly cutOff: boolean }
  /** The rest of the body is not read. */
  | { readonly kind: keyof typeof UNREAD };

/** Reads a request's body. `done` is called once with it; never when the client disconnects before its end. */
type BodyReader = (request: IncomingMessage, done: (body: Body) => void) => void;

interface BodyLimits {
  /** The largest body in bytes. Of a larger one only an excerpt is kept. */
  readonly maxBytes: () => number;
  /** How long a body may take to end or to exceed 64 kB, in milliseconds. */
  readonly smallBodyMs: number;
}

/** Creates a reader that bounds what bodies under way cost: their bytes, their time and their number per address. */
export function createBodyReader({ maxBytes: maxBytesNow, smallBodyMs }: BodyLimits): BodyReader {
  const large = new LargeBodies();
  return (request, done) => {
    const maxBytes = maxBytesNow();
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > maxBytes) {
      drainBody(request, NOTHING, declared, done);
      return;
    }
    /** What has come of a body of several chunks. */
    let body: GrowingBuffer | undefined;
    /** Of whose large bodies this is one. */
    let sender: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      if (sender !== undefined) large.leave(sender);
      sender = undefined;
    };
    const stop = (): void => {
      request.off('data', onData).off('end', complete).off('close', settle);
      settle();
    };
    let chunks = 0;
    const refuse = (kind: keyof typeof UNREAD): void => {
      stop();
      request.pause();
      body?.clear();
      done({ kind });
    };
    const onData = (chunk: Buffer): void => {
      // Most bodies are complete with their first chunk, and hold nothing that a client which disconnects would have to give back.
      if (body === undefined && chunk.length === declared) {
        done({ kind: 'complete', bytes: chunk });
        return;
      }
      body ??= new GrowingBuffer(declared);
      body.add(chunk);
      chunks += 1;
      if (body.size === declared) {
        complete();
        return;
      }
      if (chunks === 1) request.on('close', settle);
      if (chunks > FEW_CHUNKS && body.size < chunks * LEAST_CHUNK_BYTES && isChunked(request)) {
        turns.spend(CHUNKS_WORK);
        refuse('too-fragmented');
        return;
      }
      if (body.size > maxBytes) {
        stop();
        drainBody(request, body.bytes(), declared, done);
        body.clear();
        return;
      }
      if (timer === undefined) timer = setTimeout(refuse, smallBodyMs, 'too-slow').unref();
      if (sender !== undefined || body.size <= SMALL_BYTES) return;
      clearTimeout(timer);
      const address = laneOf(request);
      if (large.enter(address)) sender = address;
      else refuse('too-many');
    };
    let isComplete = false;
    // The listeners stay: nothing comes after the end, and removing them costs as much as setting them.
    const complete = (): void => {
      if (isComplete) return;
      isComplete = true;
      settle();
      done({ kind: 'complete', bytes: body?.bytes() ?? NOTHING });
    };
    request.on('data', onData);
    // Node's parser holds a body against its declared length, so the last byte says as much as the end.
    if (declared === 0) request.on('end', complete);
  };
}

/**
 * A body of more chunks has to have so many bytes for each: one read of the network can hold ten thousand chunks of a byte. Node's parser
 * hands over those of the read that it is at, whatever is paused or destroyed meanwhile (its own `pause` included, measured with Node
 * 20.20): some 20 ms. No further read follows, because the request is paused and its connection is closed after the answer.
 */
const FEW_CHUNKS = 128;
const CHUNKS_WORK = 1_300_000;
const LEAST_CHUNK_BYTES = 32;

/** A body has one of the two, and of a request with very many headers neither may be among those that are read. */
function isChunked({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined;
}

const NOTHING = Buffer.alloc(0);

/** Counts the large bodies under way by address. */
class LargeBodies {
  readonly #counts = new Map<string, number>();

  /** False when the address has too many. */
  enter(address: string): boolean {
    const count = this.#counts.get(address) ?? 0;
    if (count >= MAX_LARGE_BODIES) return false;
    this.#counts.set(address, count + 1);
    return true;
  }

  leave(address: string): void {
    const count = (this.#counts.get(address) ?? 1) - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }
}

/** Closes the connection after the answer, because the rest of the body is not read. */
export function cutOffAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close');
  response.once('finish', () => request.destroy());
}

function drainBody(request: IncomingMessage, seen: Buffer, declared: number, done: (body: Body) => void): void {
  const excerpt = new MessageExcerpt();
  excerpt.add(seen);
  const finish = (cutOff: boolean): void => {
    request.off('data', onData).off('end', onEnd);
    if (cutOff) request.pause();
    done({ kind: 'too-large', excerpt, size: Math.max(declared, excerpt.size), cutOff });
  };
  const onData = (chunk: Buffer): void => {
    excerpt.add(chunk);
    if (excerpt.size > DRAIN_BYTES) finish(true);
  };
  const onEnd = (): void => finish(false);
  request.on('data', onData).on('end', onEnd);
}
