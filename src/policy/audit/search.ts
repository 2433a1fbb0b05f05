import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../base/json/json.js';
import { compileNameTest } from '../../base/lib/glob.js';
import { createJournalIndex, type JournalEnds } from './journal/journal-index.js';
import { type JournalRecord, listJournals, readLine, startOf } from './journal/line.js';
import { readLastLines, readLines } from './journal/read.js';

/** A record and its place. It may be altered: only the verification checks that. */
export interface FoundRecord extends Timed {
  /** The journal's file name. */
  readonly file: string;
  /** The line as it is in the file. */
  readonly text: string;
  readonly record: JournalRecord;
}

/** What is searched for; a record must match every given member. */
export interface RecordFilter {
  /** One of these. */
  readonly types?: readonly string[];
  /** A pattern. */
  readonly operation?: string;
  /** A pattern. */
  readonly upstream?: string;
  /** A session, an authenticated client or user, what a client calls itself, an operator, or who confirmed. */
  readonly by?: string;
  readonly outcome?: string;
  readonly code?: string;
  /** ISO 8601 in UTC; inclusive. */
  readonly since?: string;
  /** ISO 8601 in UTC; exclusive. */
  readonly until?: string;
  /** Occurs in the line, in upper or lower case. */
  readonly text?: string;
}

/**
 * The records of a directory's journals that match a filter, in time order. Reads lazily, and never a whole file into
 * memory.
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

/** The journals that can contain records of the searched time. */
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

/** The record of a line; empty where it holds none. */
export function toFound(file: string, bytes: Buffer): readonly FoundRecord[] {
  const { record } = readLine(bytes);
  return record === undefined ? [] : [{ file, text: bytes.toString('utf8'), record, time: record.time }];
}

type Test = (record: JournalRecord, line: string) => boolean;

/** The test of each member of a filter. */
const TESTS: { readonly [K in keyof RecordFilter]-?: (wanted: NonNullable<RecordFilter[K]>) => Test } = {
  types: (types) => (record) => types.includes(record.type),
  operation: (pattern) => matchMember('operation', pattern),
  upstream: (pattern) => matchMember('upstream', pattern),
  by: (name) => (record) => namesOf(record).includes(name),
  outcome: (outcome) => (record) => record['outcome'] === outcome,
  code: (code) => (record) => record['code'] === code,
  since: (time) => (record) => record.time >= time,
  until: (time) => (record) => record.time < time,
  text: (text) => {
    const wanted = text.toLowerCase();
    return (_record, line) => line.toLowerCase().includes(wanted);
  },
};

/** The test of a whole filter. */
export function createRecordFilter(filter: RecordFilter): Test {
  const tests = Object.entries(filter).flatMap(([name, wanted]) => {
    const make = TESTS[name as keyof RecordFilter] as (wanted: unknown) => Test;
    return wanted === undefined ? [] : [make(wanted)];
  });
  return (record, line) => tests.every((test) => test(record, line));
}

function matchMember(name: string, pattern: string): Test {
  const fits = compileNameTest(pattern);
  return ({ [name]: value }) => typeof value === 'string' && fits(value);
}

function namesOf(record: JournalRecord): readonly unknown[] {
  const actor = isJsonObject(record['actor']) ? record['actor'] : {};
  return [actor['session'], actor['client'], actor['user'], actor['client_name'], actor['operator'], record['by']];
}

/** Something that happened at a time: ISO 8601 in UTC, so that text order is time order. */
interface Timed {
  readonly time: string;
}

/** A source in time order. It is opened when the merge reaches its start. */
interface TimedSource<T extends Timed> {
  /** Nothing in it is older. */
  readonly start: string;
  open(): AsyncGenerator<T, void, undefined>;
}

interface Opened<T extends Timed> {
  readonly items: AsyncGenerator<T, void, undefined>;
  next: T;
}

/** Merges several sources in time order, holding one item of each open source. */
async function* mergeByTime<T extends Timed>(sources: readonly TimedSource<T>[]): AsyncGenerator<T, void, undefined> {
  const waiting = sources.toSorted((a, b) => (a.start < b.start ? -1 : 1));
  const opened: Opened<T>[] = [];
  try {
    for (;;) {
      const earliest = findEarliest(opened);
      const [nearest] = waiting;
      if (nearest !== undefined && (earliest === undefined || nearest.start <= earliest.next.time)) {
        waiting.shift();
        const items = nearest.open();
        const { value } = await items.next();
        if (value !== undefined) opened.push({ items, next: value });
      } else if (earliest !== undefined) {
        yield earliest.next;
        const { value } = await earliest.items.next();
        if (value === undefined) opened.splice(opened.indexOf(earliest), 1);
        else earliest.next = value;
      } else return;
    }
  } finally {
    // Closes the files when the consumer stops early.
    await Promise.all(opened.map(({ items }) => items.return()));
  }
}

function findEarliest<T extends Timed>(opened: readonly Opened<T>[]): Opened<T> | undefined {
  return opened.reduce<Opened<T> | undefined>(
    (earliest, each) => (earliest === undefined || each.next.time < earliest.next.time ? each : earliest),
    undefined,
  );
}

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
