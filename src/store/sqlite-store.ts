import { faultCode } from '../config/secret-file.js';
import type { JsonObject } from '../protocol/json.js';
import { firstVersion } from './first-version.js';
import { fitLimits } from './fit-limits.js';
import { openSqliteFile, runInTransaction, type SqliteDatabase, type SqliteStatement } from './sqlite-file.js';
import {
  COLLECTIONS,
  type Collection,
  type CounterStep,
  type Increment,
  type Increments,
  type RecordOptions,
  type StateStore,
  type StoredRecord,
  StoreError,
} from './state-store.js';

export interface SqliteStoreOptions {
  readonly now: () => number;
  /** How long to wait for another process that is writing, in milliseconds; 5000 unless given. */
  readonly busyMs?: number;
  /** Told once when the file cannot be used any more and once when it can. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

const BUSY_MS = 5_000;

/** One statement a method where one does: SQLite runs each as a transaction of its own, so none can be seen half done. */
const STATEMENTS = {
  insert: `INSERT INTO records (collection, key, value, version, expires_at, tag) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (collection, key) DO UPDATE SET
      value = excluded.value, version = excluded.version, expires_at = excluded.expires_at, tag = excluded.tag
    WHERE records.expires_at <= ?7`,
  get: 'SELECT key, value, version FROM records WHERE collection = ? AND key = ? AND expires_at > ?',
  replace: `UPDATE records SET value = ?, version = version + 1
    WHERE collection = ? AND key = ? AND version = ? AND expires_at > ?`,
  remove: 'DELETE FROM records WHERE collection = ? AND key = ? AND expires_at > ?',
  removeTagged: 'DELETE FROM records WHERE collection = ? AND tag = ? AND expires_at > ? RETURNING key',
  list: 'SELECT key, value, version FROM records WHERE collection = ? AND expires_at > ? ORDER BY expires_at',
  increment: `INSERT INTO counters (name, value, expires_at) SELECT ?1, ?2, ?3
      WHERE ?4 IS NULL OR ?2 + coalesce((SELECT value FROM counters WHERE name = ?1 AND expires_at > ?5), 0) <= ?4
    ON CONFLICT (name) DO UPDATE SET
      value = iif(expires_at > ?5, value, 0) + excluded.value,
      expires_at = iif(expires_at > ?5, expires_at, excluded.expires_at)
    RETURNING value`,
  count: 'SELECT value FROM counters WHERE name = ? AND expires_at > ?',
  purgeRecords: 'DELETE FROM records WHERE collection = ? AND expires_at <= ?',
  purgeCounters: 'DELETE FROM counters WHERE expires_at <= ?',
} as const;

type Statements = Readonly<Record<keyof typeof STATEMENTS, SqliteStatement>>;

/** State in one file: it survives restarts, and several processes of one machine may share it. */
export class SqliteStore implements StateStore {
  readonly description: string;
  readonly shared = true;
  readonly #now: () => number;
  readonly #onProblem: SqliteStoreOptions['onProblem'];
  #failing = false;
  #database: SqliteDatabase | undefined;
  #statements: Statements | undefined;

  /** @throws StoreError when the file cannot be used; the message is for the operator. */
  constructor(file: string, { now, busyMs = BUSY_MS, onProblem }: SqliteStoreOptions) {
    this.description = `SQLite file '${file}'`;
    this.#now = now;
    this.#onProblem = onProblem;
    this.#database = openSqliteFile(file, busyMs);
    this.#statements = prepareStatements(this.#database);
  }

  async insert(collection: Collection, key: string, value: JsonObject, options: RecordOptions): Promise<boolean> {
    const { expiresAt, tag = null } = options;
    const params = [collection, key, JSON.stringify(value), firstVersion(), expiresAt, tag, this.#now()];
    return this.#run(({ insert }) => insert.run(...params).changes === 1);
  }

  async get(collection: Collection, key: string): Promise<StoredRecord | undefined> {
    const row = this.#run(({ get }) => get.get(collection, key, this.#now()));
    return row === undefined ? undefined : toRecord(row as RecordRow);
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
    const rows = this.#run(({ list }) => list.all(collection, this.#now()));
    return (rows as RecordRow[]).map(toRecord);
  }

  async increment(
    counter: string,
    by: number,
    { expiresAt, limit }: { readonly expiresAt: number; readonly limit?: number },
  ): Promise<Increment> {
    const row = this.#run(({ increment }) => increment.get(counter, by, expiresAt, limit ?? null, this.#now()));
    if (row === undefined) return { value: await this.count(counter), added: false };
    return { value: countOf(row), added: true };
  }

  async incrementAll(steps: readonly CounterStep[]): Promise<Increments> {
    const now = this.#now();
    const add = ({ increment }: Statements) =>
      steps.map(({ counter, by, expiresAt }) => countOf(increment.get(counter, by, expiresAt, null, now)));
    return this.#run((statements, database) =>
      runInTransaction(database, () => {
        const before = steps.map(({ counter }) => countOf(statements.count.get(counter, now)));
        return fitLimits(steps, before) ? { values: add(statements), added: true } : { values: before, added: false };
      }),
    );
  }

  async count(counter: string): Promise<number> {
    return countOf(this.#run(({ count }) => count.get(counter, this.#now())));
  }

  async purge(): Promise<void> {
    this.#run(({ purgeRecords, purgeCounters }) => {
      for (const collection of COLLECTIONS) purgeRecords.run(collection, this.#now());
      purgeCounters.run(this.#now());
    });
  }

  async close(): Promise<void> {
    // The driver keeps the file open as long as somebody holds a statement.
    this.#statements = undefined;
    this.#database?.close();
    this.#database = undefined;
  }

  #run<T>(work: (statements: Statements, database: SqliteDatabase) => T): T {
    if (this.#statements === undefined || this.#database === undefined) {
      throw new StoreError('The state store is closed.');
    }
    try {
      const outcome = work(this.#statements, this.#database);
      this.#tell(false, 'can be used again.');
      return outcome;
    } catch (cause) {
      this.#tell(true, `cannot be used (${faultCode(cause)}): what needs the state store is refused until it can.`);
      throw new StoreError(`The state store cannot do its work (${faultCode(cause)}).`, { cause });
    }
  }

  #tell(failing: boolean, what: string): void {
    if (this.#failing === failing) return;
    this.#failing = failing;
    this.#onProblem?.(`${this.description} ${what}`);
  }
}

interface RecordRow {
  readonly key: string;
  readonly value: string;
  readonly version: number;
}

/** A counter's row; a counter without one stands at 0. */
function countOf(row: unknown): number {
  return (row as { readonly value: number } | undefined)?.value ?? 0;
}

function prepareStatements(database: SqliteDatabase): Statements {
  const entries = Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Statements;
}

// The driver adds members of its own to a row, so each is named.
function toRecord({ key, value, version }: RecordRow): StoredRecord {
  return { key, value: JSON.parse(value) as JsonObject, version };
}
