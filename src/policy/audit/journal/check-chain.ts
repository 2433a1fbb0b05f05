import { JOURNAL_FORMAT, type JournalRecord, readLine } from './journal-line.js';
import type { RawLine } from './read-lines.js';

/** What is wrong with a line, and what it holds. */
export interface CheckedLine {
  readonly record: JournalRecord | undefined;
  readonly fault: string | undefined;
}

/** What must come next; a member that cannot be known is absent. */
interface Expectation {
  readonly seq?: number;
  readonly prev?: string;
}

/** Checks the lines of one journal in their order. */
export class ChainCheck {
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
    // A line that cannot be read says nothing of the next one, and has been told.
    this.#expected = record === undefined ? {} : { seq: record.seq + 1, prev: record.hash };
    this.#closed ||= record?.type === 'closed' && sound;
    return { record: sound ? record : undefined, fault };
  }

  #findFault(record: JournalRecord | undefined, sound: boolean): string | undefined {
    const { seq, prev } = this.#expected;
    if (record === undefined) return 'this is no record';
    if (!sound) return 'the record was altered: its hash is that of another text';
    if (this.#closed) return `there is more after the record 'closed'`;
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
