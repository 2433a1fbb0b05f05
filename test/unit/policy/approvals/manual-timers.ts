export interface ManualTimer {
  readonly ms: number;
  readonly fire: () => void;
}

/** Timers that fire when a test says so. */
export class ManualTimers {
  readonly #running = new Set<ManualTimer>();
  #started: ((timer: ManualTimer) => void) | undefined;

  readonly start = (fire: () => void, ms: number): (() => void) => {
    const timer: ManualTimer = {
      ms,
      fire: () => {
        this.#running.delete(timer);
        fire();
      },
    };
    this.#running.add(timer);
    this.#started?.(timer);
    return () => void this.#running.delete(timer);
  };

  /** How many run. */
  get running(): number {
    return this.#running.size;
  }

  /** The next timer that is started, or the one that runs. */
  next(): Promise<ManualTimer> {
    const [running] = this.#running;
    if (running !== undefined) return Promise.resolve(running);
    return new Promise((resolve) => {
      this.#started = resolve;
    });
  }
}
