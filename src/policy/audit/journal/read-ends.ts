import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { MAX_LINE_BYTES } from './journal-line.js';

const NEWLINE = 0x0a;
const BLOCK_BYTES = 64 * 1024;

export interface LastLines {
  /** Complete lines without line breaks, the oldest first. */
  readonly lines: readonly Buffer[];
  /** Where the last of them ends, with its line break. */
  readonly end: number;
}

/**
 * The last complete lines of a file, read from its end backwards. What follows the last line break is still being
 * written, or was when the writer died.
 * @param count of lines, at most
 * @param limit where the file is taken to end, in bytes
 */
export function readLastLines(path: string, count: number, limit = Number.POSITIVE_INFINITY): LastLines {
  return withFile(path, (fd) => {
    const size = Math.min(fstatSync(fd).size, limit);
    let start = size;
    let tail: Buffer = Buffer.alloc(0);
    // One line break more than lines are wanted: the one before the first of them.
    while (start > 0 && countBreaks(tail) <= count && tail.length < MAX_LINE_BYTES * count) {
      const from = Math.max(0, start - Math.max(BLOCK_BYTES, tail.length));
      tail = Buffer.concat([readBlock(fd, from, start - from), tail]);
      start = from;
    }
    const end = tail.lastIndexOf(NEWLINE) + 1;
    const lines = splitLines(tail.subarray(0, end));
    // Where the reading did not reach the file's beginning, the first piece is a piece.
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
