import type { Writable } from 'node:stream';
import { MessageExcerpt } from '../mcp/message-excerpt.js';

const NEWLINE = 0x0a;

interface LineReaderEvents {
  /** One line without its line break. */
  onLine(bytes: Buffer): void;
  /** A line over the limit has ended; it was never kept. */
  onOverlong(excerpt: MessageExcerpt): void;
}

/** Splits a byte stream into lines; at most one line up to the limit is kept in memory. */
export class LineReader {
  readonly #limit: number;
  readonly #events: LineReaderEvents;
  #chunks: Buffer[] = [];
  #size = 0;
  #overlong: MessageExcerpt | undefined;

  /** @param limit of one line in bytes, line break not included. */
  constructor(limit: number, events: LineReaderEvents) {
    this.#limit = limit;
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** Ends the current line, as a line break does. Empty lines are ignored. */
  end(): void {
    const [only] = this.#chunks;
    const line = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#size);
    const overlong = this.#overlong;
    this.#forget();
    this.#overlong = undefined;
    if (overlong !== undefined) this.#events.onOverlong(overlong);
    else if (!isBlank(line)) this.#events.onLine(line);
  }

  #add(part: Buffer): void {
    if (this.#overlong !== undefined) {
      this.#overlong.add(part);
      return;
    }
    this.#chunks.push(part);
    this.#size += part.length;
    if (this.#size <= this.#limit) return;
    this.#overlong = new MessageExcerpt();
    for (const chunk of this.#chunks) this.#overlong.add(chunk);
    this.#forget();
  }

  #forget(): void {
    this.#chunks = [];
    this.#size = 0;
  }
}

/** Whether a line is empty, or only the carriage return of a Windows line break. */
function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 0x0d);
}

/** Writes lines to a stream: all lines of one turn in one write, and nothing while the reader is behind. */
export class LineWriter {
  readonly #output: Writable;
  readonly #onBackedUp: (backedUp: boolean) => void;
  #pending: string[] = [];
  #scheduled = false;
  #backedUp = false;

  /** @param onBackedUp called when the reader falls behind (true) and when it has caught up (false). */
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

  /** Resolves when everything has been passed to the operating system, when the output is closed, or after `graceMs`. */
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
