import type { Cancellation } from '../protocol/cancellation.js';
import { UpstreamFault } from './fault.js';

export interface Patience {
  readonly ms: number;
  readonly cancellation: Cancellation;
  /** What the wait ends with when patience does. */
  readonly otherwise: () => UpstreamFault;
}

/** Waits for an event that never fails, for so long. Rejects with an `UpstreamFault` when cancelled or out of time. */
export function waitFor(event: Promise<unknown>, { ms, cancellation, otherwise }: Patience): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(otherwise()), ms);
    const settle = (end: () => void) => (): void => {
      clearTimeout(timer);
      end();
    };
    void event.then(settle(resolve));
    cancellation.onCancel(settle(() => reject(new UpstreamFault('cancelled', cancellation.reason ?? 'cancelled'))));
  });
}
