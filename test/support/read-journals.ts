import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface JournalRecord {
  readonly type?: string;
  readonly event?: unknown;
  readonly [member: string]: unknown;
}

/** Every record of the audit trail of a gateway, journal by journal. @param directory where its configuration lies */
export async function readJournals(directory: string): Promise<readonly JournalRecord[]> {
  const folder = join(directory, '.mcp-aql', 'audit');
  const journals = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const lines = journals.flatMap((text) => text.split('\n').filter(Boolean));
  return lines.map((line) => JSON.parse(line) as JournalRecord);
}
