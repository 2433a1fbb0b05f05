/** The first pause after a failure, and the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** An authorization server is not asked now, because it has just failed. */
export class Unavailable extends Error {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  }
}

/** Keeps a server that has failed from being asked again at once: after each failure in a row the pause is twice as long. */
export class Breaker {
  readonly #now: () => number;
  readonly #report: (reason: string) => void;
  #failures = 0;
  #pausedUntil = 0;
  #reason = '';

  /** @param report takes the reason of each failure. */
  constructor(now: () => number, report: (reason: string) => void) {
    this.#now = now;
    this.#report = report;
  }

  /** Runs the request, or refuses while there is a pause. @throws Unavailable for every failure */
  async run<Result>(ask: () => Promise<Result>): Promise<Result> {
    const left = this.#pausedUntil - this.#now();
    if (left > 0) throw new Unavailable(this.#reason, left);
    try {
      const result = await ask();
      this.#failures = 0;
      return result;
    } catch (cause) {
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
      this.#failures = Math.min(this.#failures + 1, 10);
      this.#pausedUntil = this.#now() + pause;
      this.#reason = cause instanceof Error ? cause.message : 'it failed';
      this.#report(this.#reason);
      throw new Unavailable(this.#reason, pause);
    }
  }
}
