import { turns } from '../turns/turns.js';

/** Milliseconds that a long loop holds the event loop at a time. */
const SLICE_MS = 8;

const LANE = 'loops';

/**
 * Lets calls be served during a loop over thousands of things, such as the tools of a server: `await pauses.due()` after each. What is bounded
 * to some milliseconds needs none.
 */
export class Pauses {
  readonly #now: () => number;
  #end: number;

  /** @param now the milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#end = now() + SLICE_MS;
  }

  /** Resolves in a turn of the event loop of its own where the loop has gone on for some milliseconds; undefined where it has not. */
  due(): Promise<void> | undefined {
    return this.#now() < this.#end ? undefined : this.now();
  }

  /** Resolves in a turn of its own. */
  async now(): Promise<void> {
    await turns.next(LANE);
    this.#end = this.#now() + SLICE_MS;
  }
}
