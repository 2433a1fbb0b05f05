import { copyPieces, countMarks, lengthOf, type Pieces } from '../json/pieces.js';
import type { FailedRequest } from './upstream-failure.js';

/**
 * Answers of more bytes are read by a thread of their own, so that other calls do not wait for that. As many as are read and written
 * within a turn of 50 ms where they hold nothing but small objects (`npm run soak -- "below a megabyte"`).
 */
export const LARGE_BYTES = 768 * 1024;

/** A call that may have failed, as far as its error tells of it. */
export interface FailedCall extends FailedRequest {
  readonly tool: string;
  /** Whether it is safe to send again, because it only reads or is idempotent. */
  readonly repeatable: boolean;
}

/**
 * Messages and JSON texts with more values are read by a thread, too, however few bytes they have, and so are other texts, which may be
 * tables, of less: a value costs more than its bytes.
 */
export const MANY_VALUES = { inJson: 60_000, inText: 20_000 } as const;

/** Shorter texts are read where they are: counting what is in them would cost more than it saves. */
const LEAST_COUNTED = 64 * 1024;

/** Whether some bytes hold so many values that they are read by a thread where that can be. */
export function holdsManyValues(pieces: Pieces, form: keyof typeof MANY_VALUES): boolean {
  const most = MANY_VALUES[form];
  return lengthOf(pieces) > LEAST_COUNTED && countMarks(pieces, most) > most;
}

interface LargeAnswerParts {
  /** The message as it came, unread: it may be an error, or no JSON at all. Empty once a thread has it. */
  readonly pieces: Buffer[];
  /** The id of the request that it should answer. */
  readonly id: unknown;
  /** The gateway's own credentials, which it must not give away. */
  readonly credentials: readonly string[];
  readonly call: FailedCall;
}

/**
 * An upstream's answer to a call of more than `LARGE_BYTES`, or with very many values. What it holds is not known: only the stage that shapes answers
 * reads it, in a thread.
 */
export class LargeAnswer {
  readonly parts: LargeAnswerParts;
  readonly isError: undefined;

  constructor(parts: LargeAnswerParts) {
    this.parts = parts;
  }
}

/** A message that a thread is to read, in pieces of memory that can be handed to it without being copied. */
export class LargeMessage {
  /** One whose pieces may be parts of the memory of others. */
  static copyOf(pieces: Pieces): LargeMessage {
    return new LargeMessage([copyPieces(pieces)]);
  }

  readonly pieces: Buffer[];
  readonly length: number;

  constructor(pieces: Buffer[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Its first and its last bytes. */
  edges(bytes: number): { readonly start: Buffer; readonly end: Buffer } {
    const [first = NOTHING] = this.pieces;
    const end = Buffer.concat(this.pieces.slice(-2).map((piece) => piece.subarray(-bytes))).subarray(-bytes);
    return { start: first.subarray(0, bytes), end };
  }

  /** All of it in one piece; the message itself is empty then, so that memory holds it once. Takes long. */
  join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.length);
    let at = 0;
    for (const { buffer, byteOffset, byteLength } of this.pieces.splice(0))
      at += Buffer.from(buffer, byteOffset, byteLength).copy(joined, at);
    return joined;
  }
}

const NOTHING = Buffer.alloc(0);
/** More parts are copied together, because each is written by itself. */
const MOST_PARTS = 32;
const PIECE_BYTES = 2 * 1024 * 1024;
/** So many parts of a message that is still coming are copied together, each byte once. */
const GATHERED_TOGETHER = 512;

/** Gathers the bytes of one message. Those of a large one are copied as they come, so that no moment copies all of them. */
export class MessageBytes {
  #parts: Buffer[] = [];
  /** How many of the parts, the last ones, are as they came. */
  #loose = 0;
  #length = 0;
  #pieces: Buffer[] = [];
  /** Bytes of the last piece that are in use. */
  #used = PIECE_BYTES;

  get length(): number {
    return this.#length;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    this.#parts.push(part);
    this.#loose += 1;
    // A part of a few bytes costs an object, and keeps the memory of the network's buffer.
    if (this.#loose === GATHERED_TOGETHER) {
      this.#parts.push(Buffer.concat(this.#parts.splice(-GATHERED_TOGETHER)));
      this.#loose = 0;
    }
    if (this.#length <= LARGE_BYTES) return;
    for (const each of this.#parts) this.#copy(each);
    this.#parts = [];
    this.#loose = 0;
  }

  /** What has been gathered, which then begins anew. */
  take(): Pieces | LargeMessage {
    const last = this.#pieces.pop();
    const taken =
      last !== undefined
        ? new LargeMessage([...this.#pieces, last.subarray(0, this.#used)])
        : this.#parts.length > MOST_PARTS
          ? [Buffer.concat(this.#parts, this.#length)]
          : this.#parts;
    this.#parts = [];
    this.#loose = 0;
    this.#length = 0;
    this.#pieces = [];
    this.#used = PIECE_BYTES;
    return taken;
  }

  #copy(part: Buffer): void {
    for (let at = 0; at < part.length; ) {
      if (this.#used === PIECE_BYTES) {
        this.#pieces.push(Buffer.allocUnsafeSlow(PIECE_BYTES));
        this.#used = 0;
      }
      const copied = part.copy(this.#pieces.at(-1) ?? NOTHING, this.#used, at);
      this.#used += copied;
      at += copied;
    }
  }
}
