import { faultCode } from '../../../config/secret-file.js';
import type { Observer } from '../../../observe/observation.js';
import { type Disk, JournalFile } from './journal-file.js';
import { findLooseEnds, type JournalIndex } from './journal-index.js';
import { JOURNAL_FORMAT, type JournalMark } from './journal-line.js';
import { type QueuedRecord, type QueueLimits, RecordQueue, writeMembers } from './record-queue.js';

/** How long a record waits for others to be written with it, at most. Half of what a crash may cost. */
const DELAY_MS = 50;
/** So much is written without waiting for more, in characters. */
const BATCH_CHARACTERS = 256 * 1024;
/** Pauses after failures: the first, doubling up to the longest. */
const RETRY_MS = { first: 100, longest: 10_000 };

export interface JournalWriterOptions {
  readonly directory: string;
  /** Which program writes; its journals say so. */
  readonly process: string;
  /** Have each record on the disk before `put` returns. */
  readonly sync: boolean;
  readonly index: JournalIndex;
  readonly observe: Observer;
  readonly disk?: Disk;
  readonly maxFileBytes?: number;
  readonly queueLimits?: QueueLimits;
}

interface Flush {
  /** Done when so many records have been taken from the queue, and written. */
  readonly upTo: number;
  readonly done: () => void;
}

/** Writes records into journals of its own, one after the other. The first file is made with the first record. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #queue: RecordQueue;
  #file: JournalFile | undefined;
  #predecessor: JournalMark | undefined;
  /** When the oldest waiting record came, by the process's own clock. */
  #waitingSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #retryMs: number | undefined;
  #flushes: readonly Flush[] = [];
  #ended = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#queue = new RecordQueue(options.queueLimits);
  }

  /** The name of the journal that is being written. */
  get liveFile(): string | undefined {
    return this.#file?.name;
  }

  put(record: QueuedRecord): void {
    this.#waitingSince ??= performance.now();
    this.#queue.push(record);
    this.#wake();
  }

  /** Counts a record that could not be made; the count goes on record. */
  lose(time: string): void {
    this.#waitingSince ??= performance.now();
    this.#queue.lose(time);
    this.#wake();
  }

  /** Resolves when the disk has everything that was put so far; while it fails, that is not yet. */
  flush(): Promise<void> {
    return new Promise((done) => {
      this.#flushes = [...this.#flushes, { upTo: this.#queue.put, done }];
      if (this.#running === undefined && this.#retryMs === undefined) this.#start();
    });
  }

  /** Writes what is left, tries once where the disk fails, and ends the journal. Resolves with whether all is written. */
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
      this.#tell('error', `could not be finished (${faultCode(cause)}); ${left} records were not written`);
      return false;
    }
  }

  /** Sees to it that what waits is written: at once, soon, or when what keeps it is over. */
  #wake(): void {
    if (this.#ended || this.#running !== undefined || this.#retryMs !== undefined) return;
    if (this.#options.sync || this.#isUrgent()) this.#start();
    else this.#timer ??= this.#startIn(DELAY_MS - this.#waitedMs());
  }

  #startIn(ms: number): NodeJS.Timeout {
    // The audit trail keeps no process alive: closing it writes what is left.
    return setTimeout(() => this.#start(), Math.max(0, ms)).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#ended) return;
    if (this.#options.sync) this.#runSync();
    else this.#running = this.#run().finally(() => this.#pause());
  }

  /** What came while records were written is written next. */
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
        if (file.isClosed) this.#retire(file);
      }
      this.#recover();
      this.#settle(this.#flushes);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** Writes one batch, and more while asked to. */
  async #drain(goesOn: () => boolean): Promise<void> {
    for (let file = this.#prepare(); file !== undefined; file = goesOn() ? this.#prepare() : undefined) {
      await file.write();
      if (!file.isClosed) continue;
      await file.sync();
      this.#retire(file);
    }
  }

  /** The journal that has something to be written, if there is anything: its own rest, its end, or the next batch. */
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
      previous: findLooseEnds(index.read()),
    };
    const file = new JournalFile(directory, time, disk);
    file.seal([{ time, members: writeMembers(time, 'opened', opened) }]);
    return file;
  }

  #retire(file: JournalFile): void {
    this.#predecessor = file.mark;
    this.#file = undefined;
    void file.release();
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
      this.#tell('error', `cannot be written (${faultCode(cause)}); records are kept in memory until it can`);
    }
    this.#retryMs = Math.min((this.#retryMs ?? RETRY_MS.first / 2) * 2, RETRY_MS.longest);
    this.#timer = this.#startIn(this.#retryMs);
  }

  #recover(): void {
    if (this.#retryMs === undefined) return;
    this.#retryMs = undefined;
    this.#tell('warn', 'can be written again');
  }

  #tell(level: 'error' | 'warn', what: string): void {
    this.#options.observe({ kind: 'notice', level, message: `the audit journal ${what}` });
  }
}
