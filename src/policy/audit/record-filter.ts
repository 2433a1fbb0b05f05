import { Minimatch } from 'minimatch';
import { isJsonObject } from '../../protocol/json.js';
import type { JournalRecord } from './journal/journal-line.js';

/** What is searched for; a record must have all that is given. */
export interface RecordFilter {
  /** One of these. */
  readonly types?: readonly string[];
  /** A minimatch pattern. */
  readonly operation?: string;
  /** A minimatch pattern. */
  readonly upstream?: string;
  /** A session, an authenticated client, what a client calls itself, an operator, or who confirmed. */
  readonly by?: string;
  readonly outcome?: string;
  readonly code?: string;
  /** ISO 8601 in UTC; included. */
  readonly since?: string;
  /** ISO 8601 in UTC; not included. */
  readonly until?: string;
  /** Stands somewhere in the line, in any case. */
  readonly text?: string;
}

type Test = (record: JournalRecord, line: string) => boolean;

/** How each member of a filter is read. */
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

export function createRecordFilter(filter: RecordFilter): Test {
  const tests = Object.entries(filter).flatMap(([name, wanted]) => {
    const make = TESTS[name as keyof RecordFilter] as (wanted: unknown) => Test;
    return wanted === undefined ? [] : [make(wanted)];
  });
  return (record, line) => tests.every((test) => test(record, line));
}

function matchMember(name: string, pattern: string): Test {
  const matcher = new Minimatch(pattern, { nocomment: true });
  return ({ [name]: value }) => typeof value === 'string' && matcher.match(value);
}

function namesOf(record: JournalRecord): readonly unknown[] {
  const actor = isJsonObject(record['actor']) ? record['actor'] : {};
  return [actor['session'], actor['client'], actor['client_name'], actor['operator'], record['by']];
}
