interface Counter {
  held: number;
  readonly waiting: (() => void)[];
}

/**
 * What the calls of this process hold of each counter until their answers are known, and the calls that wait for some of it to be
 * given back: a call is refused only where answers have used up the counter.
 */
export class Reservations {
  readonly #counters = new Map<string, Counter>();

  heldOf(counter: string): number {
    return this.#counters.get(counter)?.held ?? 0;
  }

  hold(counter: string, amount: number): void {
    const entry = this.#counters.get(counter);
    if (entry === undefined) this.#counters.set(counter, { held: amount, waiting: [] });
    else entry.held += amount;
  }

  /** Gives back what no other call can have waited for, as the store has not counted it. */
  forget(counter: string, amount: number): void {
    const entry = this.#counters.get(counter);
    if (entry === undefined) return;
    entry.held -= amount;
    this.#dropUnused(counter, entry);
  }

  release(counter: string, amount: number): void {
    const entry = this.#counters.get(counter);
    if (entry !== undefined) entry.held -= amount;
    this.wakeNext(counter);
  }

  /**
   * Resolves when it is this call's turn to try again; at once where nothing is held. A call that has had its turn and waits for no
   * other calls `wakeNext`.
   * @param again whether it has had a turn, and keeps its place
   */
  waitForTurn(counter: string, again: boolean): Promise<void> {
    const entry = this.#counters.get(counter);
    if (entry === undefined || entry.held <= 0) return Promise.resolve();
    return new Promise((wake) => {
      if (again) entry.waiting.unshift(wake);
      else entry.waiting.push(wake);
    });
  }

  /** Lets the next waiting call try: one at a time, so that many do not ask the store for each that ends. */
  wakeNext(counter: string): void {
    const entry = this.#counters.get(counter);
    if (entry === undefined) return;
    entry.waiting.shift()?.();
    this.#dropUnused(counter, entry);
  }

  #dropUnused(counter: string, { held, waiting }: Counter): void {
    if (held <= 0 && waiting.length === 0) this.#counters.delete(counter);
  }
}
