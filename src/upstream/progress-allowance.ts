/** Updates that a call may send at once, and how many a second after those. */
const BURST = 20;
const PER_SECOND = 10;

/** How much progress of one call is read and relayed. What comes beyond it is dropped: the next update says more. */
export class ProgressAllowance {
  #room = BURST;
  #countedAt: number;

  /** @param now milliseconds of the monotonic clock. */
  constructor(now: number) {
    this.#countedAt = now;
  }

  hasRoom(now: number): boolean {
    this.#room = Math.min(BURST, this.#room + ((now - this.#countedAt) / 1_000) * PER_SECOND);
    this.#countedAt = now;
    return this.#room >= 1;
  }

  /** Takes room for one update; false where there is none. */
  take(now: number): boolean {
    if (!this.hasRoom(now)) return false;
    this.#room -= 1;
    return true;
  }
}
