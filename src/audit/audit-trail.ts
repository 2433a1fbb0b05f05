import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditConfig } from '../config/gateway-config.js';
import { faultCode } from '../config/secrets.js';
import type { Observer } from '../observe/observation.js';
import type { JsonObject } from '../protocol/json.js';
import type { Category, DangerLevel, TrustLevel } from '../protocol/operation.js';
import { createJournalIndex, type JournalEnds, type JournalIndex } from './journal/index.js';
import type { JournalMark } from './journal/line.js';
import { writeMembers } from './journal/record-queue.js';
import { JournalWriter, type JournalWriterOptions } from './journal/writer.js';

export interface AuditTrailDeps extends Pick<JournalWriterOptions, 'disk' | 'maxFileBytes' | 'queueLimits'> {
  readonly observe: Observer;
  /** Which program records: `serve`, `stdio`, or a command's name. */
  readonly process: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Who caused the recorded event. */
export interface AuditActor {
  readonly session?: string;
  /** The authenticated client. */
  readonly client?: string;
  /** What the client calls itself: a label, not an identity. */
  readonly client_name?: string;
  readonly transport?: string;
  /** The operator's name: of the HTTP API's token, or of the account that runs the command line. */
  readonly operator?: string;
}

/** What a record says about its operation. */
export interface AuditSubject {
  readonly operation: string;
  readonly upstream: string;
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly trust?: TrustLevel;
}

/** What is recorded. Field names are those of the written lines. The code that creates an event redacts its `parameters`. */
export type AuditEvent =
  | ({
      /** What policy decided about a call, before the call ran. */
      readonly type: 'decision';
      readonly outcome: 'allowed' | 'confirmed' | 'confirmation_required' | 'denied';
      readonly code?: string;
      /** The rule that decided; absent where the trust matrix did. */
      readonly rule?: string;
      readonly reason?: string;
      readonly token_id?: string;
      readonly by?: string;
      readonly parameters: JsonObject;
      readonly actor: AuditActor;
    } & AuditSubject)
  | ({
      /** How a call ended, whatever stopped it. */
      readonly type: 'call';
      readonly code: string;
      readonly duration_ms: number;
      readonly parameters: JsonObject;
      readonly actor: AuditActor;
    } & AuditSubject)
  | {
      readonly type: 'token';
      readonly event: 'TOKEN_ISSUED' | 'TOKEN_VALIDATED' | 'TOKEN_REJECTED' | 'TOKEN_REVOKED';
      readonly token_id: string;
      readonly operation?: string;
      readonly adapter?: string;
      readonly outcome: 'success' | 'failure';
      readonly failure_reason?: string;
      readonly actor: AuditActor;
    }
  | {
      readonly type: 'approval';
      readonly event: 'requested' | 'approved' | 'denied' | 'notified' | 'notification_failed';
      readonly approval: string;
      readonly operation: string;
      readonly reason?: string;
      readonly actor: AuditActor;
    }
  | { readonly type: 'admin'; readonly action: string; readonly details?: JsonObject; readonly actor: AuditActor }
  | {
      readonly type: 'integrity';
      readonly upstream: string;
      readonly tool?: string;
      readonly severity: string;
      readonly message: string;
    };

/** The audit trail of this process. `record` never throws, and blocks only where each record is to be on disk at once. */
export interface AuditTrail {
  record(event: AuditEvent): void;
  /** Resolves when everything recorded so far is on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** In characters of JSON. No event needs more, and a longer line would not be read again. */
const MAX_EVENT_LENGTH = 1024 * 1024;
const MAX_MEMBER_LENGTH = 16 * 1024;

/**
 * Opens the audit trail of this process. Its journal is created with the first record. Where it cannot be created or written,
 * the failure is observed, not thrown, and records wait in memory.
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
  const reportFailure = (cause: unknown): void =>
    observe({ kind: 'notice', level: 'error', message: `old audit journals were not removed (${faultCode(cause)})` });

  await index.warm().catch(() => {
    // The writer meets the same fault and reports it.
  });
  let expiring = expire().catch(reportFailure);
  const daily = setInterval(() => {
    expiring = expire().catch(reportFailure);
  }, DAY_MS).unref();

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearInterval(daily);
    // Nothing is removed where its removal could not be recorded.
    if (await writer.close(clock())) await expiring;
  };
  return {
    record(event) {
      if (closing !== undefined) {
        observe({
          kind: 'defect',
          where: 'audit',
          cause: new Error(`a record '${event.type}' came after the audit trail was closed`),
        });
        return;
      }
      const time = clock();
      try {
        writer.put({ time, members: writeEvent(time, event) });
      } catch (cause) {
        // An event that cannot be JSON must not stop its call; that it is missing is recorded.
        observe({ kind: 'defect', where: 'audit', cause });
        writer.lose(time);
      }
    },
    flush: () => writer.flush(),
    close: () => (closing ??= close()),
  };
}

/** The members of the event's record; where it is too long, without its longest members. */
function writeEvent(time: string, event: AuditEvent): string {
  const members = writeMembers(time, event.type, event);
  if (members.length <= MAX_EVENT_LENGTH) return members;
  const fits = ([, value]: [string, unknown]): boolean => (JSON.stringify(value)?.length ?? 0) <= MAX_MEMBER_LENGTH;
  const kept = Object.fromEntries(Object.entries(event).filter(fits));
  return writeMembers(time, event.type, { ...kept, cut_from_characters: members.length });
}

/** The audit trail of a gateway that keeps none. */
export const noAuditTrail: AuditTrail = {
  record: () => undefined,
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** How many journals one record names, so that its line stays readable. */
const NAMED_AT_ONCE = 1_000;

interface Expiry {
  readonly directory: string;
  readonly index: JournalIndex;
  readonly writer: Pick<JournalWriter, 'liveFile' | 'put' | 'flush'>;
  /** Journals whose newest record is older are removed. ISO 8601. */
  readonly before: string;
  readonly now: () => string;
}

/**
 * Removes the journals that are too old, never the one that is being written. A record that names them and how they ended is on
 * disk before the first is removed, so that the verification does not report them as missing.
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
