import { isJsonObject } from '../../base/json/json.js';
import { BriefMap } from '../../base/lib/collections.js';
import type { AskAbilities } from '../../base/protocol/ask.js';
import type { Caller, RequestNotes } from '../../base/protocol/call.js';
import type { CarriedHeaders } from '../../base/protocol/caller.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { Authenticated } from '../auth/authenticated.js';
import { joinMessages, type MessageText, surround } from './message-text.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';

export type RequestId = string | number;

/** Whether a value can be a JSON-RPC id (and an MCP progress token): a string or an integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** The id of a request, for a refusal. */
export function readId(message: unknown): RequestId | null {
  const id = isJsonObject(message) ? message['id'] : undefined;
  return isRequestId(id) ? id : null;
}

/** Sends the answer to one request. After `answer`, `cancel` or `interrupt` every method does nothing. */
export interface Responder {
  /** Cancelled when the client cancels the request or disconnects. */
  readonly cancellation: Cancellation;
  /** The W3C trace context of the transport's request, unchecked. */
  readonly traceparent?: unknown;
  /** What goes with it, unchecked. */
  readonly tracestate?: unknown;
  /** Present where requests are logged. */
  readonly notes?: RequestNotes | undefined;
  /** What the transport's request carries for upstreams; absent where none wants any. */
  readonly carried?: CarriedHeaders | undefined;
  /** Whether the transport's request asks for answers as structured content too. */
  readonly structured?: boolean;
  /** Whether messages can be sent before the answer. */
  readonly canNotify: boolean;
  /** Sends a message (JSON text) that belongs to the request. */
  notify(text: string): void;
  /** Sends the response. @param status that of HTTP, where it is the transport and no other status has been sent; else 200 */
  answer(message: MessageText, status?: number): void;
  /** Ends without an answer, because the client wants none. */
  cancel(reason: string): void;
  /** Ends early because the gateway or the session ends: the listener of `onInterrupt` sends an answer. */
  interrupt(reason: string): void;
  /** Sets what answers the request when it is interrupted. */
  onInterrupt(listener: InterruptListener): void;
}

/** Answers a request that is interrupted. @param reason a clause: "the gateway is stopping". */
export type InterruptListener = (reason: string) => void;

/** The sender of a request, as far as its connection or session knows it. */
export interface Peer {
  readonly caller: Caller;
  /** Its unanswered requests by id; absent where only a disconnect cancels. */
  readonly calls?: CallsInFlight;
  /** What its client has declared that it can be asked (protocol up to 2025-11-25). */
  readonly abilities?: AskAbilities;
  /** Whether it has asked for answers as structured content too. */
  readonly structured?: boolean;
  /** Who was authenticated with the request, where authentication is required. */
  readonly holder?: Authenticated | undefined;
}

/** Whether an answer is sent as structured content too, where the operator does not want that for all. */
export function wantsStructured(peer: Peer, responder: Responder): boolean {
  return responder.structured === true || peer.structured === true;
}

/**
 * The unanswered requests of one connection or session, by id: the number 1 and the text "1" are different ids. A session that
 * was never used costs two fields.
 */
export class CallsInFlight {
  #responders: BriefMap<RequestId, Responder> | undefined;
  #whenIdle: (() => void) | undefined;

  get size(): number {
    return this.#responders?.size ?? 0;
  }

  /** Registers a request; false when its id is in use, because the answers could not be told apart. */
  begin(id: RequestId, responder: Responder): boolean {
    this.#responders ??= new BriefMap();
    if (this.#responders.get(id) !== undefined) return false;
    this.#responders.add(id, responder);
    return true;
  }

  get(id: RequestId): Responder | undefined {
    return this.#responders?.get(id);
  }

  /**
   * Removes a request that is about to be answered, or has ended in another way, and returns its responder.
   * @param only whose it is: a new one that uses the same id meanwhile stays
   */
  take(id: RequestId, only?: Responder): Responder | undefined {
    const responder = this.#responders?.get(id);
    if (responder === undefined || (only !== undefined && responder !== only)) return undefined;
    this.#responders?.take(id);
    if (this.#whenIdle !== undefined && this.size === 0) this.#becomeIdle();
    return responder;
  }

  /** Cancels a request: it gets no answer. */
  cancel(id: RequestId, reason: string): void {
    this.take(id)?.cancel(reason);
  }

  /** Ends every request with an answer of the gateway's own. */
  interruptAll(reason: string): void {
    const responders = this.#responders?.values() ?? [];
    this.#responders = undefined;
    for (const responder of responders) responder.interrupt(reason);
    if (responders.length > 0) this.#becomeIdle();
  }

  /** Calls the listener as soon as every request is answered, at once if that is so now. One listener at a time. */
  whenIdle(listener: () => void): void {
    if (this.size === 0) listener();
    else this.#whenIdle = listener;
  }

  #becomeIdle(): void {
    const listener = this.#whenIdle;
    this.#whenIdle = undefined;
    listener?.();
  }
}

/**
 * Two unanswered requests with one id cannot be distinguished (JSON-RPC 2.0, section 4; MCP basic protocol). The refusal
 * carries no id: a client would take it for the answer to its first request.
 */
export function refuseDuplicate(id: string | number): string {
  return writeRpcError(null, RPC_ERROR.invalidRequest, `Request id '${id}' is still unanswered. Use a new id.`);
}

/**
 * Splits one responder into one per request of a JSON-RPC batch (protocol 2025-03-26) and answers with an array once each
 * request is answered or cancelled. Progress inside a batch is not passed on, because the client could not tell which
 * request it belongs to.
 *
 * @param count how many requests, at least one.
 * @param batch answered with the array, or cancelled when every request was cancelled.
 */
export function splitBatch(count: number, batch: Responder): readonly Responder[] {
  const answers: MessageText[] = [];
  let open = count;
  const settle = (): void => {
    open -= 1;
    if (open > 0) return;
    if (answers.length > 0) batch.answer(surround('[', joinMessages(answers, ','), ']'));
    else batch.cancel('every request of the batch was cancelled');
  };
  const responders = Array.from({ length: count }, () => createPart(answers, settle, batch));
  batch.cancellation.onCancel(() => {
    for (const responder of responders) responder.cancel('the client closed the connection');
  });
  batch.onInterrupt((reason) => {
    for (const responder of responders) responder.interrupt(reason);
  });
  return responders;
}

function createPart(answers: MessageText[], settle: () => void, batch: Responder): Responder {
  const { traceparent, tracestate, notes, carried, structured = false } = batch;
  const cancellation = new Cancellation();
  let done = false;
  let interrupted: InterruptListener | undefined;
  const finish = (): boolean => {
    const first = !done;
    done = true;
    return first;
  };
  return {
    cancellation,
    traceparent,
    tracestate,
    notes: notes?.part(),
    carried,
    structured,
    canNotify: false,
    notify: () => undefined,
    answer(message) {
      if (!finish()) return;
      answers.push(message);
      settle();
    },
    cancel(reason) {
      if (!finish()) return;
      cancellation.cancel(reason);
      settle();
    },
    interrupt(reason) {
      if (done) return;
      interrupted?.(reason);
      if (finish()) settle();
      cancellation.cancel(reason);
    },
    onInterrupt(listener) {
      interrupted = listener;
    },
  };
}

/** Applies a message that is `notifications/cancelled`. Unknown and answered requests are ignored. */
export function applyCancellation(message: unknown, calls: CallsInFlight): void {
  if (!isJsonObject(message) || message['method'] !== 'notifications/cancelled') return;
  const params = isJsonObject(message['params']) ? message['params'] : {};
  const { requestId, reason } = params;
  if (isRequestId(requestId)) calls.cancel(requestId, describeReason(reason));
}

/** The client's reason, cut to a bounded length. */
function describeReason(reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? reason.slice(0, 200) : 'the client cancelled the request';
}
