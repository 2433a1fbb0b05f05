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

/**
 * The unanswered requests of one connection or session, by id. An idle one costs three fields.
 *
 * A dictionary, not a Map: a Map that grows and shrinks leaves outgrown tables behind, which keep finished calls alive until
 * the next full collection; under load that was a third of the garbage collector's work.
 */
export class CallsInFlight {
  #ports: Record<string, AnswerPort> | undefined;
  #size = 0;
  #whenIdle: (() => void) | undefined;

  get size(): number {
    return this.#size;
  }

  /** Notes a request; false when its id is in use, which would make the answers indistinguishable. */
  begin(id: RequestId, port: AnswerPort): boolean {
    this.#ports ??= Object.create(null) as Record<string, AnswerPort>;
    const key = keyOf(id);
    if (key in this.#ports) return false;
    this.#ports[key] = port;
    this.#size += 1;
    return true;
  }

  get(id: RequestId): AnswerPort | undefined {
    return this.#ports?.[keyOf(id)];
  }

  /** Forgets a request that is about to be answered, and gives its port. */
  take(id: RequestId): AnswerPort | undefined {
    const key = keyOf(id);
    const port = this.#ports?.[key];
    if (port === undefined) return undefined;
    delete this.#ports?.[key];
    this.#size -= 1;
    if (this.#size === 0) this.#becomeIdle();
    return port;
  }

  /** Forgets a request that has ended some other way; a new one that uses its id meanwhile stays. */
  forget(id: RequestId, port: AnswerPort): void {
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
