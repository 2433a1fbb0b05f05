import { accessSync, closeSync, constants, openSync } from 'node:fs';
import Database from 'libsql';
import { faultCode } from '../config/secret-file.js';
import { StoreError } from './state-store.js';

/** An open database, in as much of libsql's API as this room uses. */
export interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

export interface SqliteStatement {
  run(...params: SqliteValue[]): { readonly changes: number };
  get(...params: SqliteValue[]): unknown;
  all(...params: SqliteValue[]): unknown[];
}

export type SqliteValue = string | number | null;

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
 * Opens the file, makes it where there is none (for this user alone), and brings its schema up to date.
 * @param busyMs how long to wait for another process that is writing
 * @throws StoreError that tells the operator what to do.
 */
export function openSqliteFile(file: string, busyMs: number): SqliteDatabase {
  try {
    ensureFile(file);
    const database: SqliteDatabase = new Database(file, { timeout: busyMs });
    try {
      prepareDatabase(database, file);
      return database;
    } catch (fault) {
      database.close();
      throw fault;
    }
  } catch (fault) {
    throw fault instanceof StoreError ? fault : explainFault(file, fault);
  }
}

/**
 * An existing file is looked at, never opened: closing any handle of a file frees the locks that SQLite holds on it in this
 * process (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
function ensureFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (fault) {
    if (faultCode(fault) !== 'EEXIST') throw fault;
    accessSync(file, constants.R_OK | constants.W_OK);
  }
}

function prepareDatabase(database: SqliteDatabase, file: string): void {
  if (readVersion(database) !== SCHEMA_STEPS.length) upgradeSchema(database, file);
  // WAL: readers do not wait for a writer, and what is committed survives the death of the process. NORMAL gives up the
  // last moments only when the power fails (https://www.sqlite.org/pragma.html#pragma_synchronous).
  database.prepare('PRAGMA journal_mode = WAL').get();
  database.exec('PRAGMA synchronous = NORMAL');
}

function upgradeSchema(database: SqliteDatabase, file: string): void {
  runInTransaction(database, () => {
    const version = readVersion(database);
    assertOurs(database, file, version);
    for (const step of SCHEMA_STEPS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${SCHEMA_STEPS.length}`);
  });
}

/** Runs the work whole or not at all, and with no other process writing meanwhile. */
export function runInTransaction<T>(database: SqliteDatabase, work: () => T): T {
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
  ENOENT: 'is in a directory that does not exist. Make the directory',
  ENOTDIR: 'is in a directory that does not exist. Make the directory',
  EACCES: 'cannot be written by this user. Change its permissions',
  EPERM: 'cannot be written by this user. Change its permissions',
  EROFS: 'is on a file system that cannot be written',
  SQLITE_NOTADB: 'is not an SQLite database. Move it away',
  SQLITE_CORRUPT: 'is damaged. Move it away (what is pending is lost)',
  SQLITE_BUSY: 'is locked by another process. End that process',
  SQLITE_READONLY: 'cannot be written. Give this user write access to it and to its directory',
  SQLITE_CANTOPEN: 'cannot be written. Give this user write access to it and to its directory',
  SQLITE_FULL: 'cannot grow: the disk is full. Free some space',
};

function explainFault(file: string, fault: unknown): StoreError {
  const code = faultCode(fault);
  const what =
    OPENING_FAULTS[code.match(/^SQLITE_[A-Z]+/)?.[0] ?? code] ?? 'cannot be opened as a database. Move it away';
  return new StoreError(`The state store's file '${file}' ${what}, or choose another file with 'store.file'.`, {
    cause: fault,
  });
}
