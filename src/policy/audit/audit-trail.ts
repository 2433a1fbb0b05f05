import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../base/json/json.js';
import { faultCode } from '../../base/lib/fault-code.js';
import type { Observer } from '../../base/observe/observation.js';
import type { AuditConfig } from '../../config/gateway-config.js';
import { type ArgumentsDigest, ArgumentsDigester } from './arguments-digest.js';
import type { AuditEvent } from './audit-event.js';
import { HeadKeeper, type JournalHeads } from './journal/head-keeper.js';
import { createJournalIndex, type JournalEnds, type JournalIndex } from './journal/journal-index.js';
import type { JournalMark } from './journal/line.js';
import { type QueuedRecord, writeMembers } from './journal/record-queue.js';
import { type JournalState, JournalWriter, type JournalWriterOptions, MAX_FILE_BYTES } from './journal/writer.js';

export type { AuditActor, AuditEvent, AuditSubject } from './audit-event.js';
export type { JournalHeads } from './journal/head-keeper.js';

export interface AuditTrailDeps extends Pick<JournalWriterOptions, 'disk' | 'maxFileBytes' | 'queueLimits'> {
  readonly observe: Observer;
  /** Which program records: `serve`, `stdio`, or a command's name. */
  readonly process: string;
  /** The file with the key of the arguments' digests; without one there are no digests. */
  readonly keyFile?: string;
  /** Where the ends of the journals are kept; without one, `verify` finds removed ends only where a later journal names them. */
  readonly heads?: JournalHeads | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The audit trail of this process. It never throws, and blocks only where each record is to be on disk at once. */
export interface AuditTrail {
  /** Records an event; where there is no space for it, it is counted as lost. */
  record(event: AuditEvent): void;
  /**
   * Records an event before its call runs. Resolves when the journal has space for it; false means that the call must not run,
   * because the record is lost, or because records are required and the disk fails.
   */
  accept(event: AuditEvent): boolean | Promise<boolean>;
  /** Identifies the true arguments of a call, of which the canonical text may have been written; undefined where no digests are made. */
  digest(args: JsonObject, canonical?: string): ArgumentsDigest | undefined;
  state(): JournalState;
  /** Resolves when everything recorded so far is on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Refusals of one source may take this part of all journals in an hour, at least this many characters. */
const HOURLY_SHARE = 128;
const LEAST_HOURLY_SHARE = 4 * 1024 * 1024;

/** A journal takes at most this part of all of them, so that removing the oldest removes little. */
const FILES_AT_LEAST = 16;
const SMALLEST_FILE = 64 * 1024;

/**
 * Opens the audit trail of this process. Its journal is created with the first record. Where it cannot be created or written,
 * the failure is observed, not thrown, and records wait in memory.
 */
export async function openAuditTrail(config: AuditConfig, deps: AuditTrailDeps): Promise<AuditTrail> {
  if (!config.enabled) return noAuditTrail;
  const { observe } = deps;
  const index = createJournalIndex(config.directory);
  await index.warm().catch(() => {
    // The writer meets the same fault and reports it.
  });
  const notify = (level: 'warn' | 'error', message: string): void => observe({ kind: 'notice', level, message });
  return new OpenAuditTrail(config, deps, index, notify);
}

class OpenAuditTrail implements AuditTrail {
  readonly #config: AuditConfig;
  readonly #observe: Observer;
  readonly #now: () => number;
  readonly #writer: JournalWriter;
  readonly #heads: HeadKeeper;
  readonly #index: JournalIndex;
  readonly #shares: RefusalShares;
  readonly #digester: ArgumentsDigester | undefined;
  readonly #notify: (level: 'warn' | 'error', message: string) => void;
  readonly #daily: NodeJS.Timeout;
  #expiring: Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(
    config: AuditConfig,
    deps: AuditTrailDeps,
    index: JournalIndex,
    notify: (level: 'warn' | 'error', message: string) => void,
  ) {
    const { directory, sync, maxBytes } = config;
    const { maxFileBytes = sizeOfFiles(maxBytes), keyFile, heads, now = Date.now } = deps;
    this.#config = config;
    this.#observe = deps.observe;
    this.#now = now;
    this.#index = index;
    this.#notify = notify;
    this.#shares = new RefusalShares(Math.max(LEAST_HOURLY_SHARE, Math.floor(maxBytes / HOURLY_SHARE)));
    this.#digester =
      keyFile === undefined ? undefined : new ArgumentsDigester(keyFile, (message) => notify('warn', message));
    this.#heads = new HeadKeeper(heads, () => this.#writer.flush());
    this.#writer = new JournalWriter({
      ...deps,
      directory,
      sync,
      index,
      maxFileBytes,
      onEnded: () => this.#expire(),
      onWritten: (mark) => this.#heads.note(mark),
    });
    this.#expiring = this.#expireOnce();
    this.#daily = setInterval(() => this.#expire(), DAY_MS).unref();
  }

  record(event: AuditEvent): void {
    const record = this.#prepare(event);
    if (record !== undefined) this.#writer.put(record);
  }

  accept(event: AuditEvent): boolean | Promise<boolean> {
    const record = this.#prepare(event);
    const accepted = record === undefined || this.#writer.offer(record);
    const isHeld = (kept: boolean): boolean => kept && !(this.#config.required && this.#writer.state.failing);
    return typeof accepted === 'boolean' ? isHeld(accepted) : accepted.then(isHeld);
  }

  digest(args: JsonObject, canonical?: string): ArgumentsDigest | undefined {
    return this.#digester?.digest(args, canonical);
  }

  state(): JournalState {
    return this.#writer.state;
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The record of an event; undefined where none is to be written, which has been observed or counted. */
  #prepare(event: AuditEvent): QueuedRecord | undefined {
    if (this.#closing !== undefined) {
      const cause = new Error(`a record '${event.type}' came after the audit trail was closed`);
      this.#observe({ kind: 'defect', where: 'audit', cause });
      return undefined;
    }
    const now = this.#now();
    const time = new Date(now).toISOString();
    const source = sourceOf(event);
    try {
      const members = writeEvent(time, event);
      this.#recordSkipped(now);
      if (isRefusal(event) && !this.#shares.admits(source, members.length, now)) return undefined;
      return { time, members, source };
    } catch (cause) {
      // An event that cannot be JSON must not stop its call; that it is missing is recorded.
      this.#observe({ kind: 'defect', where: 'audit', cause });
      this.#writer.lose(time, source);
      return undefined;
    }
  }

  /** Records how many refusals were left out of the hours that are over. */
  #recordSkipped(until: number): void {
    for (const skipped of this.#shares.end(until)) {
      const time = new Date(this.#now()).toISOString();
      this.#writer.put({ time, members: writeMembers(time, 'skipped', skipped) });
    }
  }

  #expire(): void {
    // A journal that ends because the process does is counted at the next start.
    if (this.#closing !== undefined) return;
    this.#expiring = this.#expiring.then(() => this.#expireOnce());
  }

  async #expireOnce(): Promise<void> {
    const { directory, retentionDays, maxBytes } = this.#config;
    if (retentionDays === 0 && maxBytes === 0) return;
    const now = (): string => new Date(this.#now()).toISOString();
    const daysAgo = (days: number): string => new Date(this.#now() - days * DAY_MS).toISOString();
    const before = retentionDays === 0 ? '' : daysAgo(retentionDays);
    const heads = this.#heads;
    const scope = { directory, index: this.#index, writer: this.#writer, heads, now };
    await expireJournals({ ...scope, before, maxBytes, endedBefore: daysAgo(1) }).catch((cause: unknown) =>
      this.#notify('error', `old audit journals were not removed (${faultCode(cause)})`),
    );
  }

  async #close(): Promise<void> {
    clearInterval(this.#daily);
    this.#recordSkipped(Number.POSITIVE_INFINITY);
    // Nothing is removed where its removal could not be recorded.
    if (await this.#writer.close(new Date(this.#now()).toISOString())) await this.#expiring;
    await this.#heads.close();
  }
}

function sizeOfFiles(maxBytes: number): number | undefined {
  return maxBytes === 0
    ? undefined
    : Math.min(MAX_FILE_BYTES, Math.max(SMALLEST_FILE, Math.floor(maxBytes / FILES_AT_LEAST)));
}

/** A record's bound, in bytes of JSON. */
const MAX_EVENT_BYTES = 8 * 1024;

/** How much of a long member is kept, tried in this order until the record fits. In characters. */
const HEADS = [2_000, 500, 100] as const;

/** The members of the event's record. Where it is too long, its long members are cut. */
function writeEvent(time: string, event: AuditEvent): string {
  let members = writeMembers(time, event.type, event);
  for (const head of HEADS) {
    if (Buffer.byteLength(members) <= MAX_EVENT_BYTES) break;
    members = writeMembers(time, event.type, cutMembers(event, head));
  }
  return members;
}

/** The event with the beginning of each long member, its length and a digest of it. */
function cutMembers(event: AuditEvent, head: number): object {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      if (text.length <= head) return [name, value];
      const sha256 = createHash('sha256').update(text).digest('base64url');
      return [name, { cut: text.slice(0, head), characters: text.length, sha256 }];
    }),
  );
}

/** The audit trail of a gateway that keeps none. */
export const noAuditTrail: AuditTrail = {
  record: () => undefined,
  accept: () => true,
  digest: () => undefined,
  state: () => ({ failing: false, lost: 0 }),
  flush: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** How many journals one record names, so that its line stays readable. */
const NAMED_AT_ONCE = 1_000;

interface Expiry {
  readonly directory: string;
  readonly index: JournalIndex;
  readonly writer: Pick<JournalWriter, 'liveFile' | 'put' | 'flush'>;
  readonly heads?: Pick<JournalHeads, 'forget'>;
  /** Journals whose newest record is older are removed. ISO 8601. */
  readonly before: string;
  /** Beyond so many bytes in all, the oldest journals that have ended are removed; 0 keeps all. */
  readonly maxBytes?: number;
  /** A journal without an end whose newest record is older has ended: its process was killed. ISO 8601. */
  readonly endedBefore?: string;
  readonly now: () => string;
}

/**
 * Removes the journals that are too old or too much, never the one that is being written. A record that names them and how they
 * ended is on disk before the first is removed, so that the verification does not report them as missing.
 */
export async function expireJournals(expiry: Expiry): Promise<void> {
  const { directory, writer, heads, now } = expiry;
  const expired = chooseExpired(expiry);
  for (let from = 0; from < expired.length; from += NAMED_AT_ONCE) {
    const removed = expired.slice(from, from + NAMED_AT_ONCE).map(markOf);
    const time = now();
    writer.put({ time, members: writeMembers(time, 'retention', { removed }) });
    await writer.flush();
    // Before the files: a mark without its journal is a fault once this record has gone as well.
    await heads?.forget(removed.map(({ file }) => file));
    for (const { file } of removed) await rm(join(directory, file), { force: true });
  }
}

function chooseExpired({ index, writer, before, maxBytes = 0, endedBefore = '' }: Expiry): readonly JournalEnds[] {
  const journals = index.read().filter(({ file }) => file !== writer.liveFile);
  const old = new Set(journals.filter(({ newest }) => newest < before));
  let excess = index.read().reduce((sum, each) => sum + (old.has(each) ? 0 : each.size), 0) - maxBytes;
  const surplus = journals.filter((journal) => {
    const isEnded = journal.closed || journal.newest < endedBefore;
    if (maxBytes === 0 || excess <= 0 || old.has(journal) || !isEnded) return false;
    excess -= journal.size;
    return true;
  });
  return [...old, ...surplus];
}

function markOf({ file, last }: JournalEnds): JournalMark {
  return last ?? { file, seq: 0, hash: '' };
}

/** What one source left out, as the journal says it. */
interface SkippedRefusals {
  readonly source: string;
  readonly count: number;
  /** ISO 8601. */
  readonly since: string;
}

interface Window {
  readonly endsAt: number;
  characters: number;
  skipped: SkippedRefusals | undefined;
}

const WINDOW_MS = 3_600_000;

/** More sources than this share one window: sources are the configured clients and operators. */
const MAX_SOURCES = 1_000;

/**
 * Bounds what the refusals of one source may write in an hour. Calls that ran are always recorded; a refused call costs its
 * caller nothing, so that without a bound one caller could fill the journals and have other callers' records removed.
 */
export class RefusalShares {
  readonly #characters: number;
  readonly #windows = new Map<string, Window>();

  constructor(charactersPerHour: number) {
    this.#characters = charactersPerHour;
  }

  /** Whether the refusal may be recorded; it is counted otherwise. @param now milliseconds since the epoch */
  admits(source: string, characters: number, now: number): boolean {
    const name = this.#windows.has(source) || this.#windows.size < MAX_SOURCES ? source : 'others';
    const window = this.#windows.get(name) ?? { endsAt: now + WINDOW_MS, characters: 0, skipped: undefined };
    this.#windows.set(name, window);
    if (window.characters + characters <= this.#characters) {
      window.characters += characters;
      return true;
    }
    const { count, since } = window.skipped ?? { count: 0, since: new Date(now).toISOString() };
    window.skipped = { source: name, count: count + 1, since };
    return false;
  }

  /** Ends the windows that are over, and returns what was left out in them. */
  end(now: number): readonly SkippedRefusals[] {
    const over = [...this.#windows].filter(([, { endsAt }]) => endsAt <= now);
    for (const [source] of over) this.#windows.delete(source);
    return over.flatMap(([, { skipped }]) => (skipped === undefined ? [] : [skipped]));
  }
}

const REFUSED_BEFORE_IT_RAN = /^(?:PERMISSION|TOKEN|CONFIRMATION|RATE_LIMIT|VALIDATION)_/;

/** Whether an event costs whoever causes it nothing: a call that did not run, or a sign-in that was refused. */
export function isRefusal(event: AuditEvent): boolean {
  if (event.type === 'decision') return event.outcome === 'denied' || event.outcome === 'confirmation_required';
  if (event.type === 'token') return event.event === 'TOKEN_REJECTED' || event.event === 'TOKEN_ISSUED';
  if (event.type === 'sign_in') return event.event === 'refused';
  return event.type === 'call' && REFUSED_BEFORE_IT_RAN.test(event.code);
}

/** Who causes an event. All unauthenticated callers are one source, because anybody can open another session; those who fail to sign in are another. */
export function sourceOf(event: AuditEvent): string {
  if (!('actor' in event)) return 'gateway';
  if (event.type === 'sign_in' && event.event === 'refused') return 'sign-ins';
  const { client, user, operator } = event.actor;
  if (user !== undefined) return `user/${user}`;
  if (client !== undefined) return `client/${client}`;
  return operator === undefined ? 'anonymous' : `operator/${operator}`;
}
