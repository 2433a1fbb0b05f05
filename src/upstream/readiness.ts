import type { Cancellation } from '../protocol/cancellation.js';
import { UpstreamFault } from './fault.js';

interface Wait {
  readonly patienceMs: number;
  readonly cancellation: Cancellation;
  /** What the wait ends with when patience does. */
  readonly otherwise: UpstreamFault;
}

/** Where calls wait for something that is about to be there again. */
export class Readiness<T> {
  readonly #waiting = new Set<(outcome: { readonly value: T } | UpstreamFault) => void>();

  wait({ patienceMs, cancellation, otherwise }: Wait): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: { readonly value: T } | UpstreamFault): void => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        if (outcome instanceof UpstreamFault) reject(outcome);
        else resolve(outcome.value);
      };
      const timer = setTimeout(() => settle(otherwise), patienceMs);
      this.#waiting.add(settle);
      cancellation.onCancel(() => settle(new UpstreamFault('cancelled', cancellation.reason ?? 'cancelled')));
    });
  }

  /** Lets all waiting calls go on. */
  give(value: T): void {
    for (const settle of [...this.#waiting]) settle({ value });
  }

  /** Fails all waiting calls. */
  fail(fault: UpstreamFault): void {
    for (const settle of [...this.#waiting]) settle(fault);
  }
}
