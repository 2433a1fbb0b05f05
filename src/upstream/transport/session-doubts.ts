import type { JSONRPCRequest } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, parseObject } from '../../base/json/json.js';
import { joinPieces, type Pieces } from '../../base/json/pieces.js';
import { LargeMessage } from '../../base/protocol/large-answer.js';
import { HttpExchange, isEventStream, readEvents, readStart } from './http-exchange.js';

/** How a server refused a request: by a status, by a JSON-RPC error, or by both. */
export interface RefusedWith {
  readonly status: number;
  readonly error: JsonObject | undefined;
}

/** A success that holds no answer: a page to sign in, an object of another kind, nothing. It says nothing of what became of the request. */
export const NO_ANSWER: RefusedWith = { status: 200, error: {} };

/** Whether the session is known; where it is not, whether a request that was so refused certainly did not run. */
export type SessionVerdict = 'known' | 'gone' | 'never-reached';

/** How long the server may take to say whether it knows the session. */
const ASK_MS = 3_000;
/** For so long after the session has proven to be known, an error of the same shape is taken for what it says. */
const TRUST_MS = 3_000;
/** Shapes are the server's choice. */
const MOST_SHAPES = 64;
/** A body that is longer is no error. */
const MOST_ERROR_BYTES = 64 * 1024;

/** The id of what is asked. Over HTTP+SSE its answer comes on the stream of all. */
export const CHECK_ID = 'session-check';

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
const URL_ELICITATION_REQUIRED = -32042;

/** Statuses about the request itself or the way to the server, which no lookup of a session gives. */
const OTHER_MATTERS: ReadonlySet<number> = new Set([408, 413, 425, 429, 431]);
const SERVER_ERRORS: ReadonlySet<number> = new Set([500, 501, 503]);

/**
 * Whether a refusal may mean that the server does not know the session. The specification has 404 for that; servers say it with any
 * status and any error, in any words, so that neither tells it from a refusal of the request.
 */
export function mayMeanLoss({ status, error }: RefusedWith): boolean {
  const code = error?.['code'];
  if (code === METHOD_NOT_FOUND || code === URL_ELICITATION_REQUIRED) return false;
  if (status < 300) return error !== undefined;
  return status < 500 ? status >= 400 && !OTHER_MATTERS.has(status) : SERVER_ERRORS.has(status);
}

interface Asking {
  /** Sends this message as the refused one was sent. */
  readonly dispatch: (message: JSONRPCRequest, exchange: HttpExchange) => void;
  readonly onBytes: () => void;
  /** Whether the server answers on another stream, so that what it says here is no answer in any case. */
  readonly answersElsewhere?: boolean;
}

/**
 * Decides of refusals whether the server has forgotten the session. A living session must answer a ping
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping), so one ping decides for all refusals that come
 * meanwhile. Servers that refuse every ping are asked for their tools, which they have listed in this session before. In the same way a server
 * without sessions is found to be another one now: one that wants a session, or speaks another revision of the protocol. See
 * docs/adr/0042-one-question-decides-whether-a-server-knows-us.md.
 */
export class SessionDoubts {
  readonly #asking: Asking;
  readonly #knownAt = new Map<string, number>();
  #answer: Promise<RefusedWith | undefined> | undefined;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** @param envelope what requests say of the protocol, where each says it for itself */
  async judge(refusal: RefusedWith, envelope?: JsonObject): Promise<SessionVerdict> {
    const shape = shapeOf(refusal);
    const knownAt = this.#knownAt.get(shape);
    if (knownAt !== undefined && performance.now() - knownAt < TRUST_MS) return 'known';
    this.#answer ??= this.#askTwice(envelope).finally(() => {
      this.#answer = undefined;
    });
    const second = await this.#answer;
    if (second !== undefined) return isSameRefusal(refusal, second) ? 'never-reached' : 'gone';
    if (this.#knownAt.size >= MOST_SHAPES) this.#knownAt.clear();
    this.#knownAt.set(shape, performance.now());
    return 'known';
  }

  /** The refusal of the ping; undefined where the session is known, or where nothing is said in time. */
  async #askTwice(envelope: JsonObject | undefined): Promise<RefusedWith | undefined> {
    const refusal = await this.#ask('ping', envelope);
    if (refusal === undefined || (await this.#ask('tools/list', envelope)) === undefined) return undefined;
    return refusal;
  }

  #ask(method: string, envelope: JsonObject | undefined): Promise<RefusedWith | undefined> {
    return new Promise((resolve) => {
      const exchange = new HttpExchange(
        (status, headers, flow) => {
          if (!isEventStream(headers)) return readStart((text) => resolve(this.#read(status, text)), MOST_ERROR_BYTES);
          const onData = (data: Pieces | LargeMessage): void => {
            const text = data instanceof LargeMessage ? undefined : joinPieces(data).toString('utf8');
            if (text !== undefined && parseObject(text)?.['method'] !== undefined) return;
            // No refusal is as long.
            resolve(text === undefined ? undefined : this.#read(status, text));
            exchange.abort(ENOUGH);
          };
          return readEvents({ onData, ...IGNORED }, Number.POSITIVE_INFINITY, flow);
        },
        (error) => resolve(error === undefined ? this.#readSuccess(200, undefined) : undefined),
        this.#asking.onBytes,
      );
      setTimeout(() => exchange.abort(ENOUGH), ASK_MS).unref();
      const params = envelope === undefined ? {} : { params: { _meta: envelope } };
      this.#asking.dispatch({ jsonrpc: '2.0', id: CHECK_ID, method, ...params }, exchange);
    });
  }

  /** What an answer refuses; undefined where it is a result. A method that is not known was looked for in a session that is. */
  #read(status: number, text: string): RefusedWith | undefined {
    const error = readError(text);
    if (error?.['code'] === METHOD_NOT_FOUND) return undefined;
    if (status >= 300 || error !== undefined) return { status, error };
    // Of a long body only the start was read. A character has four bytes at most.
    return text.length >= MOST_ERROR_BYTES / 4 ? undefined : this.#readSuccess(status, parseObject(text));
  }

  #readSuccess(status: number, body: JsonObject | undefined): RefusedWith | undefined {
    // Of 202 the answer comes later, on the server's own stream.
    const isElsewhere = this.#asking.answersElsewhere === true || status === 202;
    return isElsewhere || isJsonObject(body?.['result']) ? undefined : NO_ANSWER;
  }
}

const ENOUGH = new Error('what was asked is known');
const IGNORED = { onEventId: () => undefined, onRetry: () => undefined };

/** The JSON-RPC error that a body consists of, whichever request it names. */
export function readError(text: string): JsonObject | undefined {
  const error = parseObject(text)?.['error'];
  return isJsonObject(error) ? error : undefined;
}

function shapeOf({ status, error }: RefusedWith): string {
  return `${status} ${String(error?.['code'])}`;
}

/**
 * Whether a request was refused for the reason for which the ping was: before anything looked into it. Of a server that fails, or of an
 * error in an answer that is not the ping's, that is not certain: the call may have run before the session ended.
 */
function isSameRefusal(call: RefusedWith, ping: RefusedWith): boolean {
  if (call.status >= 400) return call.status < 500 && ping.status >= 400 && ping.status < 500;
  const code = call.error?.['code'];
  if (code === INTERNAL_ERROR || code === undefined) return false;
  return shapeOf(call) === shapeOf(ping) && call.error?.['message'] === ping.error?.['message'];
}
