import type { Cancellation } from '../protocol/cancellation.js';
import { UpstreamFault } from './fault.js';

export interface ConcurrencyLimit {
  /** Takes a place if one is free. */
  tryEnter(): boolean;
  /** Waits for a place, first come first served. Rejects with an `UpstreamFault` when cancelled or out of time. */
  enter(timeoutMs: number, cancellation: Cancellation): Promise<void>;
  /** Gives a place back, or on to the first who waits. */
  leave(): void;
}

/** Bounds the calls in flight. Below the limit a call costs one comparison. */
export function limitConcurrency(max: number): ConcurrencyLimit {
  const waiting = new Set<() => void>();
  let active = 0;

  return {
    tryEnter: () => {
      if (active >= max) return false;
      active += 1;
      return true;
    },
    enter: (timeoutMs, cancellation) =>
      new Promise((resolve, reject) => {
        const leaveQueue = (fault: UpstreamFault): void => {
          clearTimeout(timer);
          if (waiting.delete(admit)) reject(fault);
        };
        const admit = (): void => {
          clearTimeout(timer);
          waiting.delete(admit);
          resolve();
        };
        const expired = `no free place among its ${max} calls in flight within ${timeoutMs / 1000} s`;
        const timer = setTimeout(
          () => leaveQueue(new UpstreamFault('timeout', expired, { undelivered: true })),
          timeoutMs,
        );
        waiting.add(admit);
        cancellation.onCancel(() => leaveQueue(new UpstreamFault('cancelled', cancellation.reason ?? 'cancelled')));
      }),
    leave: () => {
      const [next] = waiting;
      // The place changes hands without becoming free in between: no newer call can take it.
      if (next === undefined) active -= 1;
      else next();
    },
  };
}

/** Counts calls, so that what they use can be ended after the last of them. */
export class CallsInProgress {
  #count = 0;
  #waiting: (() => void)[] = [];

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count > 0 || this.#waiting.length === 0) return;
    for (const resume of this.#waiting) resume();
    this.#waiting = [];
  }

  /** Resolves when none is in progress. */
  whenNone(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
