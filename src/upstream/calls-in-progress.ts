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
