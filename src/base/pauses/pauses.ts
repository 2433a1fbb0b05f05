import { setImmediate } from 'node:timers/promises';

/** Milliseconds that a long loop holds the event loop at a time. */
const SLICE_MS = 8;

/** The pauses of all loops, one after the other, so that no two go on in one turn of the event loop. */
let last: Promise<unknown> = Promise.resolve();

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

  /** Resolves in a later turn where the loop has gone on for some milliseconds; undefined where it has not. */
  due(): Promise<void> | undefined {
    return this.#now() < this.#end ? undefined : this.now();
  }

  /** Resolves in a later turn. */
  async now(): Promise<void> {
    last = last.then(() => setImmediate());
    await last;
    this.#end = this.#now() + SLICE_MS;
  }
}
