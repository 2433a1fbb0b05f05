/** Calls once after so many milliseconds, unless the returned function is called before. */
export type StartTimer = (fire: () => void, ms: number) => () => void;

/** One who waits for decisions about one request. */
export interface DecisionListener {
  /** Ends the pause, or the next one if there is none. */
  readonly hear: () => void;
  /** Resolves after so many milliseconds, or as soon as something was heard since the last pause. */
  pause(ms: number): Promise<void>;
  close(): void;
}

/** Tells those who wait in this process that a request has been decided. Other processes' decisions are for them to look up. */
export class DecisionBell {
  readonly #startTimer: StartTimer;
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(startTimer: StartTimer) {
    this.#startTimer = startTimer;
  }

  ring(id: string): void {
    for (const hear of this.#listeners.get(id) ?? []) hear();
  }

  /** Listens from now on: what rings between two pauses is not missed. */
  listen(id: string): DecisionListener {
    const startTimer = this.#startTimer;
    let heard = false;
    let wake: (() => void) | undefined;
    const hear = (): void => {
      heard = true;
      wake?.();
    };
    this.#add(id, hear);
    return {
      hear,
      async pause(ms) {
        if (!heard) {
          await new Promise<void>((resolve) => {
            const stop = startTimer(resolve, ms);
            wake = () => {
              stop();
              resolve();
            };
          });
        }
        wake = undefined;
        heard = false;
      },
      close: () => this.#remove(id, hear),
    };
  }

  #add(id: string, hear: () => void): void {
    const listeners = this.#listeners.get(id) ?? new Set();
    listeners.add(hear);
    this.#listeners.set(id, listeners);
  }

  #remove(id: string, hear: () => void): void {
    const listeners = this.#listeners.get(id);
    listeners?.delete(hear);
    if (listeners?.size === 0) this.#listeners.delete(id);
  }
}
