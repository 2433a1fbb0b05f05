import { FairQueue, type Turn } from '../base/lib/fair-queue.js';
import type { RawCall } from '../base/protocol/call.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { Reply } from '../base/protocol/result.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { turnOf } from '../upstream/calls-in-progress.js';

/** How many calls the gateway takes on at once, and how many of them one client. */
export type CallBounds = Pick<GatewayConfig['server'], 'maxCalls' | 'maxCallsPerClient' | 'maxWaitingCalls'>;

interface Waiting {
  admit(): void;
  refuse(error: OperationError): void;
}

/** What paces calls. */
interface Pace {
  /** The milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Does something in the next turn of the event loop. */
  readonly later: (work: () => void) => void;
}

const PACE: Pace = { now: () => performance.now(), later: setImmediate };

/** For so long after a call of one client, those of the others leave room for its next one: models think between two calls. */
const SHARED_MS = 30_000;

/** A turn of the loop that lets calls in should take so long: another client's call waits for the end of one. */
const TURN_MS = 1;

/** More calls than these in a turn hardly save more of the cost of a turn, and would be one long turn when dear ones follow cheap ones. */
const MOST_IN_A_TURN = 4;

/**
 * The calls of all clients, over all upstreams and built-in operations. So many are in flight at once, and so many of one client; the
 * rest waits, and each client has its turn.
 *
 * Calls that only take the event loop's time, such as searches, end in the turn in which they begin, so that no number in flight bounds
 * them. Where several clients call, a client may therefore begin one call in a turn of the event loop. What it brings beyond waits, and
 * so much of all that waits begins in each turn as keeps turns short: one call where calls are dear, a few where they are cheap. The loop
 * is never idle while calls wait, and hears all clients between any two turns.
 */
export class FairCalls {
  readonly #bounds: CallBounds;
  readonly #pace: Pace;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #inFlight = new Map<string, number>();
  /** How many calls each client has that wait or are in flight. */
  readonly #present = new Map<string, number>();
  #total = 0;
  /** Those that began a call in this turn. */
  readonly #begun = new Set<string>();
  #isServing = false;
  /** How many that wait may begin in a turn. */
  #perTurn = 1;
  /** When the turn before this one let calls in; absent where this one does not follow it at once. */
  #turnBegan: number | undefined;
  #last: string | undefined;
  #sharedUntil = Number.NEGATIVE_INFINITY;

  constructor(bounds: CallBounds, pace: Pace = PACE) {
    this.#bounds = bounds;
    this.#pace = pace;
  }

  /** Answers the call when it has a place and its turn, or says why it has none. Never rejects where `answer` does not. */
  async run(call: RawCall, answer: () => Promise<Reply>): Promise<Reply> {
    const turn = turnOf(call.caller);
    this.#note(turn.share);
    addTo(this.#present, turn.share, 1);
    try {
      return await this.#answer(turn, call, answer);
    } finally {
      addTo(this.#present, turn.share, -1);
    }
  }

  async #answer(turn: Turn, call: RawCall, answer: () => Promise<Reply>): Promise<Reply> {
    try {
      if (this.#mayBegin(turn)) this.#begin(turn);
      else await this.#wait(turn, call);
    } catch (error) {
      if (error instanceof OperationError) return refusalOf(call, error);
      throw error;
    }
    try {
      return await answer();
    } finally {
      this.#end(turn);
    }
  }

  /** Notes who calls, so that it is known whether several do. */
  #note(share: string): void {
    if (share === this.#last) return;
    if (this.#last !== undefined) this.#sharedUntil = this.#pace.now() + SHARED_MS;
    this.#last = share;
  }

  #isShared(): boolean {
    return this.#present.size > 1 || this.#pace.now() < this.#sharedUntil;
  }

  #mayBegin({ share }: Turn): boolean {
    if (this.#total >= this.#bounds.maxCalls || !this.#hasPlace(share) || this.#waiting.has(share)) return false;
    if (!this.#isShared()) return true;
    return !this.#begun.has(share);
  }

  #hasPlace(share: string): boolean {
    return (this.#inFlight.get(share) ?? 0) < this.#bounds.maxCallsPerClient;
  }

  #begin({ share }: Turn): void {
    this.#takePlace(share);
    if (!this.#isShared()) return;
    this.#begun.add(share);
    this.#serveLater();
  }

  #takePlace(share: string): void {
    addTo(this.#inFlight, share, 1);
    this.#total += 1;
  }

  #end({ share }: Turn): void {
    addTo(this.#inFlight, share, -1);
    this.#total -= 1;
    if (this.#waiting.size > 0) this.#serveLater();
  }

  #wait(turn: Turn, { cancellation }: RawCall): Promise<void> {
    if (this.#waiting.size >= this.#bounds.maxWaitingCalls) {
      const displaced = this.#waiting.displaceFor(turn);
      if (displaced === undefined) return Promise.reject(this.#full());
      displaced.refuse(this.#full());
    }
    return new Promise((admit, refuse) => {
      const waiting: Waiting = { admit, refuse };
      this.#waiting.add(turn, waiting);
      cancellation.onCancel(() => {
        if (this.#waiting.remove(turn, waiting)) refuse(cancelled());
      });
      this.#serveLater();
    });
  }

  /** Serves those who wait in the next turn, once however often it is asked for. */
  #serveLater(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    this.#pace.later(() => this.#serve());
  }

  /** Lets in what a short turn has room for where several clients call; else all that have a place. They run when this function has ended. */
  #serve(): void {
    this.#isServing = false;
    this.#begun.clear();
    const now = this.#pace.now();
    if (this.#turnBegan !== undefined) this.#adjust(now - this.#turnBegan);
    const admitted = this.#admit(this.#isShared() ? this.#perTurn : Number.POSITIVE_INFINITY);
    const goesOn = admitted > 0 && this.#waiting.size > 0;
    this.#turnBegan = goesOn ? now : undefined;
    if (goesOn) this.#serveLater();
  }

  /** Halves what a turn lets in where one took too long, and else tries one more. */
  #adjust(tookMs: number): void {
    const next = tookMs > TURN_MS ? Math.floor(this.#perTurn / 2) : this.#perTurn + 1;
    this.#perTurn = Math.min(Math.max(next, 1), MOST_IN_A_TURN);
  }

  /** @returns how many it let in, at most so many */
  #admit(most: number): number {
    let admitted = 0;
    while (admitted < most && this.#admitOne()) admitted += 1;
    return admitted;
  }

  #admitOne(): boolean {
    if (this.#total >= this.#bounds.maxCalls) return false;
    const next = this.#waiting.take((share) => this.#hasPlace(share));
    if (next === undefined) return false;
    this.#takePlace(next.share);
    next.item.admit();
    return true;
  }

  #full(): OperationError {
    const { maxWaitingCalls } = this.#bounds;
    return new OperationError(
      'RATE_LIMIT_EXCEEDED',
      `The gateway is busy: ${maxWaitingCalls} calls wait for their turn, as many as the configuration allows. The call did not run: send it again in 1 s, and send fewer together`,
      { reason: 'queue_full', retryable: true, outcome: 'not_run', retry_after_seconds: 1 },
    );
  }
}

/** Changes a count; one of none is left out. */
function addTo(counts: Map<string, number>, share: string, change: number): void {
  const count = (counts.get(share) ?? 0) + change;
  if (count > 0) counts.set(share, count);
  else counts.delete(share);
}

function cancelled(): OperationError {
  return new OperationError('INTERNAL_ERROR', 'The call was cancelled before it began', {
    reason: 'cancelled',
    retryable: false,
  });
}

function refusalOf({ notes }: RawCall, error: OperationError): Reply {
  notes?.note({ code: error.code });
  return { text: JSON.stringify(error.toFailure()), blocks: [], isError: true, code: error.code };
}
