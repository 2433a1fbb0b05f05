const FIRST_MS = 100;
const MAX_MS = 30_000;
/** Failures met with the shortest pause: many where a good server crashed, few where it never worked. */
const PATIENT_FAILURES = { afterSuccess: 30, atStart: 3 };
/** A connection that lived for this long was good: what comes after it is a new misfortune, not the old one. */
const STABLE_MS = 2_000;
/** How soon after a failed attempt somebody in need may bring on the next; never sooner than the attempt itself took. */
const EAGER_MS = 150;

/**
 * Pause before the next attempt, in milliseconds: none after a loss, short at first, then doubling up to half a minute. Spread
 * by a tenth each way, so that servers which went down together are not all asked at the same moment.
 *
 * @param failures attempts that failed since the connection was last good.
 * @param patient how many of them are met with the shortest pause.
 */
export function backOff(failures: number, patient: number, random: () => number = Math.random): number {
  if (failures === 0) return 0;
  const pause = Math.min(FIRST_MS * 2 ** Math.max(0, failures - patient), MAX_MS);
  return Math.round(pause * (0.9 + 0.2 * random()));
}

/** Decides when to try again, and waits until then. */
export class RetryPacer {
  #failures = 0;
  #patient = PATIENT_FAILURES.atStart;
  #pauseMs = 0;
  #resumesAt = 0;
  #lastFailure = { at: 0, tookMs: 0 };
  #wake: (() => void) | undefined;

  /** Attempts that failed since the connection was last good. */
  get failures(): number {
    return this.#failures;
  }

  /** The pause that the last failure or loss has earned. */
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
    this.#lastFailure = { at: performance.now(), tookMs };
    this.#plan();
  }

  /** A connection was lost. */
  disconnected(livedMs: number): void {
    this.#failures = livedMs >= STABLE_MS ? 0 : this.#failures + 1;
    this.#patient = PATIENT_FAILURES.afterSuccess;
    this.#plan();
  }

  /** Waits out the pause. */
  async pause(): Promise<void> {
    const ms = this.remainingMs;
    if (ms === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** Somebody is in need: ends the pause, unless the last failure is too fresh. */
  retryNow(): void {
    const { at, tookMs } = this.#lastFailure;
    if (performance.now() - at >= Math.max(EAGER_MS, tookMs)) this.stop();
  }

  /** Ends the pause. */
  stop(): void {
    this.#wake?.();
  }

  #plan(): void {
    this.#pauseMs = backOff(this.#failures, this.#patient);
    this.#resumesAt = performance.now() + this.#pauseMs;
  }
}
