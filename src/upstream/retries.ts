import type { RestartBounds } from '../config/gateway-config.js';

const FIRST_MS = 100;
const MAX_MS = 30_000;
/** Failures that are followed by the shortest pause: many where a good server crashed, few where it never worked. */
const PATIENT_FAILURES = { afterSuccess: 30, otherwise: 3 };
/** A connection that lived for this long was good: a loss after it is a new fault, not a repetition. */
const STABLE_MS = 2_000;
/** How soon after a failed attempt a waiting call may bring on the next; never sooner than the attempt itself took. */
const EAGER_MS = 150;

/** A server that crashes so often within the window is in a crash loop, until it has run for the healthy span. */
const CRASH_LOOP = { crashes: 5, windowMs: 300_000, healthyMs: 60_000 };
const FIRST_LOOP_PAUSE_MS = 1_000;
/** How soon after a crash within a loop a waiting call may bring on the next start. */
const LOOP_EAGER_MS = 2_000;

/**
 * Pause before the next attempt, in milliseconds: none after a loss, short at first, then doubling up to half a minute. Spread
 * by a tenth each way, so that servers which went down together are not all asked at the same moment.
 *
 * @param failures attempts that failed since the connection was last good.
 * @param patient how many of them are followed by the shortest pause.
 */
export function backOff(failures: number, patient: number, random: () => number = Math.random): number {
  if (failures === 0) return 0;
  return spread(Math.min(FIRST_MS * 2 ** Math.max(0, failures - patient), MAX_MS), random);
}

function spread(ms: number, random: () => number = Math.random): number {
  return Math.round(ms * (0.9 + 0.2 * random()));
}

/** Decides when to try again, and waits until then. */
export class RetryPacer {
  #failures = 0;
  #patient = PATIENT_FAILURES.otherwise;
  #crashes: readonly number[] = [];
  #pauseMs = 0;
  #resumesAt = 0;
  /** Before this moment no call can bring on the next attempt. */
  #earliest = 0;
  #endPause: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Attempts that failed since the connection was last good. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether the server crashes again and again. */
  get looping(): boolean {
    return this.#crashes.length >= CRASH_LOOP.crashes;
  }

  /** Crashes within the window. */
  get crashes(): number {
    return this.#crashes.length;
  }

  /** The pause that follows from the last failure or loss. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  /** Until the next attempt. */
  get remainingMs(): number {
    return Math.max(0, Math.round(this.#resumesAt - performance.now()));
  }

  /** An attempt has failed. */
  failed(tookMs: number): void {
    this.#failures += 1;
    this.#plan(Math.max(EAGER_MS, tookMs));
  }

  /** A connection was lost. @param crashed whether the server failed, rather than ended a session as servers do. */
  disconnected(livedMs: number, crashed: boolean): void {
    const stable = livedMs >= STABLE_MS;
    this.#failures = stable ? 0 : this.#failures + 1;
    this.#patient = stable ? PATIENT_FAILURES.afterSuccess : PATIENT_FAILURES.otherwise;
    if (crashed) this.#countCrash(livedMs);
    this.#plan(this.looping ? LOOP_EAGER_MS : 0);
  }

  #countCrash(livedMs: number): void {
    const now = performance.now();
    const recent = livedMs >= CRASH_LOOP.healthyMs ? [] : this.#crashes;
    this.#crashes = [...recent.filter((at) => now - at < CRASH_LOOP.windowMs), now];
  }

  /** Waits out the pause. */
  async pause(): Promise<void> {
    if (this.remainingMs === 0) return;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      this.#arm();
    });
    this.#endPause = undefined;
  }

  /** A call waits: ends the pause, as soon as the last failure is old enough. */
  retryNow(): void {
    if (this.#endPause === undefined || this.#earliest >= this.#resumesAt) return;
    this.#resumesAt = this.#earliest;
    this.#arm();
  }

  /** Ends the pause at once. */
  resume(): void {
    clearTimeout(this.#timer);
    this.#endPause?.();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.remainingMs === 0) this.#endPause?.();
    else this.#timer = setTimeout(() => this.#endPause?.(), this.remainingMs);
  }

  #plan(eagerMs: number): void {
    const now = performance.now();
    this.#pauseMs = Math.max(backOff(this.#failures, this.#patient), this.#loopPauseMs());
    this.#resumesAt = now + this.#pauseMs;
    this.#earliest = now + Math.min(eagerMs, this.#pauseMs);
  }

  #loopPauseMs(): number {
    if (!this.looping) return 0;
    return spread(Math.min(FIRST_LOOP_PAUSE_MS * 2 ** (this.#crashes.length - CRASH_LOOP.crashes), MAX_MS));
  }
}

/** Counts the starts that a server has taken, and says when it has taken too many. */
export class RestartBudget {
  readonly #bounds: RestartBounds;
  readonly #now: () => number;
  #spent: readonly number[] = [];

  /** @param now milliseconds of a clock that never goes back */
  constructor(bounds: RestartBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /** Takes one more start. Returns false where as many as there may be have been taken within the window; without a bound, true. */
  spend(): boolean {
    const { max, windowSeconds } = this.#bounds;
    if (max === 0) return true;
    const now = this.#now();
    const recent = this.#spent.filter((at) => now - at < 1_000 * windowSeconds);
    if (recent.length >= max) return false;
    this.#spent = [...recent, now];
    return true;
  }

  /** An operator has asked for another start. */
  refill(): void {
    this.#spent = [];
  }

  /** `5 restarts within 10 minutes` */
  describe(): string {
    const { max, windowSeconds } = this.#bounds;
    const span = windowSeconds % 60 === 0 ? `${windowSeconds / 60} minutes` : `${windowSeconds} s`;
    return `${max} restarts within ${span}`;
  }
}
