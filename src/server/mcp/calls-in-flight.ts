import type { Caller } from '../../protocol/call.js';
import { Cancellation } from '../../protocol/cancellation.js';
import { isJsonObject } from '../../protocol/json.js';
import { isRequestId, type RequestId } from './fast-request.js';

/** Where the answer to one request goes. After `answer` or `cancel` every method does nothing. */
export interface Responder {
  /** Cancelled when the client takes the request back or goes away. */
  readonly cancellation: Cancellation;
  /** Whether messages can be sent before the answer. */
  readonly canNotify: boolean;
  /** Sends a message (JSON text) that belongs to the request. */
  notify(text: string): void;
  /** Sends the response (JSON text). */
  answer(text: string): void;
  /** Ends without an answer. */
  cancel(reason: string): void;
}

/** Whom a request came from, as far as its connection or session knows. */
export interface Peer {
  readonly caller: Caller;
  /** Where its unanswered requests can be found by id; absent where only a disconnect cancels. */
  readonly calls?: CallsInFlight;
  /** Whether its client has declared that it asks its user when a request of ours says so (protocol up to 2025-11-25). */
  readonly elicits?: boolean;
}

/**
 * The unanswered requests of one connection or session, by id. An idle one costs three fields.
 *
 * A dictionary, not a Map: a Map that grows and shrinks leaves outgrown tables behind, which keep finished calls alive until
 * the next full collection; under load that was a third of the garbage collector's work.
 */
export class CallsInFlight {
  #ports: Record<string, Responder> | undefined;
  #size = 0;
  #whenIdle: (() => void) | undefined;

  get size(): number {
    return this.#size;
  }

  /** Notes a request; false when its id is in use, which would make the answers indistinguishable. */
  begin(id: RequestId, port: Responder): boolean {
    this.#ports ??= Object.create(null) as Record<string, Responder>;
    const key = keyOf(id);
    if (key in this.#ports) return false;
    this.#ports[key] = port;
    this.#size += 1;
    return true;
  }

  get(id: RequestId): Responder | undefined {
    return this.#ports?.[keyOf(id)];
  }

  /** Forgets a request that is about to be answered, and gives its port. */
  take(id: RequestId): Responder | undefined {
    const key = keyOf(id);
    const port = this.#ports?.[key];
    if (port === undefined) return undefined;
    delete this.#ports?.[key];
    this.#size -= 1;
    if (this.#size === 0) this.#becomeIdle();
    return port;
  }

  /** Forgets a request that has ended some other way; a new one that uses its id meanwhile stays. */
  forget(id: RequestId, port: Responder): void {
    if (this.get(id) === port) this.take(id);
  }

  /** Takes a request back: it gets no answer. */
  cancel(id: RequestId, reason: string): void {
    this.take(id)?.cancel(reason);
  }

  cancelAll(reason: string): void {
    const ports = Object.values(this.#ports ?? {});
    this.#ports = undefined;
    this.#size = 0;
    for (const port of ports) port.cancel(reason);
    if (ports.length > 0) this.#becomeIdle();
  }

  /** Calls the listener as soon as nothing is unanswered, at once if that is so now. One listener at a time. */
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

/** The number 1 and the string "1" are different ids. */
function keyOf(id: RequestId): string {
  return typeof id === 'number' ? `n${id}` : `s${id}`;
}

/**
 * Splits one port into one per request of a JSON-RPC batch (protocol 2025-03-26) and answers with an array once each
 * request is answered or cancelled. Progress inside a batch is not passed on: which request it belongs to is the only
 * thing that the client could not tell.
 *
 * @param count how many requests, at least one.
 * @param batch answered with the array, or cancelled when nothing is left to answer.
 */
export function splitBatch(count: number, batch: Responder): readonly Responder[] {
  const answers: string[] = [];
  let open = count;
  const settle = (): void => {
    open -= 1;
    if (open > 0) return;
    if (answers.length > 0) batch.answer(`[${answers.join(',')}]`);
    else batch.cancel('every request of the batch was cancelled');
  };
  const ports = Array.from({ length: count }, () => createPart(answers, settle));
  batch.cancellation.onCancel(() => {
    for (const port of ports) port.cancel('the client closed the connection');
  });
  return ports;
}

function createPart(answers: string[], settle: () => void): Responder {
  const cancellation = new Cancellation();
  let done = false;
  const finish = (): boolean => {
    const first = !done;
    done = true;
    return first;
  };
  return {
    cancellation,
    canNotify: false,
    notify: () => undefined,
    answer(text) {
      if (!finish()) return;
      answers.push(text);
      settle();
    },
    cancel(reason) {
      if (!finish()) return;
      cancellation.cancel(reason);
      settle();
    },
  };
}

/** Does what a `notifications/cancelled` says, if the message is one. A request that is unknown or answered is none. */
export function heedCancellation(message: unknown, calls: CallsInFlight): void {
  if (!isJsonObject(message) || message['method'] !== 'notifications/cancelled') return;
  const params = isJsonObject(message['params']) ? message['params'] : {};
  const { requestId, reason } = params;
  if (isRequestId(requestId)) calls.cancel(requestId, describeReason(reason));
}

/** The client's own words, cut to a sensible length. */
function describeReason(reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? reason.slice(0, 200) : 'the client cancelled the request';
}
