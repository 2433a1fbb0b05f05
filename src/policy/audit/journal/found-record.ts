import { type JournalRecord, readLine } from './journal-line.js';
import type { Timed } from './merge-by-time.js';

/** A record with where it stands. Whether it is sound is for the verification to say. */
export interface FoundRecord extends Timed {
  /** The journal's file name. */
  readonly file: string;
  /** The line as it stands there. */
  readonly text: string;
  readonly record: JournalRecord;
}

/** The record of a line; nothing where it holds none. */
export function toFound(file: string, bytes: Buffer): readonly FoundRecord[] {
  const { record } = readLine(bytes);
  return record === undefined ? [] : [{ file, text: bytes.toString('utf8'), record, time: record.time }];
}
