import { join } from 'node:path';
import { type FoundRecord, toFound } from './journal/found-record.js';
import { createJournalIndex } from './journal/journal-index.js';
import { listJournals, startOf } from './journal/journal-name.js';
import { mergeByTime, type TimedSource } from './journal/merge-by-time.js';
import { readLines } from './journal/read-lines.js';
import { createRecordFilter, type RecordFilter } from './record-filter.js';

/**
 * The records of a directory's journals that a filter lets through, in time order. Reads as it is read from, and never a
 * whole file.
 * @throws the system's error when the directory or a journal cannot be read
 */
export async function* searchJournals(
  directory: string,
  filter: RecordFilter = {},
): AsyncGenerator<FoundRecord, void, undefined> {
  const passes = createRecordFilter(filter);
  for await (const found of mergeByTime(chooseJournals(directory, filter))) {
    if (passes(found.record, found.text)) yield found;
  }
}

/** The journals that can hold something of the time that is asked for. */
function chooseJournals(directory: string, { since, until }: RecordFilter): readonly TimedSource<FoundRecord>[] {
  const files = listJournals(directory).filter((file) => until === undefined || startOf(file) < until);
  const old =
    since === undefined
      ? []
      : createJournalIndex(directory)
          .read()
          .filter(({ newest }) => newest < since);
  const tooOld = new Set(old.map(({ file }) => file));
  return files
    .filter((file) => !tooOld.has(file))
    .map((file) => ({ start: startOf(file), open: () => readRecords(directory, file) }));
}

async function* readRecords(directory: string, file: string): AsyncGenerator<FoundRecord, void, undefined> {
  for await (const { bytes, complete } of readLines(join(directory, file))) {
    if (complete) yield* toFound(file, bytes);
  }
}
