import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { turns } from '../../base/turns/turns.js';
import { listJournals, MAX_LINE_BYTES, readLine, startOf } from './journal/line.js';
import { createRecordFilter, type FoundRecord, type RecordFilter, toFound } from './search.js';

/** A place in the journals: what is searched next ends there. */
export interface JournalPlace {
  /** The journal's file name. */
  readonly file: string;
  /** In bytes; the end of the file where absent. */
  readonly end?: number;
}

/** A record with the place at which it is read again. */
export interface PlacedRecord extends FoundRecord {
  /** Where its line begins, in bytes. */
  readonly start: number;
}

/** One page of what was found, the newest record first: by journal, the newest journal first. */
export interface BackwardPage {
  readonly records: readonly PlacedRecord[];
  /** Where to go on; absent where everything was searched. */
  readonly next?: JournalPlace;
  /** How much was read for this page. */
  readonly bytes: number;
}

interface BackwardOptions {
  /** Where to begin; at the newest record where absent. */
  readonly from?: JournalPlace;
  /** Records of a page, at most. */
  readonly count: number;
  /** Bytes that are read for a page, about. */
  readonly maxBytes: number;
}

/** Between two turns of others, half a millisecond's work: a call has some turns, and waits for a slice in each. */
const SLICE_BYTES = 16 * 1024;

/** The search that was asked for last. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Searches the journals of a directory from their end, a bounded part at a time: a journal may have gigabytes. One search after the other:
 * the blocks of several would be read in one turn of the event loop, in which nobody's call goes on.
 * @throws the system's error when the directory or a journal cannot be read
 */
export function searchBack(directory: string, filter: RecordFilter, options: BackwardOptions): Promise<BackwardPage> {
  const page = last.then(() => searchPage(directory, filter, options));
  last = page.catch(() => undefined);
  return page;
}

async function searchPage(
  directory: string,
  filter: RecordFilter,
  { from, count, maxBytes }: BackwardOptions,
): Promise<BackwardPage> {
  const passes = createRecordFilter(filter);
  const { since, until } = filter;
  const files = listJournals(directory)
    .filter((file) => (until === undefined || startOf(file) < until) && (from === undefined || file <= from.file))
    .reverse();
  const records: PlacedRecord[] = [];
  let bytes = 0;
  let pauseAt = SLICE_BYTES;
  for (const file of files) {
    const end = file === from?.file ? from.end : undefined;
    for await (const line of readLinesBack(join(directory, file), end)) {
      // A page ends before a line, which is the first that the next page reads.
      if (records.length >= count || bytes >= maxBytes) return { records, next: { file, end: line.end }, bytes };
      bytes += line.end - line.start;
      if (bytes >= pauseAt) {
        await turns.next('audit searches');
        pauseAt = bytes + SLICE_BYTES;
      }
      const [found] = toFound(file, line.bytes);
      if (found === undefined) continue;
      // What stands before it in the journal is older.
      if (since !== undefined && found.time < since) break;
      if (passes(found.record, found.text)) records.push({ ...found, start: line.start });
    }
  }
  return { records, bytes };
}

/** One record where it was found, and whether its line is as it was written; undefined where there is none. */
export async function readRecordAt(
  directory: string,
  file: string,
  start: number,
): Promise<(PlacedRecord & { readonly isSound: boolean }) | undefined> {
  // No other file of the machine is read.
  if (!listJournals(directory).includes(file) || !Number.isSafeInteger(start) || start < 0) return undefined;
  const bytes = await readLineAt(join(directory, file), start);
  const [found] = bytes === undefined ? [] : toFound(file, bytes);
  if (bytes === undefined || found === undefined) return undefined;
  return { ...found, start, isSound: readLine(bytes).sound };
}

const NEWLINE = 0x0a;
const BLOCK_BYTES = 256 * 1024;

/** A complete line without its line break. */
interface BackwardLine {
  readonly bytes: Buffer;
  /** In bytes of the file. */
  readonly start: number;
  /** With its line break. */
  readonly end: number;
}

/** The complete lines of a file from its end, block by block. A line that is longer than writers make is passed over. */
async function* readLinesBack(path: string, limit?: number): AsyncGenerator<BackwardLine, void, undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    yield* readBlocksBack(file, Math.min(size, limit ?? size));
  } finally {
    await file.close();
  }
}

async function* readBlocksBack(file: FileHandle, limit: number): AsyncGenerator<BackwardLine, void, undefined> {
  let start = limit;
  /** What follows `start` and belongs to a line whose beginning was not read yet. */
  let rest: Buffer = Buffer.alloc(0);
  let isWhole = false;
  while (start > 0) {
    const from = Math.max(0, start - BLOCK_BYTES);
    const block = Buffer.concat([await readBlock(file, from, start - from), rest]);
    let end = block.length;
    for (
      let at = block.lastIndexOf(NEWLINE, end - 1);
      at >= 0;
      at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)
    ) {
      // What follows the last line break of all is being written.
      if (isWhole && at + 1 < end) yield lineOf(block, from, at + 1, end);
      isWhole = true;
      end = at + 1;
    }
    rest = block.subarray(0, end);
    start = from;
    if (rest.length > MAX_LINE_BYTES + BLOCK_BYTES) {
      rest = Buffer.alloc(0);
      isWhole = false;
    }
  }
  if (isWhole && rest.length > 0) yield lineOf(rest, 0, 0, rest.length);
}

function lineOf(block: Buffer, from: number, start: number, end: number): BackwardLine {
  return { bytes: block.subarray(start, end - 1), start: from + start, end: from + end };
}

async function readLineAt(path: string, start: number): Promise<Buffer | undefined> {
  const file = await open(path);
  try {
    return await readLineFrom(file, start);
  } finally {
    await file.close();
  }
}

async function readLineFrom(file: FileHandle, start: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  for (let at = start; at - start < MAX_LINE_BYTES; at += BLOCK_BYTES) {
    const block = await readBlock(file, at, BLOCK_BYTES);
    const end = block.indexOf(NEWLINE);
    parts.push(end < 0 ? block : block.subarray(0, end));
    if (end >= 0) return Buffer.concat(parts);
    if (block.length < BLOCK_BYTES) return undefined;
  }
  return undefined;
}

async function readBlock(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const block = Buffer.alloc(length);
  const { bytesRead } = await file.read(block, 0, length, position);
  return block.subarray(0, bytesRead);
}
