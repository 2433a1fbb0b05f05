import type { LiveCatalog } from './live-catalog.js';

/** How a process treats the names of operations. */
export interface NameSettings {
  /** How long new names wait for an upstream never seen: milliseconds from its first start, or until all were tried once. */
  readonly wait: number | 'until tried';
  /** Whether names and lists are kept for the next start. */
  readonly keep: boolean;
}

/**
 * The time that new names wait for upstreams: those of an earlier run have the time of the start, those never seen have their own
 * from when each is started, so that one which hangs costs the others no more than that (docs/adr/0016-names-belong-to-upstreams.md).
 */
export class NamesWait {
  readonly #wait: NameSettings['wait'];
  readonly #catalog: LiveCatalog;
  readonly #timers = new Set<NodeJS.Timeout>();
  #isEnded = false;

  constructor(wait: NameSettings['wait'], catalog: LiveCatalog) {
    this.#wait = wait;
    this.#catalog = catalog;
  }

  started(slug: string): void {
    if (this.#isEnded || this.#wait === 'until tried') return;
    this.#timers.add(setTimeout(() => this.#catalog.giveUpOn(slug), this.#wait).unref());
  }

  allTried(slugs: readonly string[]): void {
    if (this.#isEnded || this.#wait !== 'until tried') return;
    for (const slug of slugs) this.#catalog.giveUpOn(slug);
  }

  warmedUp(): void {
    if (!this.#isEnded) this.#catalog.stopWaitingForKnown();
  }

  end(): void {
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
