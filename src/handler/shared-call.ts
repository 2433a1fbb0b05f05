import { Cancellation } from '../protocol/cancellation.js';
import type { HandlerCall, HandlerOutcome, OperationHandler, ProgressUpdate } from '../protocol/handler.js';
import { OperationError } from '../protocol/operation-error.js';

interface Waiter {
  readonly resolve: (outcome: HandlerOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: HandlerCall['onProgress'];
}

/**
 * One upstream call that several callers wait for. Whoever cancels leaves; the call itself is cancelled when nobody is left.
 * All who wait see its progress from when they came, and get the same outcome or the same error.
 */
export class SharedCall {
  /** Of the upstream's call, whoever still waits for it. */
  readonly outcome: Promise<HandlerOutcome>;
  readonly #waiters = new Set<Waiter>();
  readonly #cancellation = new Cancellation();

  /** Starts the call. Nobody waits for it yet. */
  constructor(inner: OperationHandler, { operation, arguments: args, caller }: HandlerCall) {
    this.outcome = inner({
      operation,
      arguments: args,
      caller,
      cancellation: this.#cancellation,
      onProgress: (update) => this.#tell(update),
    });
    this.outcome.then(
      (outcome) => this.#dismiss(({ resolve }) => resolve(outcome)),
      (error: unknown) => this.#dismiss(({ reject }) => reject(error)),
    );
  }

  /** Whether everybody has left, so that nobody may join any more. */
  get abandoned(): boolean {
    return this.#cancellation.cancelled;
  }

  join({ operation, cancellation, onProgress }: HandlerCall): Promise<HandlerOutcome> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject, onProgress };
      this.#waiters.add(waiter);
      cancellation.onCancel(() => this.#leave(waiter, operation.upstream, cancellation.reason ?? 'cancelled'));
    });
  }

  #leave(waiter: Waiter, upstream: string, reason: string): void {
    if (!this.#waiters.delete(waiter)) return;
    const details = { upstream, reason: 'cancelled', retryable: false };
    const message = "Internal error: 'the call was cancelled'";
    waiter.reject(new OperationError('INTERNAL_ERROR', message, details, { cause: reason }));
    if (this.#waiters.size === 0) this.#cancellation.cancel(reason);
  }

  #tell(update: ProgressUpdate): void {
    for (const { onProgress } of this.#waiters) onProgress?.(update);
  }

  #dismiss(tell: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) tell(waiter);
  }
}
