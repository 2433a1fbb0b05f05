import type { RestartBounds } from '../config/connection-config.js';

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
