import type { Writable } from 'node:stream';

/** Writes lines to a stream: all lines of one turn in one write, and nothing while the reader is behind. */
export class LineWriter {
  readonly #output: Writable;
  readonly #onBackedUp: (backedUp: boolean) => void;
  #pending: string[] = [];
  #scheduled = false;
  #backedUp = false;

  /** @param onBackedUp told when the reader falls behind (true) and when it has caught up (false). */
  constructor(output: Writable, onBackedUp: (backedUp: boolean) => void) {
    this.#output = output;
    this.#onBackedUp = onBackedUp;
  }

  write(line: string): void {
    this.#pending.push(line);
    if (this.#scheduled || this.#backedUp) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  /** Resolves when everything has been handed to the operating system, or cannot be any more, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    if (this.#output.destroyed) return;
    const text = this.#takePending();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#output.write(text, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#pending.length === 0 || this.#output.destroyed) return;
    if (this.#output.write(this.#takePending())) return;
    this.#backedUp = true;
    this.#onBackedUp(true);
    this.#output.once('drain', () => {
      this.#backedUp = false;
      this.#onBackedUp(false);
      this.#flush();
    });
  }

  #takePending(): string {
    const text = this.#pending.length === 0 ? '' : `${this.#pending.join('\n')}\n`;
    this.#pending = [];
    return text;
  }
}
