import type { Pieces } from '../../base/json/pieces.js';
import { type LargeMessage, MessageBytes } from '../../base/protocol/large-answer.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
/** Of UTF-8, each byte as a character. */
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** One server-sent event. Fields that it does not have are empty. */
export interface ServerEvent {
  /** Undefined where the event sets none. */
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Pieces | LargeMessage;
  /** Bytes of the data. */
  readonly length: number;
}

interface EventListener {
  readonly onEvent: (event: ServerEvent) => void;
  /** How long the server asks clients to wait before a new connection, in milliseconds. */
  readonly onRetry: (ms: number) => void;
  /** Called for an event of more than `maxBytes`; what it throws ends the reading. */
  readonly onTooLong: () => never;
}

/** Fields have short names, and so have the values of all but the data. */
const LONGEST_NAME = 16;
const LONGEST_VALUE = 1_024;
/** Shorter parts of the data are copied together: each part costs an object, and keeps the memory of its chunk. */
const LEAST_PART = 1_024;

/**
 * Cuts a byte stream into server-sent events, each byte once: what it looks for is ASCII. The data are gathered as bytes while they
 * come, so that neither a long line nor millions of short ones are joined when the event ends.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventReader {
  readonly #listener: EventListener;
  readonly #maxBytes: number;
  /** Whether the line is the first of all. */
  #isFirst = true;
  /** The last byte was a carriage return: a line feed after it belongs to the same line end. */
  #skipsFeed = false;
  /** The name of the line's field; undefined while it has not come to its end. */
  #field: string | undefined;
  /** The bytes of the name, or of a value that is no data. */
  #held = '';
  #isLineEmpty = true;
  #skipsSpace = false;
  #id: string | undefined;
  #type = '';
  #data = new MessageBytes();
  #hasData = false;
  /** Short parts of the data of this chunk, and how much of it is in use and has been handed over. */
  #short: Buffer | undefined;
  #used = 0;
  #taken = 0;

  constructor(listener: EventListener, maxBytes: number) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
  }

  /** Returns how many lines ended in the chunk. */
  read(chunk: Buffer): number {
    let lines = 0;
    let from = 0;
    if (this.#skipsFeed && chunk[from] === LINE_FEED) from += 1;
    if (chunk.length > 0) this.#skipsFeed = false;
    let feed = indexOf(chunk, LINE_FEED, from);
    let carriage = indexOf(chunk, CARRIAGE_RETURN, from);
    while (from < chunk.length) {
      if (feed < from) feed = indexOf(chunk, LINE_FEED, from);
      if (carriage < from) carriage = indexOf(chunk, CARRIAGE_RETURN, from);
      const end = Math.min(feed, carriage);
      this.#takePart(chunk, from, Math.min(end, chunk.length));
      if (end >= chunk.length) break;
      this.#endLine();
      lines += 1;
      from = end + 1;
      if (end !== carriage) continue;
      if (from === chunk.length) this.#skipsFeed = true;
      else if (chunk[from] === LINE_FEED) from += 1;
    }
    this.#handOver();
    this.#short = undefined;
    this.#used = 0;
    this.#taken = 0;
    return lines;
  }

  /** A part of a line, without its end. */
  #takePart(chunk: Buffer, start: number, end: number): void {
    if (start === end) return;
    this.#isLineEmpty = false;
    const from = this.#field === undefined ? this.#takeName(chunk, start, end) : start;
    if (this.#field === undefined || from === end) return;
    const value = this.#skipsSpace && chunk[from] === SPACE ? from + 1 : from;
    this.#skipsSpace = false;
    if (value === end) return;
    if (this.#field === 'data') this.#addData(chunk, value, end);
    else if (this.#held.length < LONGEST_VALUE)
      this.#held += chunk.toString('latin1', value, end).slice(0, LONGEST_VALUE);
  }

  /** Returns where the value begins. */
  #takeName(chunk: Buffer, start: number, end: number): number {
    const stop = Math.min(end, start + LONGEST_NAME);
    let colon = start;
    while (colon < stop && chunk[colon] !== COLON) colon += 1;
    this.#held += chunk.toString('latin1', start, colon);
    if (colon < stop) {
      this.#beginValue(this.#nameOf(this.#held));
      return colon + 1;
    }
    // No field that is known has so long a name: the line is left out.
    if (this.#held.length >= LONGEST_NAME) this.#beginValue('');
    return end;
  }

  #beginValue(field: string): void {
    this.#field = field;
    this.#held = '';
    this.#skipsSpace = true;
    if (field === 'data') this.#beginData();
  }

  #beginData(): void {
    if (this.#hasData) this.#addData(NEW_LINE, 0, NEW_LINE.length);
    this.#hasData = true;
  }

  #addData(source: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#data.length + this.#used - this.#taken + length > this.#maxBytes) this.#listener.onTooLong();
    if (length >= LEAST_PART) {
      this.#handOver();
      this.#data.add(source.subarray(start, end));
      return;
    }
    const short = this.#shortParts(source, length);
    source.copy(short, this.#used, start, end);
    this.#used += length;
  }

  /** Where short parts are copied to, with space for one more. */
  #shortParts(source: Buffer, length: number): Buffer {
    if (this.#short !== undefined && this.#used + length <= this.#short.length) return this.#short;
    this.#handOver();
    this.#short = Buffer.allocUnsafe(Math.max(source.length, LEAST_PART));
    this.#used = 0;
    this.#taken = 0;
    return this.#short;
  }

  /** Gives the short parts to the data of the event. */
  #handOver(): void {
    if (this.#short === undefined || this.#taken === this.#used) return;
    this.#data.add(this.#short.subarray(this.#taken, this.#used));
    this.#taken = this.#used;
  }

  #endLine(): void {
    if (this.#isLineEmpty) this.#endEvent();
    else if (this.#field === undefined) this.#endField(this.#nameOf(this.#held), '');
    else this.#endField(this.#field, this.#held);
    this.#field = undefined;
    this.#held = '';
    this.#isLineEmpty = true;
    this.#isFirst = false;
  }

  /** A byte order mark may stand before the first. */
  #nameOf(held: string): string {
    return this.#isFirst && held.startsWith(BYTE_ORDER_MARK) ? held.slice(BYTE_ORDER_MARK.length) : held;
  }

  #endField(field: string, value: string): void {
    if (field === 'data' && this.#field === undefined) this.#beginData();
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.#listener.onRetry(Number(value));
  }

  #endEvent(): void {
    this.#handOver();
    const { length } = this.#data;
    if (this.#hasData || this.#id !== undefined) {
      const id = this.#id === undefined ? undefined : Buffer.from(this.#id, 'latin1').toString('utf8');
      this.#listener.onEvent({ id, type: this.#type, data: this.#data.take(), length });
    }
    this.#id = undefined;
    this.#type = '';
    this.#hasData = false;
  }
}

const NEW_LINE = Buffer.from([LINE_FEED]);

/** Beyond the end where there is none. */
function indexOf(chunk: Buffer, byte: number, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}
