import type { SharedCall } from './shared-call.js';

/** What happens at one upstream now, and so which answers may be kept and which reads may be joined. */
export class UpstreamTraffic {
  readonly #reads = new Map<string, SharedCall>();
  /** Counts what made earlier answers worthless. */
  #generation = 0;
  #writes = 0;

  /** The read that asks the same and is fresh enough to be joined. */
  findRead(key: string): SharedCall | undefined {
    const read = this.#reads.get(key);
    return read?.abandoned === true ? undefined : read;
  }

  /** Lets a read be joined until it ends; what comes back ends it and says whether its answer may be kept. */
  enterRead(key: string, read: SharedCall): () => boolean {
    const generation = this.#generation;
    this.#reads.set(key, read);
    return () => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
      return generation === this.#generation && this.#writes === 0;
    };
  }

  /** What comes back ends the write. */
  enterWrite(): () => void {
    this.#writes += 1;
    this.disturb();
    return () => {
      this.#writes -= 1;
      this.disturb();
    };
  }

  /** No read that runs now may be joined any more, nor its answer kept. */
  disturb(): void {
    this.#generation += 1;
    this.#reads.clear();
  }
}
