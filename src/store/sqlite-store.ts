import { accessSync, closeSync, constants, openSync, rmSync, statSync } from 'node:fs';
import { requirePackage } from '../base/asset.js';
import type { JsonObject } from '../base/json/json.js';
import { faultCode } from '../base/lib/fault-code.js';
import {
  COLLECTIONS,
  type Collection,
  type CounterStep,
  createRecordReader,
  firstVersion,
  fitLimits,
  type Increments,
  MOST_READ_LENGTH,
  type RecordOptions,
  type StateStore,
  type StoredRecord,
  StoreError,
  type WrittenRecord,
} from './state-store.js';

export interface SqliteStoreOptions {
  readonly now: () => number;
  /**
   * How long to wait for another process that is writing, in milliseconds; 5000 unless given. While the file cannot be used, nothing
   * waits: a use finds out at once whether it can.
   */
  readonly busyMs?: number;
  /** How often the file is looked at, in milliseconds; 1000 unless given. */
  readonly lookMs?: number;
  /** Called once when the file becomes unusable and once when it can be used again. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

const BUSY_MS = 5_000;
const LOOK_MS = 1_000;

/** Of a record that is too long to be one of ours no more than that it is there. */
const VALUE = `iif(length(value) > ${MOST_READ_LENGTH}, '', value)`;

/** One statement per method where one suffices: SQLite runs each as a transaction of its own, so no reader sees a part of it. */
const STATEMENTS = {
  insert: `INSERT INTO records (collection, key, value, version, expires_at, tag) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (collection, key) DO UPDATE SET
      value = excluded.value, version = excluded.version, expires_at = excluded.expires_at, tag = excluded.tag
    WHERE records.expires_at <= ?7`,
  get: `SELECT key, ${VALUE} AS value, version FROM records WHERE collection = ? AND key = ? AND expires_at > ?`,
  replace: `UPDATE records SET value = ?, version = version + 1
    WHERE collection = ? AND key = ? AND version = ? AND expires_at > ?`,
  remove: 'DELETE FROM records WHERE collection = ? AND key = ? AND expires_at > ?',
  removeTagged: 'DELETE FROM records WHERE collection = ? AND tag = ? AND expires_at > ? RETURNING key',
  list: `WITH sized AS (
      SELECT rowid AS id, expires_at AS until, length(key) + iif(length(value) > ${MOST_READ_LENGTH}, 0, length(value)) AS size
      FROM records WHERE collection = ? AND expires_at > ?),
    summed AS (SELECT id, until, size, sum(size) OVER (ORDER BY until, id) AS total FROM sized)
    SELECT key, iif(total > ${MOST_READ_LENGTH}, '', ${VALUE}) AS value, version FROM summed JOIN records ON rowid = id
    WHERE total - size <= ${MOST_READ_LENGTH} ORDER BY until`,
  increment: `INSERT INTO counters (name, value, expires_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (name) DO UPDATE SET
      value = iif(expires_at > ?4, value, 0) + excluded.value,
      expires_at = iif(expires_at > ?4, expires_at, excluded.expires_at)
    RETURNING value`,
  count: 'SELECT value FROM counters WHERE name = ? AND expires_at > ?',
  purgeRecords: 'DELETE FROM records WHERE collection = ? AND expires_at <= ?',
  purgeCounters: 'DELETE FROM counters WHERE expires_at <= ?',
} as const;

type Statements = Readonly<Record<keyof typeof STATEMENTS, SqliteStatement>>;

/**
 * State in one file: it survives restarts, and several processes of one machine may share it. A use blocks as long as other processes
 * and the disk make it wait, so it is for a thread (`threaded-store.ts`).
 */
export class SqliteStore implements StateStore {
  readonly description: string;
  readonly shared = true;
  readonly #file: string;
  readonly #now: () => number;
  readonly #busyMs: number;
  readonly #lookMs: number;
  readonly #onProblem: SqliteStoreOptions['onProblem'];
  readonly #readRecords: ReturnType<typeof createRecordReader>;
  #failing = false;
  #closed = false;
  #database: SqliteDatabase | undefined;
  #statements: Statements | undefined;
  /** The file that is open: another one of the same name, or none, means that it was removed. */
  #identity: string | undefined;
  #lookedAt: number;

  /** @throws StoreError when the file cannot be used; the message is for the operator. */
  constructor(file: string, { now, busyMs = BUSY_MS, lookMs = LOOK_MS, onProblem }: SqliteStoreOptions) {
    this.description = describeFile(file);
    this.#file = file;
    this.#now = now;
    this.#busyMs = busyMs;
    this.#lookMs = lookMs;
    this.#onProblem = onProblem;
    this.#readRecords = createRecordReader(this.description, onProblem);
    this.#lookedAt = performance.now();
    this.#open();
  }

  #open(): void {
    const { database, statements } = openSqliteFile(this.#file, this.#failing ? 0 : this.#busyMs);
    this.#database = database;
    this.#statements = statements;
    this.#identity = identify(this.#file);
  }

  /**
   * A process goes on with an open file that was removed, and what it writes is gone when it ends: the file is looked at, and
   * opened again. What was in it is lost.
   */
  #look(): void {
    if (this.#closed || performance.now() - this.#lookedAt < this.#lookMs) return;
    this.#lookedAt = performance.now();
    const identity = identify(this.#file);
    if (identity !== undefined && identity === this.#identity) return;
    if (this.#database !== undefined) {
      // Closing it would remove the files beside the new one, which have the same names.
      abandoned.push(this.#database);
      this.#onProblem?.(`${this.description} was removed: pending confirmations, approvals and counts are lost.`);
    }
    this.#database = undefined;
    this.#statements = undefined;
    if (identity === undefined) removeCompanions(this.#file);
    this.#open();
  }

  async insert(collection: Collection, key: string, value: JsonObject, options: RecordOptions): Promise<boolean> {
    const { expiresAt, tag = null } = options;
    const params = [collection, key, JSON.stringify(value), firstVersion(), expiresAt, tag, this.#now()];
    return this.#run(({ insert }) => insert.run(...params).changes === 1);
  }

  async get(collection: Collection, key: string): Promise<StoredRecord | undefined> {
    const row = this.#read(({ get }) => get.get(collection, key, this.#now()));
    return row === undefined ? undefined : this.#readRecords(collection, [toWritten(row as WrittenRecord)])[0];
  }

  async replace(collection: Collection, key: string, version: number, value: JsonObject): Promise<boolean> {
    const params = [JSON.stringify(value), collection, key, version, this.#now()];
    return this.#run(({ replace }) => replace.run(...params).changes === 1);
  }

  async remove(collection: Collection, key: string): Promise<boolean> {
    return this.#run(({ remove }) => remove.run(collection, key, this.#now()).changes === 1);
  }

  async removeTagged(collection: Collection, tag: string): Promise<readonly string[]> {
    const rows = this.#run(({ removeTagged }) => removeTagged.all(collection, tag, this.#now()));
    return (rows as { readonly key: string }[]).map(({ key }) => key);
  }

  async list(collection: Collection): Promise<readonly StoredRecord[]> {
    const rows = this.#read(({ list }) => list.all(collection, this.#now()));
    return this.#readRecords(collection, (rows as WrittenRecord[]).map(toWritten));
  }

  async increment(steps: readonly CounterStep[]): Promise<Increments> {
    const now = this.#now();
    const add = ({ increment }: Statements) =>
      steps.map(({ counter, by, expiresAt }) => countOf(increment.get(counter, by, expiresAt, now)));
    return this.#run((statements, database) =>
      runInTransaction(database, () => {
        const before = steps.map(({ counter }) => countOf(statements.count.get(counter, now)));
        return fitLimits(steps, before) ? { values: add(statements), added: true } : { values: before, added: false };
      }),
    );
  }

  async count(counter: string): Promise<number> {
    return countOf(this.#read(({ count }) => count.get(counter, this.#now())));
  }

  async purge(): Promise<void> {
    this.#run(({ purgeRecords, purgeCounters }) => {
      for (const collection of COLLECTIONS) purgeRecords.run(collection, this.#now());
      purgeCounters.run(this.#now());
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    // The driver keeps the file open as long as a statement exists.
    this.#statements = undefined;
    this.#database?.close();
    this.#database = undefined;
  }

  #run<T>(work: (statements: Statements, database: SqliteDatabase) => T): T {
    const outcome = this.#read(work);
    // On a full disk reads go on: only a write shows that the file can be used again.
    this.#report(false, 'can be used again.');
    return outcome;
  }

  #read<T>(work: (statements: Statements, database: SqliteDatabase) => T): T {
    if (this.#closed) throw new StoreError('The state store is closed.');
    try {
      this.#look();
      if (this.#statements === undefined || this.#database === undefined) {
        throw new StoreError(`The state store's file '${this.#file}' was removed.`);
      }
      return work(this.#statements, this.#database);
    } catch (cause) {
      const why = faultCode(cause instanceof StoreError ? cause.cause : cause);
      this.#report(true, `cannot be used (${why}): calls that need the state store are refused until it can.`);
      throw new StoreError(`The state store cannot be used (${why}).`, { cause });
    }
  }

  #report(failing: boolean, what: string): void {
    if (this.#failing === failing) return;
    this.#failing = failing;
    this.#database?.exec(`PRAGMA busy_timeout = ${failing ? 0 : this.#busyMs}`);
    this.#onProblem?.(`${this.description} ${what}`);
  }
}

/** What a store in a file is called, for people. */
export function describeFile(file: string): string {
  return `SQLite file '${file}'`;
}

/** Databases whose files are gone, kept so that the driver never closes them. */
const abandoned: SqliteDatabase[] = [];

/** Which file has the name now; undefined where none has. */
function identify(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** What SQLite wrote beside a file that is gone would be read into the new one. */
function removeCompanions(file: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

/** The value of a counter's row; 0 for a counter without a row. */
function countOf(row: unknown): number {
  return (row as { readonly value: number } | undefined)?.value ?? 0;
}

function prepareStatements(database: SqliteDatabase): Statements {
  const entries = Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Statements;
}

// The driver adds members of its own to a row, so the needed ones are picked by name.
function toWritten({ key, value, version }: WrittenRecord): WrittenRecord {
  return { key, value, version };
}

/** Native code that npm installs per platform and that some installations leave out. Only the thread that uses a file loads it. */
function requireDriver(): new (file: string, options: { readonly timeout: number }) => SqliteDatabase {
  try {
    return requirePackage('libsql');
  } catch (cause) {
    throw new StoreError(
      `SQLite's driver is not installed for this platform (${process.platform}-${process.arch}). ` +
        "Install the gateway with its optional packages (no '--omit=optional'), or set 'store.type' to 'redis' or 'memory'.",
      { cause },
    );
  }
}

/** An open database: the part of libsql's API that this module uses. */
interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

interface SqliteStatement {
  run(...params: SqliteValue[]): { readonly changes: number };
  get(...params: SqliteValue[]): unknown;
  all(...params: SqliteValue[]): unknown[];
}

type SqliteValue = string | number | null;

/** Each step brings a file from the version of its position to the next; the number of steps is the current version. */
const SCHEMA_STEPS = [
  `CREATE TABLE records (
     collection TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL,
     expires_at REAL NOT NULL, tag TEXT, PRIMARY KEY (collection, key)
   ) STRICT;
   CREATE INDEX records_by_expiry ON records (collection, expires_at);
   CREATE INDEX records_by_tag ON records (collection, tag, expires_at);
   CREATE TABLE counters (name TEXT PRIMARY KEY, value REAL NOT NULL, expires_at REAL NOT NULL) WITHOUT ROWID, STRICT;`,
] as const;

/**
 * Opens the file, creates it where it is missing (readable only by this user), and brings its schema up to date.
 * @param busyMs how long to wait for another process that is writing
 * @throws StoreError whose message says what the operator can do.
 */
function openSqliteFile(file: string, busyMs: number): { database: SqliteDatabase; statements: Statements } {
  try {
    const Database = requireDriver();
    ensureFile(file);
    const database = new Database(file, { timeout: busyMs });
    try {
      prepareDatabase(database, file);
      assertSound(database);
      return { database, statements: prepareStatements(database) };
    } catch (fault) {
      database.close();
      throw fault;
    }
  } catch (fault) {
    throw fault instanceof StoreError ? fault : explainFault(file, fault);
  }
}

/**
 * Only the permissions of an existing file are checked, without opening it: closing any handle frees SQLite's locks on it in this
 * process (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
function ensureFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (fault) {
    if (faultCode(fault) !== 'EEXIST') throw fault;
    if (!statSync(file).isFile()) throw Object.assign(new Error('it is no file'), { code: 'EISDIR' });
    accessSync(file, constants.R_OK | constants.W_OK);
  }
}

function prepareDatabase(database: SqliteDatabase, file: string): void {
  if (readVersion(database) !== SCHEMA_STEPS.length) upgradeSchema(database, file);
  // WAL: readers do not wait for a writer, and what is committed survives the end of the process. NORMAL can lose the
  // last transactions only when the power fails (https://www.sqlite.org/pragma.html#pragma_synchronous).
  database.prepare('PRAGMA journal_mode = WAL').get();
  database.exec('PRAGMA synchronous = NORMAL');
}

/** Damage in the file's pages is found now, by the operator who starts the gateway, not by a call later. */
function assertSound(database: SqliteDatabase): void {
  const { quick_check: verdict } = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (verdict !== 'ok') throw Object.assign(new Error(verdict), { code: 'SQLITE_CORRUPT' });
}

function upgradeSchema(database: SqliteDatabase, file: string): void {
  runInTransaction(database, () => {
    const version = readVersion(database);
    assertOurs(database, file, version);
    for (const step of SCHEMA_STEPS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${SCHEMA_STEPS.length}`);
  });
}

/** Runs the work in a transaction, with no other process writing meanwhile. */
function runInTransaction<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const outcome = work();
    database.exec('COMMIT');
    return outcome;
  } catch (fault) {
    // Some faults have ended the transaction already.
    if (database.inTransaction) database.exec('ROLLBACK');
    throw fault;
  }
}

function assertOurs(database: SqliteDatabase, file: string, version: number): void {
  if (version > SCHEMA_STEPS.length) {
    throw new StoreError(
      `The state store's file '${file}' has schema version ${version}; this release knows ${SCHEMA_STEPS.length}. ` +
        "Use the newer release that wrote it, or choose another file with 'store.file'.",
    );
  }
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (version === 0 && tables > 0) {
    throw new StoreError(
      `The state store's file '${file}' is another program's database. Choose another file with 'store.file'.`,
    );
  }
}

function readVersion(database: SqliteDatabase): number {
  return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}

/** What is wrong and what to do, by the fault's code without SQLite's extension (`SQLITE_BUSY_SNAPSHOT`). */
const OPENING_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'is in a directory that does not exist, or is a link to nothing. Make the directory',
  EISDIR: 'is a directory or a device. Move it away',
  ENOTDIR: 'is in a directory that does not exist. Make the directory',
  EACCES: 'cannot be written by this user. Change its permissions',
  EPERM: 'cannot be written by this user. Change its permissions',
  EROFS: 'is on a file system that cannot be written',
  SQLITE_NOTADB: 'is not an SQLite database. Move it away',
  SQLITE_ERROR: 'lacks what a state store has. Move it away (pending confirmations and counts are lost)',
  SQLITE_CORRUPT: 'is damaged. Move it away (pending confirmations and counts are lost)',
  SQLITE_BUSY: 'is locked by another process. End that process',
  SQLITE_READONLY: 'cannot be written. Give this user write access to it and to its directory',
  SQLITE_CANTOPEN: 'cannot be written. Give this user write access to it and to its directory',
  SQLITE_FULL: 'cannot grow: the disk is full. Free some space',
  SQLITE_IOERR: 'cannot be read or written: the disk may be full or failing. Free some space, and look at the disk',
  ENOSPC: 'cannot grow: the disk is full. Free some space',
};

/** Why the file cannot be used, and what to do. */
export function explainFault(file: string, fault: unknown): StoreError {
  const code = faultCode(fault);
  // Only of a file that is known to be no database, or a damaged one, nothing is lost that could be kept.
  const what =
    OPENING_FAULTS[code.match(/^SQLITE_[A-Z]+/)?.[0] ?? code] ??
    `cannot be opened (${code}). Look at the disk and at what else uses the file`;
  return new StoreError(`The state store's file '${file}' ${what}, or choose another file with 'store.file'.`, {
    cause: fault,
  });
}
