import fs from 'node:fs';
import { join } from 'node:path';
import { type JournalMark, sealLine } from './journal-line.js';
import { nameJournal } from './journal-name.js';
import { type QueuedRecord, writeMembers } from './record-queue.js';

/** What writing a journal needs of the file system. */
export type Disk = Pick<
  typeof fs,
  'mkdirSync' | 'openSync' | 'write' | 'writeSync' | 'fdatasync' | 'fdatasyncSync' | 'fstatSync' | 'close'
>;

/** A journal that has grown to this is followed by another, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** `YYYY-MM-DD`. */
const DAY_LENGTH = 10;

const NOTHING: Buffer = Buffer.alloc(0);

/** One journal that is being written. What was sealed is written to its last byte, however often the disk fails meanwhile. */
export class JournalFile {
  readonly name: string;
  readonly #disk: Disk;
  readonly #fd: number;
  readonly #day: string;
  #seq = 0;
  #hash = '';
  #bytes = 0;
  #pending = NOTHING;
  #closed = false;

  /**
   * Makes the file, and the directory where it is missing.
   * @param time of its first record, ISO 8601
   * @throws the system's error when it cannot be made
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

  /** Whether something that was sealed is not written yet. */
  get isBehind(): boolean {
    return this.#pending.length > 0;
  }

  /** Whether its last record is sealed. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether somebody has removed it: what is written to it now is lost. */
  get isGone(): boolean {
    return this.#disk.fstatSync(this.#fd).nlink === 0;
  }

  /** Whether a record of that time belongs into the next journal. */
  isOver(time: string, maxBytes = MAX_BYTES): boolean {
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

  /** Writes what was sealed. After a failure it goes on where it stopped: a line is never written twice, nor half. */
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

  /** Gives the file back; what was not written stays unwritten. */
  release(): Promise<void> {
    // A close that fails leaves nothing to be done.
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
