import type { Cancellation } from '../../protocol/cancellation.js';
import type { RequestId } from './hot-request.js';

/** Where the answer to one request goes. After `answer` or `cancel` every method does nothing. */
export interface AnswerPort {
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

/** The unanswered requests of one connection or session, by id. An idle one costs three fields. */
export class CallsInFlight {
  #ports: Map<RequestId, AnswerPort> | undefined;
  #whenIdle: (() => void) | undefined;

  get size(): number {
    return this.#ports?.size ?? 0;
  }

  /** Notes a request; false when its id is in use, which would make the answers indistinguishable. */
  begin(id: RequestId, port: AnswerPort): boolean {
    this.#ports ??= new Map();
    if (this.#ports.has(id)) return false;
    this.#ports.set(id, port);
    return true;
  }

  get(id: RequestId): AnswerPort | undefined {
    return this.#ports?.get(id);
  }

  /** Forgets a request that is about to be answered, and gives its port. */
  take(id: RequestId): AnswerPort | undefined {
    const port = this.#ports?.get(id);
    if (this.#ports?.delete(id) && this.#ports.size === 0) this.#becomeIdle();
    return port;
  }

  /** Forgets a request that has ended some other way; a new one that uses its id meanwhile stays. */
  forget(id: RequestId, port: AnswerPort): void {
    if (this.#ports?.get(id) === port) this.take(id);
  }

  /** Takes a request back: it gets no answer. */
  cancel(id: RequestId, reason: string): void {
    this.take(id)?.cancel(reason);
  }

  cancelAll(reason: string): void {
    for (const id of [...(this.#ports?.keys() ?? [])]) this.cancel(id, reason);
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
