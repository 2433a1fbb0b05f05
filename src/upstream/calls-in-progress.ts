import { FairQueue, type Turn } from '../base/lib/fair-queue.js';
import { type Caller, shareOf } from '../base/protocol/caller.js';
import type { Cancellation } from '../base/protocol/cancellation.js';
import type { QueueBounds } from '../config/gateway-config.js';
import { cancelled, UpstreamFault } from './transport/fault.js';
import type { CallCounts } from './upstream.js';

/** One call that waits for a place. */
export interface Wait {
  /** Absent for what the gateway asks for itself. */
  readonly caller?: Caller | undefined;
  /** The longest wait, where the queue has no shorter one. */
  readonly timeoutMs: number;
  readonly cancellation: Cancellation;
}

interface Waiting {
  admit(): void;
  refuse(fault: UpstreamFault): void;
}

/** What a caller is told to wait where as many calls wait as may. */
const BUSY_RETRY_MS = 1_000;

/** The calls that wait for a place among so many in flight. Each client has its turn, however many calls another one brings. */
class CallQueue {
  readonly #places: number;
  readonly #bounds: QueueBounds;
  readonly #waiting = new FairQueue<Waiting>();

  /** @param places how many calls are in flight at once */
  constructor(places: number, bounds: QueueBounds) {
    this.#places = places;
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when the call has a place. Rejects with an `UpstreamFault` when it is cancelled, out of time, or there are as many waiting as
   * may: of the client with most of them, the newest.
   */
  enter({ caller, timeoutMs, cancellation }: Wait): Promise<void> {
    if (cancellation.cancelled) return Promise.reject(cancelled(cancellation));
    const turn = turnOf(caller);
    if (this.size >= this.#bounds.max) {
      const displaced = this.#waiting.displaceFor(turn);
      if (displaced === undefined) return Promise.reject(this.#full());
      displaced.refuse(this.#full());
    }
    const ms = Math.min(timeoutMs, this.#bounds.waitMs ?? timeoutMs);
    return new Promise((resolve, reject) => {
      const leaveWith = (fault: UpstreamFault): void => {
        if (this.#waiting.remove(turn, waiting)) waiting.refuse(fault);
      };
      const timer = setTimeout(() => leaveWith(this.#expired(ms)), ms);
      const waiting: Waiting = {
        admit() {
          clearTimeout(timer);
          resolve();
        },
        refuse(fault) {
          clearTimeout(timer);
          reject(fault);
        },
      };
      this.#waiting.add(turn, waiting);
      cancellation.onCancel(() => leaveWith(cancelled(cancellation)));
    });
  }

  /** Gives a place to the call whose turn it is. Returns whether one waits. */
  admitNext(): boolean {
    const next = this.#waiting.next();
    next?.admit();
    return next !== undefined;
  }

  #expired(ms: number): UpstreamFault {
    const message = `no free place among its ${this.#places} calls in flight within ${ms / 1000} s`;
    return new UpstreamFault('timeout', message, { undelivered: true });
  }

  #full(): UpstreamFault {
    const { max } = this.#bounds;
    const message = `${max} calls wait for one of its ${this.#places} places, as many as may`;
    return new UpstreamFault('busy', message, { undelivered: true, retryAfterMs: BUSY_RETRY_MS, maxWaiting: max });
  }
}

/** Calls in progress, of which only so many are in flight at once; what they use can be ended after the last of them. */
export class CallsInProgress {
  readonly #max: number;
  readonly #bounds: QueueBounds;
  /** Made by the first call that waits. */
  #queue: CallQueue | undefined;
  #active = 0;
  #whenNone: (() => void)[] = [];

  /** @param max no bound where absent */
  constructor(max = Number.POSITIVE_INFINITY, queue: QueueBounds = { max: Number.POSITIVE_INFINITY }) {
    this.#max = max;
    this.#bounds = queue;
  }

  /** Takes a place if one is free. */
  tryEnter(): boolean {
    if (this.#active >= this.#max) return false;
    this.#active += 1;
    return true;
  }

  /** Waits for a place: see `CallQueue.enter`. */
  enter(wait: Wait): Promise<void> {
    this.#queue ??= new CallQueue(this.#max, this.#bounds);
    return this.#queue.enter(wait);
  }

  /** Gives a place back, or on to the one whose turn it is: it does not become free in between, so that no newer call can take it. */
  leave(): void {
    if (this.#queue?.admitNext() === true) return;
    this.#active -= 1;
    if (this.#active > 0 || this.#whenNone.length === 0) return;
    for (const resume of this.#whenNone) resume();
    this.#whenNone = [];
  }

  /** How many are in flight and how many wait, at this moment. */
  stats(): CallCounts {
    return { inFlight: this.#active, waiting: this.#queue?.size ?? 0 };
  }

  /** Resolves when none is in progress. */
  whenNone(): Promise<void> {
    if (this.#active === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenNone.push(resolve));
  }
}

/** One share for all sessions of a client, and a turn in it for each. */
export function turnOf(caller: Caller | undefined): Turn {
  if (caller === undefined) return { share: 'gateway', session: '' };
  return { share: shareOf(caller), session: caller.sessionId };
}
