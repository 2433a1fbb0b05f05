import { join } from 'node:path';
import { isJsonObject } from '../../base/json/json.js';
import { faultCode } from '../../base/lib/fault-code.js';
import {
  JOURNAL_FORMAT,
  type JournalMark,
  type JournalRecord,
  listJournals,
  readLine,
  readMarks,
} from './journal/line.js';
import { type RawLine, readFirstLine, readLines } from './journal/read.js';

export interface JournalVerdict {
  readonly files: number;
  readonly records: number;
  /** Records that the journals say were lost. */
  readonly lost: number;
  readonly faults: readonly JournalFault[];
  readonly notes: readonly JournalNote[];
}

/** Something that neither a writer nor a crash causes. */
interface JournalFault {
  readonly file: string;
  /** From 1; null where the fault concerns the whole file. */
  readonly line: number | null;
  readonly problem: string;
}

/** Something worth knowing that is not tampering. */
interface JournalNote {
  readonly file: string;
  readonly note: string;
}

/** A record of a journal, and what names it: another journal, or the state store. */
interface Claim extends JournalMark {
  readonly by: string;
}

/** The result of checking one journal. */
interface CheckedJournal {
  readonly records: number;
  readonly lost: number;
  readonly faults: readonly JournalFault[];
  readonly notes: readonly JournalNote[];
  /** The hashes of the records that other journals name, by number. */
  readonly hashes: ReadonlyMap<number, string>;
  /** Journals that were removed for their age. */
  readonly removed: readonly JournalMark[];
}

/** How many faults of one journal are listed; further ones are counted. */
const LISTED_FAULTS = 100;

/**
 * Checks every journal of a directory: each line against its hash and the line before it, each journal against the records that
 * later ones name. Reads line by line; journals may be written meanwhile.
 * @param heads the last record of each journal, as it was kept elsewhere; read before the journals
 * @throws the system's error when the directory cannot be read
 */
export async function verifyJournals(directory: string, heads: readonly JournalMark[] = []): Promise<JournalVerdict> {
  const files = listForCheck(directory, heads);
  const kept = heads.map((mark) => ({ ...mark, by: 'the state store' }));
  const claims = [...kept, ...files.flatMap((file) => readClaims(directory, file))];
  const checked = new Map<string, CheckedJournal>();
  for (const file of files) {
    const named = new Set(claims.flatMap((claim) => (claim.file === file ? [claim.seq] : [])));
    checked.set(file, await checkJournal(directory, file, named));
  }
  const journals = [...checked.values()];
  const removed = new Map(journals.flatMap((journal) => journal.removed.map((mark) => [mark.file, mark] as const)));
  return {
    files: files.length,
    records: journals.reduce((sum, { records }) => sum + records, 0),
    lost: journals.reduce((sum, { lost }) => sum + lost, 0),
    faults: [
      ...journals.flatMap(({ faults }) => faults),
      ...distinct(claims.flatMap((claim) => checkClaim(claim, checked.get(claim.file), removed.get(claim.file)))),
    ],
    notes: journals.flatMap(({ notes }) => notes),
  };
}

/** A directory that has gone with all its journals is a fault of each, where their ends are known. */
function listForCheck(directory: string, heads: readonly JournalMark[]): readonly string[] {
  try {
    return listJournals(directory);
  } catch (cause) {
    if (faultCode(cause) === 'ENOENT' && heads.length > 0) return [];
    throw cause;
  }
}

/** What a journal's first record says about other journals. */
function readClaims(directory: string, file: string): readonly Claim[] {
  try {
    const bytes = readFirstLine(join(directory, file));
    const { record, sound } = bytes === undefined ? { record: undefined, sound: false } : readLine(bytes);
    if (record === undefined || !sound) return [];
    const marks = [...readMarks([record['continues']]), ...readMarks(record['previous'])];
    return marks.map((mark) => ({ ...mark, by: `'${file}'` }));
  } catch {
    // The check of the whole journal reports why.
    return [];
  }
}

async function checkJournal(directory: string, file: string, named: ReadonlySet<number>): Promise<CheckedJournal> {
  const chain = new ChainCheck();
  const faults = new FaultList(file);
  const notes: string[] = [];
  const hashes = new Map<number, string>();
  const removed: JournalMark[] = [];
  let records = 0;
  let lost = 0;
  const take = (number: number, record: JournalRecord | undefined, fault: string | undefined): void => {
    if (fault !== undefined) faults.add(number, fault);
    if (record === undefined) return;
    records += 1;
    if (named.has(record.seq)) hashes.set(record.seq, record.hash);
    if (record.type === 'retention') removed.push(...readMarks(record['removed']));
    if (record.type === 'lost') {
      lost += typeof record['count'] === 'number' ? record['count'] : 1;
      notes.push(
        `record ${record.seq} reports ${String(record['count'])} lost records${nameSources(record['sources'])}`,
      );
    }
    if (record.type === 'skipped') {
      notes.push(
        `record ${record.seq} reports ${String(record['count'])} refusals of '${String(record['source'])}' that were only counted`,
      );
    }
  };
  try {
    for await (const line of readLines(join(directory, file))) {
      if (!line.complete && !chain.isClosed) {
        notes.push(`incomplete last line: line ${line.number} is being written, or was when its process died`);
        break;
      }
      const { record, fault } = chain.take(line);
      take(line.number, record, fault);
    }
    if (!chain.isClosed) notes.push("it has no record 'closed': its process is running, or ended without writing one");
  } catch (cause) {
    faults.add(null, `the journal cannot be read (${faultCode(cause)})`);
  }
  return { records, lost, faults: faults.listed(), notes: notes.map((note) => ({ file, note })), hashes, removed };
}

function nameSources(sources: unknown): string {
  if (!isJsonObject(sources)) return '';
  return ` (${Object.entries(sources)
    .map(([name, count]) => `${name}: ${String(count)}`)
    .join(', ')})`;
}

/** Compares what one journal says about another with that other. */
function checkClaim(
  { file, seq, hash, by }: Claim,
  journal: CheckedJournal | undefined,
  removed: JournalMark | undefined,
): readonly JournalFault[] {
  if (journal === undefined) {
    const known = removed !== undefined && (removed.seq > seq || removed.hash === hash);
    return known ? [] : [{ file, line: null, problem: `the journal is missing; ${by} names it` }];
  }
  const found = journal.hashes.get(seq);
  if (found === hash) return [];
  const problem =
    found === undefined
      ? `record ${seq} is missing or altered; ${by} names it, so what follows it may be missing too`
      : `record ${seq} is not the one that ${by} names: the journal was rewritten`;
  return [{ file, line: null, problem }];
}

/** One fault per file, because several journals may name the same records. */
function distinct(faults: readonly JournalFault[]): readonly JournalFault[] {
  return [...new Map(faults.map((fault) => [fault.file, fault])).values()];
}

class FaultList {
  readonly #file: string;
  readonly #faults: JournalFault[] = [];
  #unlisted = 0;

  constructor(file: string) {
    this.#file = file;
  }

  add(line: number | null, problem: string): void {
    if (this.#faults.length < LISTED_FAULTS) this.#faults.push({ file: this.#file, line, problem });
    else this.#unlisted += 1;
  }

  listed(): readonly JournalFault[] {
    if (this.#unlisted === 0) return this.#faults;
    return [...this.#faults, { file: this.#file, line: null, problem: `${this.#unlisted} more faults are not listed` }];
  }
}

/** The record of a line, and what is wrong with it. */
interface CheckedLine {
  readonly record: JournalRecord | undefined;
  readonly fault: string | undefined;
}

/** What the next line must contain; a member that is unknown is absent. */
interface Expectation {
  readonly seq?: number;
  readonly prev?: string;
}

/** Checks the lines of one journal in their order. */
class ChainCheck {
  #expected: Expectation = { seq: 1, prev: '' };
  #count = 0;
  #closed = false;

  /** Whether the journal's end was written. */
  get isClosed(): boolean {
    return this.#closed;
  }

  take({ bytes }: Pick<RawLine, 'bytes'>): CheckedLine {
    const { record, sound } = readLine(bytes);
    const fault = this.#findFault(record, sound);
    this.#count += 1;
    // An unreadable line is a fault already and says nothing about the next one.
    this.#expected = record === undefined ? {} : { seq: record.seq + 1, prev: record.hash };
    this.#closed ||= record?.type === 'closed' && sound;
    return { record: sound ? record : undefined, fault };
  }

  #findFault(record: JournalRecord | undefined, sound: boolean): string | undefined {
    const { seq, prev } = this.#expected;
    if (record === undefined) return 'this is not a record';
    if (!sound) return 'the record was altered: its hash does not match its text';
    if (this.#closed) return `there are lines after the record 'closed'`;
    if (seq !== undefined && record.seq !== seq) {
      return `record ${record.seq} stands where record ${seq} belongs: lines were removed, added or moved`;
    }
    if (prev !== undefined && record.prev !== prev) {
      return 'the record does not continue the line before it: one of them was replaced';
    }
    return this.#count === 0 ? findOpeningFault(record) : undefined;
  }
}

function findOpeningFault({ type, format }: JournalRecord): string | undefined {
  if (type !== 'opened') return `a journal begins with a record 'opened', not with '${type}'`;
  if (format === JOURNAL_FORMAT) return undefined;
  return `the journal has format '${String(format)}', which this version does not know; expected '${JOURNAL_FORMAT}'`;
}
