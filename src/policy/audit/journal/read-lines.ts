import { createReadStream } from 'node:fs';
import { MAX_LINE_BYTES } from './journal-line.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 256 * 1024;

export interface RawLine {
  /** From 1. */
  readonly number: number;
  /** Without line break, and cut at the longest that a writer makes. */
  readonly bytes: Buffer;
  /** Whether a line break ended it. */
  readonly complete: boolean;
  /** Where the line ends in the file, with its line break. */
  readonly end: number;
}

/**
 * A file's lines as a stream, so that its size does not matter.
 * @param start where the first line begins, in bytes
 * @throws the system's error when the file cannot be read
 */
export async function* readLines(path: string, start = 0): AsyncGenerator<RawLine, void, undefined> {
  const line = new LineBuffer();
  let number = 0;
  let end = start;
  for await (const chunk of createReadStream(path, { start, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, at));
      end += line.length + 1;
      number += 1;
      yield { number, bytes: line.take(), complete: true, end };
      from = at + 1;
    }
    line.add(chunk.subarray(from));
  }
  end += line.length;
  if (line.length > 0) yield { number: number + 1, bytes: line.take(), complete: false, end };
}

/** The parts of a line that is being read. */
class LineBuffer {
  #parts: Buffer[] = [];
  #kept = 0;
  #length = 0;

  /** What was added, kept or not, in bytes. */
  get length(): number {
    return this.#length;
  }

  add(part: Buffer): void {
    const kept = part.subarray(0, MAX_LINE_BYTES - this.#kept);
    this.#length += part.length;
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#kept += kept.length;
  }

  take(): Buffer {
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#kept);
    this.#parts = [];
    this.#kept = 0;
    this.#length = 0;
    return bytes;
  }
}
