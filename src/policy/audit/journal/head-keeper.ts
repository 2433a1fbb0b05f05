import type { JournalMark } from './line.js';

/**
 * Where the last record of each journal is kept outside its directory. The chain shows that records were removed only where a
 * later one names them; these marks show it for the end of the newest journal too, and for a journal that was removed whole.
 */
export interface JournalHeads {
  /** Rejects while the marks cannot be kept. */
  keep(mark: JournalMark): Promise<void>;
  /** Forgets journals that are about to be removed for their age or size. */
  forget(files: readonly string[]): Promise<void>;
}

/** How far a kept mark may be behind its journal: a mark costs a write to the store, a record must not. */
const BEHIND_MS = 1_000;

/** Keeps the newest mark of each journal that this process writes. */
export class HeadKeeper {
  readonly #heads: JournalHeads | undefined;
  readonly #sync: () => Promise<void>;
  readonly #pending = new Map<string, JournalMark>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  /** @param sync resolves when what was written is on the disk: after a power failure no mark may be ahead of its journal */
  constructor(heads: JournalHeads | undefined, sync: () => Promise<void>) {
    this.#heads = heads;
    this.#sync = sync;
  }

  note(mark: JournalMark): void {
    if (this.#heads === undefined) return;
    this.#pending.set(mark.file, mark);
    this.#wake();
  }

  forget(files: readonly string[]): Promise<void> {
    return this.#heads?.forget(files) ?? Promise.resolve();
  }

  /** Keeps what is left; the journal has ended and is on the disk. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
    // Where the store is away, the marks stay behind. Its failure has been reported by itself.
    await this.#keepAll().catch(() => undefined);
  }

  #wake(): void {
    if (this.#closed || this.#running !== undefined) return;
    // The timer does not keep the process alive: closing the audit trail keeps what is left.
    this.#timer ??= setTimeout(() => this.#run(), BEHIND_MS).unref();
  }

  #run(): void {
    this.#timer = undefined;
    this.#running = this.#keepAll(this.#sync)
      // Tried again after the same time. The store reports its failure by itself, and the journal does.
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
        if (this.#pending.size > 0) this.#wake();
      });
  }

  async #keepAll(sync?: () => Promise<void>): Promise<void> {
    const marks = [...this.#pending.values()];
    await sync?.();
    for (const mark of marks) {
      await this.#heads?.keep(mark);
      if (this.#pending.get(mark.file) === mark) this.#pending.delete(mark.file);
    }
  }
}
