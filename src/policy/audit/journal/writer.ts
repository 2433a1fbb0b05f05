import fs from 'node:fs';
import { join } from 'node:path';
import { faultCode } from '../../../base/lib/fault-code.js';
import type { Observer } from '../../../base/observe/observation.js';
import { findUnnamedEnds, type JournalIndex } from './journal-index.js';
import { JOURNAL_FORMAT, type JournalMark, nameJournal, sealLine } from './line.js';
import { type QueuedRecord, type QueueLimits, RecordQueue, writeMembers } from './record-queue.js';

export interface JournalWriterOptions {
  readonly directory: string;
  /** The program that writes, as its journals name it. */
  readonly process: string;
  /** Write each record to the disk before `put` returns. */
  readonly sync: boolean;
  readonly index: JournalIndex;
  readonly observe: Observer;
  readonly disk?: Disk;
  readonly maxFileBytes?: number | undefined;
  readonly queueLimits?: QueueLimits;
  /** Called when a journal has ended and the next begins. */
  readonly onEnded?: () => void;
  /** Called with the last record that is on the disk, after each batch. */
  readonly onWritten?: (mark: JournalMark) => void;
}

/** Whether the journal takes records. */
export interface JournalState {
  readonly failing: boolean;
  /** Records that were lost since the process began. */
  readonly lost: number;
}

/** How long a record waits at most for others, to be written with them. Half of what a crash may lose. */
const DELAY_MS = 50;
/** How many records may wait for space in the queue: each belongs to a call that waits. */
const MAX_WAITING = 10_000;
/** At most one notice about lost records in this time. */
const QUIET_MS = 60_000;
/** The size of a batch that is written without waiting for more, in characters. */
const BATCH_CHARACTERS = 256 * 1024;
/** The pauses after failures double from the first to the longest. */
const RETRY_MS = { first: 100, longest: 10_000 };

interface Flush {
  /** Done when this many records have been taken from the queue and written. */
  readonly upTo: number;
  readonly done: () => void;
}

/** A record that waits for space in the queue. */
interface Waiting {
  readonly record: QueuedRecord;
  readonly done: (accepted: boolean) => void;
}

/** Writes records into its own journals, one after the other. The first file is created with the first record. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #queue: RecordQueue;
  #file: JournalFile | undefined;
  #predecessor: JournalMark | undefined;
  /** When the oldest waiting record was put, by the process's monotonic clock. */
  #waitingSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #retryMs: number | undefined;
  #flushes: readonly Flush[] = [];
  #waiting: Waiting[] = [];
  #lostNoted = 0;
  #lossNotedAt = Number.NEGATIVE_INFINITY;
  #ended = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#queue = new RecordQueue(options.queueLimits);
  }

  /** The name of the journal that is being written. */
  get liveFile(): string | undefined {
    return this.#file?.name;
  }

  get state(): JournalState {
    return { failing: this.#retryMs !== undefined, lost: this.#queue.lost };
  }

  put(record: QueuedRecord): void {
    this.#waitingSince ??= performance.now();
    this.#queue.push(record);
    this.#noteLoss();
    this.#wake();
  }

  /**
   * Puts a record that must be kept. Where the queue is full it waits until the disk has taken some of it. False, or resolves
   * with false, where the record is lost because the disk fails.
   */
  offer(record: QueuedRecord): boolean | Promise<boolean> {
    const hasSpace = this.#queue.hasSpaceFor(record);
    if (hasSpace || this.#ended || this.#retryMs !== undefined || this.#waiting.length >= MAX_WAITING) {
      this.put(record);
      return hasSpace;
    }
    return new Promise((done) => {
      this.#waiting.push({ record, done });
      this.#start();
    });
  }

  /** Counts a record that could not be made; the count is recorded. */
  lose(time: string, source?: string): void {
    this.#waitingSince ??= performance.now();
    this.#queue.lose(time, source);
    this.#noteLoss();
    this.#wake();
  }

  /** Resolves when everything that was put so far is on the disk; waits while the disk fails. */
  flush(): Promise<void> {
    if (this.#ended) return Promise.reject(new Error('the journal has ended'));
    return new Promise((done) => {
      this.#flushes = [...this.#flushes, { upTo: this.#queue.put, done }];
      if (this.#running === undefined && this.#retryMs === undefined) this.#start();
    });
  }

  /** Writes what is left, with one attempt, and ends the journal. Resolves with whether all is written. */
  async close(time: string): Promise<boolean> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#running;
    try {
      await this.#drain(() => true);
      this.#file?.sealEnd(time);
      await this.#drain(() => true);
      this.#settle(this.#flushes);
      return true;
    } catch (cause) {
      const left = this.#queue.put - this.#queue.taken;
      this.#report('error', `could not be finished (${faultCode(cause)}); ${left} records were not written`);
      return false;
    } finally {
      this.#refuseWaiting();
    }
  }

  /** Schedules the writing of what waits: now, after the delay, or after the pause of a failure. */
  #wake(): void {
    if (this.#ended || this.#running !== undefined || this.#retryMs !== undefined) return;
    if (this.#options.sync || this.#isUrgent()) this.#start();
    else this.#timer ??= this.#startIn(DELAY_MS - this.#waitedMs());
  }

  #startIn(ms: number): NodeJS.Timeout {
    // The timer does not keep the process alive: closing the audit trail writes what is left.
    return setTimeout(() => this.#start(), Math.max(0, ms)).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#ended || this.#running !== undefined) return;
    if (this.#options.sync) this.#runSync();
    else this.#running = this.#run().finally(() => this.#pause());
  }

  /** Writes next what was put during the last run. */
  #pause(): void {
    this.#running = undefined;
    if (this.#retryMs !== undefined) return;
    if (this.#flushes.length > 0) this.#start();
    else if (this.#queue.first !== undefined) this.#wake();
  }

  async #run(): Promise<void> {
    try {
      const isTaken = ({ upTo }: Flush): boolean => upTo <= this.#queue.taken;
      await this.#drain(() => this.#isUrgent() || !this.#flushes.every(isTaken));
      const done = this.#flushes.filter(isTaken);
      if (done.length > 0) await this.#file?.sync();
      this.#recover();
      this.#settle(done);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #runSync(): void {
    try {
      for (let file = this.#prepare(); file !== undefined; file = this.#prepare()) {
        file.writeSync();
        this.#options.onWritten?.(file.mark);
        if (file.isClosed) this.#retire(file);
      }
      this.#recover();
      this.#settle(this.#flushes);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** Writes one batch, and more while `goesOn` says so. */
  async #drain(goesOn: () => boolean): Promise<void> {
    for (let file = this.#prepare(); file !== undefined; file = goesOn() ? this.#prepare() : undefined) {
      await file.write();
      this.#options.onWritten?.(file.mark);
      if (!file.isClosed) continue;
      await file.sync();
      this.#retire(file);
    }
  }

  /** The journal with something to write, if any: what is pending, its last record, or the next batch. */
  #prepare(): JournalFile | undefined {
    const file = this.#file;
    if (file?.isBehind || file?.isClosed) return file;
    const { first } = this.#queue;
    if (first === undefined) return undefined;
    if (file?.isGone) this.#retire(file);
    else if (file?.isOver(first.time, this.#options.maxFileBytes)) {
      file.sealEnd(first.time);
      return file;
    }
    this.#file ??= this.#begin(first.time);
    this.#file.seal(this.#queue.take(BATCH_CHARACTERS));
    this.#admitWaiting();
    this.#waitingSince = this.#queue.first === undefined ? undefined : performance.now();
    return this.#file;
  }

  #begin(time: string): JournalFile {
    const { directory, process: program, index, disk } = this.#options;
    const opened = {
      format: JOURNAL_FORMAT,
      process: program,
      pid: process.pid,
      ...(this.#predecessor === undefined ? {} : { continues: this.#predecessor }),
      previous: findUnnamedEnds(index.read()),
    };
    const file = new JournalFile(directory, time, disk);
    file.seal([{ time, members: writeMembers(time, 'opened', opened) }]);
    return file;
  }

  #retire(file: JournalFile): void {
    this.#predecessor = file.mark;
    this.#file = undefined;
    void file.release();
    this.#options.onEnded?.();
  }

  /** Takes the records that wait for space into the queue, as far as there is some. */
  #admitWaiting(): void {
    if (this.#waiting.length === 0) return;
    const left: Waiting[] = [];
    for (const each of this.#waiting) {
      if (this.#queue.hasSpaceFor(each.record)) {
        this.#queue.push(each.record);
        each.done(true);
      } else left.push(each);
    }
    this.#waiting = left;
  }

  /** The disk fails: the calls that wait for it are refused, and their records are kept as far as there is space. */
  #refuseWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { record, done } of waiting) {
      this.#queue.push(record);
      done(false);
    }
    this.#noteLoss();
  }

  #noteLoss(): void {
    const { lost } = this.#queue;
    if (lost === this.#lostNoted || performance.now() - this.#lossNotedAt < QUIET_MS) return;
    this.#lossNotedAt = performance.now();
    this.#lostNoted = lost;
    this.#report('warn', `cannot take all records: ${lost} are lost so far, and counted in it as 'lost'`);
  }

  #isUrgent(): boolean {
    return this.#queue.characters >= BATCH_CHARACTERS || this.#waitedMs() >= DELAY_MS;
  }

  /** How long the oldest record has waited. */
  #waitedMs(): number {
    return this.#waitingSince === undefined ? 0 : performance.now() - this.#waitingSince;
  }

  #settle(flushes: readonly Flush[]): void {
    this.#flushes = this.#flushes.filter((flush) => !flushes.includes(flush));
    for (const { done } of flushes) done();
  }

  #fail(cause: unknown): void {
    if (this.#retryMs === undefined) {
      this.#report('error', `cannot be written (${faultCode(cause)}); records are kept in memory until it can`);
    }
    this.#refuseWaiting();
    this.#retryMs = Math.min((this.#retryMs ?? RETRY_MS.first / 2) * 2, RETRY_MS.longest);
    this.#timer = this.#startIn(this.#retryMs);
  }

  #recover(): void {
    if (this.#retryMs === undefined) return;
    this.#retryMs = undefined;
    this.#report('warn', 'can be written again');
  }

  #report(level: 'error' | 'warn', what: string): void {
    this.#options.observe({ kind: 'notice', level, message: `the audit journal ${what}` });
  }
}

/** The part of the file system that writing a journal uses. */
type Disk = Pick<
  typeof fs,
  'mkdirSync' | 'openSync' | 'write' | 'writeSync' | 'fdatasync' | 'fdatasyncSync' | 'fstatSync' | 'close'
>;

/** The size at which a new journal begins, in bytes. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** `YYYY-MM-DD`. */
const DAY_LENGTH = 10;

const NO_BYTES: Buffer = Buffer.alloc(0);

/** One journal that is being written. What was sealed is written completely, however often the disk fails meanwhile. */
class JournalFile {
  readonly name: string;
  readonly #disk: Disk;
  readonly #fd: number;
  readonly #day: string;
  #seq = 0;
  #hash = '';
  #bytes = 0;
  #pending = NO_BYTES;
  #closed = false;

  /**
   * Creates the file, and the directory where it is missing.
   * @param time of its first record, ISO 8601
   * @throws the system's error when it cannot be created
   */
  constructor(directory: string, time: string, disk: Disk = fs) {
    disk.mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.name = nameJournal(time);
    this.#disk = disk;
    this.#day = time.slice(0, DAY_LENGTH);
    const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
    this.#fd = disk.openSync(join(directory, this.name), O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0o600);
  }

  /** The last record that was sealed. */
  get mark(): JournalMark {
    return { file: this.name, seq: this.#seq, hash: this.#hash };
  }

  /** Whether sealed records are not written yet. */
  get isBehind(): boolean {
    return this.#pending.length > 0;
  }

  /** Whether its last record is sealed. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether the file has been removed, so that what is written to it is lost. */
  get isGone(): boolean {
    return this.#disk.fstatSync(this.#fd).nlink === 0;
  }

  /** Whether a record of that time belongs in the next journal. */
  isOver(time: string, maxBytes = MAX_FILE_BYTES): boolean {
    return this.#bytes >= maxBytes || time.slice(0, DAY_LENGTH) !== this.#day;
  }

  /** Gives records their numbers and hashes. */
  seal(records: readonly QueuedRecord[]): void {
    const lines = records.map(({ members }) => {
      const { text, hash } = sealLine(members, this.#seq + 1, this.#hash);
      this.#seq += 1;
      this.#hash = hash;
      return text;
    });
    this.#pending = Buffer.concat([this.#pending, Buffer.from(lines.join(''))]);
  }

  /** Seals the last record. */
  sealEnd(time: string): void {
    this.seal([{ time, members: writeMembers(time, 'closed', {}) }]);
    this.#closed = true;
  }

  /** Writes what was sealed. After a failure it continues where it stopped: no line is written twice or in part. */
  async write(): Promise<void> {
    while (this.isBehind) this.#advance(await this.#writeOnce());
  }

  /** Writes what was sealed and waits for the disk, blocking. */
  writeSync(): void {
    while (this.isBehind) this.#advance(this.#disk.writeSync(this.#fd, this.#pending));
    this.#disk.fdatasyncSync(this.#fd);
  }

  /** Resolves when the disk has what was written. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#disk.fdatasync(this.#fd, (cause) => (cause === null ? resolve() : reject(cause)));
    });
  }

  /** Closes the file; what was not written stays unwritten. */
  release(): Promise<void> {
    // A failure to close needs no action.
    return new Promise((resolve) => this.#disk.close(this.#fd, () => resolve()));
  }

  #writeOnce(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#disk.write(this.#fd, this.#pending, (cause, written) =>
        cause === null ? resolve(written) : reject(cause),
      );
    });
  }

  #advance(written: number): void {
    this.#bytes += written;
    this.#pending = this.#pending.subarray(written);
  }
}
