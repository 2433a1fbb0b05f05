import { type Turns, turns } from './turns.js';

/** What things come from: it may be asked to wait. */
interface Source {
  pause(): void;
  resume(): void;
}

interface PacedQueueOptions<T> {
  /** Handles one thing; the next one waits for what is a promise. */
  readonly handle: (item: T) => unknown;
  /** Units of work that handling it takes, as far as they can be told before. */
  readonly costOf: (item: T) => number;
  readonly lane: string;
  /** Paused while things wait. */
  readonly source: Source;
  /** Called with what `handle` throws; the next one is handled all the same. */
  readonly onFault: (fault: unknown) => void;
  readonly shared?: Turns;
}

/**
 * Handles things, such as the lines of a stream, in the order in which they come, for as long as the turn has room. The rest
 * waits for turns of its own, and its source with it: a flood of messages that cost little each would hold the event loop
 * for as long as it lasts.
 */
export class PacedQueue<T> {
  readonly #options: PacedQueueOptions<T>;
  readonly #turns: Turns;
  #waiting: T[] = [];
  /** How many of those that wait have been handled. */
  #handled = 0;
  #isBusy = false;
  #whenEmpty: (() => void)[] = [];

  constructor(options: PacedQueueOptions<T>) {
    this.#options = options;
    this.#turns = options.shared ?? turns;
  }

  push(item: T): void {
    this.#waiting.push(item);
    if (!this.#isBusy) this.#goOn();
  }

  /** Counts work that was done beside the queue, such as cutting bytes into what was pushed: the source waits for it too. */
  spend(units: number): void {
    this.#turns.spend(units);
    if (!this.#isBusy) this.#goOn();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
    this.#handled = 0;
  }

  /** Undefined where nothing waits; otherwise resolves when all has been handled. */
  empty(): Promise<void> | undefined {
    return this.#isBusy ? new Promise((resolve) => this.#whenEmpty.push(resolve)) : undefined;
  }

  #goOn(): void {
    const until = this.#handleSome();
    if (until !== undefined) {
      this.#wait(until);
      return;
    }
    this.clear();
    if (!this.#isBusy) return;
    this.#isBusy = false;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
    this.#options.source.resume();
  }

  /** Handles what waits; gives what the rest has to wait for. */
  #handleSome(): Promise<unknown> | undefined {
    const { handle, costOf, lane, onFault } = this.#options;
    for (;;) {
      const room = this.#turns.enter(lane);
      if (room !== undefined) return room;
      const item = this.#waiting[this.#handled];
      if (item === undefined) return undefined;
      this.#handled += 1;
      this.#turns.spend(costOf(item));
      try {
        const handling = handle(item);
        if (handling instanceof Promise) return handling;
      } catch (fault) {
        onFault(fault);
      }
    }
  }

  #wait(until: Promise<unknown>): void {
    if (!this.#isBusy) this.#options.source.pause();
    this.#isBusy = true;
    until.catch(this.#options.onFault).finally(() => this.#goOn());
  }
}
