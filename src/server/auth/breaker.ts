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

/**
 * Keeps a server that has failed from being asked again at once: after each failure in a row the pause is twice as long, and after each
 * pause one request finds out whether the server is well again. A server that never answers then holds up one request at a time.
 */
export class Breaker {
  readonly #now: () => number;
  readonly #report: (reason: string) => void;
  #failures = 0;
  #pausedUntil = 0;
  #isProbed = false;
  #reason = '';

  /** @param report takes the reason of each failure. */
  constructor(now: () => number, report: (reason: string) => void) {
    this.#now = now;
    this.#report = report;
  }

  /** Runs the request, or refuses while there is a pause. @throws Unavailable for every failure */
  async run<Result>(ask: () => Promise<Result>): Promise<Result> {
    const left = this.#pausedUntil - this.#now();
    if (left > 0 || this.#isProbed) throw new Unavailable(this.#reason, left);
    const failures = this.#failures;
    const isProbe = failures > 0;
    if (isProbe) this.#isProbed = true;
    try {
      const result = await ask();
      this.#failures = 0;
      return result;
    } catch (cause) {
      // Requests that were on their way together and fail together are one failure.
      if (this.#failures === failures) this.#pause(cause);
      throw new Unavailable(this.#reason, this.#pausedUntil - this.#now());
    } finally {
      if (isProbe) this.#isProbed = false;
    }
  }

  #pause(cause: unknown): void {
    this.#pausedUntil = this.#now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#reason = cause instanceof Error ? cause.message : 'it failed';
    this.#report(this.#reason);
  }
}
