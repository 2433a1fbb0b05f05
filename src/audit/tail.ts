import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createJournalIndex, type JournalEnds } from './journal/index.js';
import { listJournals } from './journal/line.js';
import { readLastLines, readLines } from './journal/read.js';
import { type FoundRecord, toFound } from './search.js';

/** How far each journal has been read, in bytes; a journal that is not listed has not been read. */
type JournalPositions = ReadonlyMap<string, number>;

interface JournalTail {
  /** In time order. */
  readonly records: readonly FoundRecord[];
  /** Where following continues. */
  readonly positions: JournalPositions;
}

/** How often the journals are checked for growth: soon enough for a reader, at little cost. */
const POLL_MS = 250;

/**
 * The newest records of a directory's journals.
 * @throws the system's error when the directory cannot be read
 */
export function tailJournals(directory: string, count: number): JournalTail {
  listJournals(directory);
  const journals = createJournalIndex(directory).read();
  let records: readonly FoundRecord[] = [];
  for (const journal of journals.toSorted((a, b) => (a.newest < b.newest ? 1 : -1))) {
    const oldest = records[0];
    // The remaining journals are older than all the records that are wanted.
    if (records.length >= count && oldest !== undefined && journal.newest < oldest.time) break;
    records = [...records, ...readTail(directory, journal, count)].sort(byTime).slice(-count);
  }
  return { records, positions: new Map(journals.map(({ file, end }) => [file, end])) };
}

function readTail(directory: string, { file, end }: JournalEnds, count: number): readonly FoundRecord[] {
  // Only up to the end when the journals were listed: following reads what was added since.
  return readLastLines(join(directory, file), count, end).lines.flatMap((bytes) => toFound(file, bytes));
}

function byTime(a: FoundRecord, b: FoundRecord): number {
  if (a.time === b.time) return a.file === b.file ? a.record.seq - b.record.seq : 0;
  return a.time < b.time ? -1 : 1;
}

interface FollowOptions {
  readonly signal: AbortSignal;
  /** The pause between two checks, in milliseconds. */
  readonly pollMs?: number;
}

/** The records that are added from now on, in the order in which they are found, until the signal is aborted. */
export async function* followJournals(
  directory: string,
  from: JournalPositions,
  { signal, pollMs = POLL_MS }: FollowOptions,
): AsyncGenerator<FoundRecord, void, undefined> {
  const positions = new Map(from);
  while (!signal.aborted) {
    for (const file of listJournals(directory)) {
      const path = join(directory, file);
      const position = positions.get(file) ?? 0;
      if (sizeOf(path) <= position) continue;
      for await (const { bytes, complete, end } of readLines(path, position)) {
        // A line that is still being written is read when it is complete.
        if (!complete) break;
        positions.set(file, end);
        yield* toFound(file, bytes);
      }
    }
    await delay(pollMs, undefined, { signal }).catch(() => {
      // The signal is aborted: the loop ends.
    });
  }
}

/** The size of a file; 0 where it has been removed since it was listed. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
