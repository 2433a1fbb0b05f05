import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { MAX_LINE_BYTES } from './line.js';

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

const NEWLINE = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/**
 * Streams the lines of a file, so that memory does not depend on its size.
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

/** Collects the parts of a line. */
class LineBuffer {
  #parts: Buffer[] = [];
  #kept = 0;
  #length = 0;

  /** What was added, in bytes, including what was cut. */
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

const BLOCK_BYTES = 64 * 1024;

interface LastLines {
  /** Complete lines without line breaks, the oldest first. */
  readonly lines: readonly Buffer[];
  /** Where the last of them ends, with its line break. */
  readonly end: number;
}

/**
 * The last complete lines of a file, read backwards from its end. What follows the last line break is still being
 * written, or was when the writer died.
 * @param count the number of lines, at most
 * @param limit where the file is taken to end, in bytes
 */
export function readLastLines(path: string, count: number, limit = Number.POSITIVE_INFINITY): LastLines {
  return withFile(path, (fd) => {
    const size = Math.min(fstatSync(fd).size, limit);
    let start = size;
    let tail: Buffer = Buffer.alloc(0);
    // One more line break than lines: the one before the first of them.
    while (start > 0 && countBreaks(tail) <= count && tail.length < MAX_LINE_BYTES * count) {
      const from = Math.max(0, start - Math.max(BLOCK_BYTES, tail.length));
      tail = Buffer.concat([readBlock(fd, from, start - from), tail]);
      start = from;
    }
    const end = tail.lastIndexOf(NEWLINE) + 1;
    const lines = splitLines(tail.subarray(0, end));
    // The first line may be incomplete where the reading did not reach the start of the file.
    return { lines: (start === 0 ? lines : lines.slice(1)).slice(-count), end: start + end };
  });
}

/** The first line of a file; undefined while it has no line break. */
export function readFirstLine(path: string): Buffer | undefined {
  return withFile(path, (fd) => {
    let head: Buffer = Buffer.alloc(0);
    while (head.length < MAX_LINE_BYTES) {
      const block = readBlock(fd, head.length, Math.max(BLOCK_BYTES, head.length));
      head = Buffer.concat([head, block]);
      const end = head.indexOf(NEWLINE);
      if (end >= 0) return head.subarray(0, end);
      if (block.length === 0) return undefined;
    }
    return undefined;
  });
}

function withFile<T>(path: string, task: (fd: number) => T): T {
  const fd = openSync(path, 'r');
  try {
    return task(fd);
  } finally {
    closeSync(fd);
  }
}

function readBlock(fd: number, position: number, length: number): Buffer {
  const block = Buffer.alloc(length);
  return block.subarray(0, readSync(fd, block, 0, length, position));
}

function countBreaks(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
    lines.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return lines;
}
