import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';

const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)-\d+-[0-9a-f]{8}\.jsonl$/;

/**
 * A name that no other journal has and that sorts by age: `2026-11-22T01-24-53.123Z-4711-0b5e8a92.jsonl`. Colons are not
 * allowed in file names everywhere.
 * @param time ISO 8601
 */
export function nameJournal(time: string): string {
  return `${time.replaceAll(':', '-')}-${process.pid}-${randomBytes(4).toString('hex')}.jsonl`;
}

/** When a journal was begun, ISO 8601; no record in it is older. */
export function startOf(name: string): string {
  return name.replace(NAME, '$1$2:$3:$4');
}

/**
 * The names of a directory's journals, the oldest first.
 * @throws the system's error when the directory cannot be read
 */
export function listJournals(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && NAME.test(entry.name))
    .map(({ name }) => name)
    .sort();
}
