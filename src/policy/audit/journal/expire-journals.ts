import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEnds, JournalIndex } from './journal-index.js';
import type { JournalMark } from './journal-line.js';
import type { JournalWriter } from './journal-writer.js';
import { writeMembers } from './record-queue.js';

/** Journals that one record names: its line must stay readable. */
const NAMED_AT_ONCE = 1_000;

export interface Expiry {
  readonly directory: string;
  readonly index: JournalIndex;
  readonly writer: Pick<JournalWriter, 'liveFile' | 'put' | 'flush'>;
  /** Journals whose newest record is older are removed. ISO 8601. */
  readonly before: string;
  readonly now: () => string;
}

/**
 * Removes the journals that are too old, never the one that is being written. That they are removed, and how they ended,
 * is on disk before the first of them goes, so that they are not missed.
 */
export async function expireJournals({ directory, index, writer, before, now }: Expiry): Promise<void> {
  const expired = index.read().filter(({ newest, file }) => newest < before && file !== writer.liveFile);
  for (let from = 0; from < expired.length; from += NAMED_AT_ONCE) {
    const removed = expired.slice(from, from + NAMED_AT_ONCE).map(markOf);
    const time = now();
    writer.put({ time, members: writeMembers(time, 'retention', { removed }) });
    await writer.flush();
    for (const { file } of removed) await rm(join(directory, file), { force: true });
  }
}

function markOf({ file, last }: JournalEnds): JournalMark {
  return last ?? { file, seq: 0, hash: '' };
}
