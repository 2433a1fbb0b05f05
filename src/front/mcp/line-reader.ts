import { MessageExcerpt } from './message-excerpt.js';

const NEWLINE = 0x0a;

export interface LineReaderEvents {
  /** One line without its line break. */
  onLine(bytes: Buffer): void;
  /** A line over the limit has ended; it was never kept. */
  onOverlong(excerpt: MessageExcerpt): void;
}

/** Splits a byte stream into lines and keeps at most one line's limit of it. */
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

  /** Ends the current line, as a line break does. Empty lines are passed over. */
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

/** Nothing, or the carriage return of a Windows line break. */
function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 0x0d);
}
