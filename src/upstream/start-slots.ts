/** A server that has not connected by then waits for something else than the processor. */
const HOLD_MS = 3_000;

/** Bounds how many child processes start at once: starting is what costs processor time. First come, first served. */
export class StartSlots {
  readonly #waiting = new Set<() => void>();
  readonly #holdMs: number;
  #free: number;

  constructor(slots: number, holdMs = HOLD_MS) {
    this.#free = slots;
    this.#holdMs = holdMs;
  }

  /**
   * Resolves with the function that gives the slot back, which may be called twice; a slot that is held for too long is given
   * back by itself. Resolves at once, without a slot, when the signal aborts.
   */
  take(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.resolve(() => undefined);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(this.#hold());
    }
    return new Promise((resolve) => {
      const admit = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#hold());
      };
      const giveUp = (): void => {
        this.#waiting.delete(admit);
        resolve(() => undefined);
      };
      this.#waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #hold(): () => void {
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      clearTimeout(timer);
      this.#giveBack();
    };
    const timer = setTimeout(release, this.#holdMs);
    return release;
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
