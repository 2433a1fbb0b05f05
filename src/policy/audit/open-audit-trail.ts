import type { AuditConfig } from '../../config/policy-config.js';
import { faultCode } from '../../config/secret-file.js';
import type { Observer } from '../../observe/observation.js';
import { type AuditEvent, type AuditTrail, noAuditTrail } from './audit-trail.js';
import { expireJournals } from './journal/expire-journals.js';
import { createJournalIndex } from './journal/journal-index.js';
import { JournalWriter, type JournalWriterOptions } from './journal/journal-writer.js';
import { writeMembers } from './journal/record-queue.js';

export interface AuditTrailDeps extends Pick<JournalWriterOptions, 'disk' | 'maxFileBytes' | 'queueLimits'> {
  readonly observe: Observer;
  /** Which program records: `serve`, `stdio`, or a command's name. */
  readonly process: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;

/** No event needs more; what is longer would not be read again. In characters of JSON. */
const MAX_EVENT_LENGTH = 1024 * 1024;
const MAX_MEMBER_LENGTH = 16 * 1024;

/**
 * Opens the audit trail of this process. Its journal is made with the first record; nothing is thrown where it cannot be
 * made or written: that is observed, and records wait in memory.
 */
export async function openAuditTrail(config: AuditConfig, deps: AuditTrailDeps): Promise<AuditTrail> {
  if (!config.enabled) return noAuditTrail;
  const { observe, now = Date.now } = deps;
  const { directory, retentionDays } = config;
  const index = createJournalIndex(directory);
  const writer = new JournalWriter({ ...deps, directory, sync: config.sync, index });
  const clock = (): string => new Date(now()).toISOString();

  const expire = async (): Promise<void> => {
    if (retentionDays === 0) return;
    const before = new Date(now() - retentionDays * DAY_MS).toISOString();
    await expireJournals({ directory, index, writer, before, now: clock });
  };
  const complain = (cause: unknown): void =>
    observe({ kind: 'notice', level: 'error', message: `old audit journals were not removed (${faultCode(cause)})` });

  await index.warm().catch(() => {
    // Whoever writes there will meet the same fault and tell it.
  });
  let expiring = expire().catch(complain);
  const daily = setInterval(() => {
    expiring = expire().catch(complain);
  }, DAY_MS).unref();

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearInterval(daily);
    // What could not be put on record is not removed either.
    if (await writer.close(clock())) await expiring;
  };
  return {
    record(event) {
      if (closing !== undefined) {
        observe({ kind: 'defect', where: 'audit', cause: new Error(`a record '${event.type}' came after the end`) });
        return;
      }
      const time = clock();
      try {
        writer.put({ time, members: writeEvent(time, event) });
      } catch (cause) {
        // An event that is no JSON must not stop the call that it is about; that it is missing goes on record.
        observe({ kind: 'defect', where: 'audit', cause });
        writer.lose(time);
      }
    },
    flush: () => writer.flush(),
    close: () => (closing ??= close()),
  };
}

/** The members of the event's record; of one that is too long, those that are not. */
function writeEvent(time: string, event: AuditEvent): string {
  const members = writeMembers(time, event.type, event);
  if (members.length <= MAX_EVENT_LENGTH) return members;
  const fits = ([, value]: [string, unknown]): boolean => (JSON.stringify(value)?.length ?? 0) <= MAX_MEMBER_LENGTH;
  const kept = Object.fromEntries(Object.entries(event).filter(fits));
  return writeMembers(time, event.type, { ...kept, cut_from_characters: members.length });
}
