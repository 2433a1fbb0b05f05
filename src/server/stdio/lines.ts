import type { Writable } from 'node:stream';
import { GrowingBuffer } from '../mcp/decode-message.js';
import { MessageExcerpt } from '../mcp/message-excerpt.js';
import { joinMessages, type MessageText } from '../mcp/message-text.js';

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
  readonly #line = new GrowingBuffer();
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

  /** Ends the current line, as a line break does. Blank lines are ignored. */
  end(): void {
    const line = withoutByteOrderMark(this.#line.bytes());
    const overlong = this.#overlong;
    this.#line.clear();
    this.#overlong = undefined;
    if (overlong !== undefined) this.#events.onOverlong(overlong);
    else if (!isBlank(line)) this.#events.onLine(line);
  }

  #add(part: Buffer): void {
    if (this.#overlong !== undefined) {
      this.#overlong.add(part);
      return;
    }
    this.#line.add(part);
    if (this.#line.size <= this.#limit) return;
    this.#overlong = new MessageExcerpt();
    this.#overlong.add(this.#line.bytes());
    this.#line.clear();
  }
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Windows PowerShell writes a byte order mark before the first line. JSON has none (RFC 8259, section 8.1). */
function withoutByteOrderMark(line: Buffer): Buffer {
  return line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? line.subarray(BYTE_ORDER_MARK.length)
    : line;
}

/** Whether a line holds nothing but JSON's white space. */
function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Writes lines to a stream: all lines of one turn in one write, and nothing while the reader is behind. */
export class LineWriter {
  readonly #output: Writable;
  readonly #onBackedUp: (backedUp: boolean) => void;
  #pending: MessageText[] = [];
  #scheduled = false;
  #backedUp = false;

  /** @param onBackedUp called when the reader falls behind (true) and when it has caught up (false). */
  constructor(output: Writable, onBackedUp: (backedUp: boolean) => void) {
    this.#output = output;
    this.#onBackedUp = onBackedUp;
  }

  write(line: MessageText): void {
    this.#pending.push(line);
    if (this.#scheduled || this.#backedUp) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  /** Resolves when everything has been passed to the operating system, when the output is closed, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    if (this.#output.destroyed) return;
    this.#writePending();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#output.write('', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#pending.length === 0 || this.#output.destroyed) return;
    if (this.#writePending()) return;
    this.#backedUp = true;
    this.#onBackedUp(true);
    this.#output.once('drain', () => {
      this.#backedUp = false;
      this.#onBackedUp(false);
      this.#flush();
    });
  }

  /** Whether the reader keeps up. */
  #writePending(): boolean {
    const lines = joinMessages(this.#pending, '\n');
    if (this.#pending.length === 0) return true;
    this.#pending = [];
    if (typeof lines === 'string') return this.#output.write(`${lines}\n`);
    this.#output.cork();
    for (const piece of lines) this.#output.write(piece);
    const keepsUp = this.#output.write('\n');
    this.#output.uncork();
    return keepsUp;
  }
}
