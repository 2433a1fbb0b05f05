import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { explainFault, SqliteStore } from '../../src/store/sqlite-store.js';
import { StoreError } from '../../src/store/state-store.js';
import { openSqliteStore } from '../../src/store/threaded-store.js';
import { lockFile } from '../support/file-lock.js';
import { runInProcesses, runToDeath } from '../support/store-processes.js';
import { describeStateStore, increment } from './state-store.js';

let directory: string;
let serial = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sqlite-store-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const freshFile = () => join(directory, `state-${serial++}.db`);
const open = (file: string) => openStore({ type: 'sqlite', file });
const soon = () => ({ expiresAt: Date.now() + 60_000 });

describeStateStore('SQLite', {
  open: (now) => openStore({ type: 'sqlite', file: freshFile() }, { now }),
  isOpenToOthers: true,
});

describe('the SQLite file', () => {
  it('keeps the state over a restart', async () => {
    const file = freshFile();
    const before = await open(file);
    await before.insert('token', 'key', { owner: 'alice' }, { ...soon(), tag: 'session' });
    await increment(before, 'counter', 2, soon());
    const record = await before.get('token', 'key');
    await before.close();
    const after = await open(file);
    expect(await after.get('token', 'key')).toEqual(record);
    expect(await after.count('counter')).toBe(2);
    expect(await after.removeTagged('token', 'session')).toEqual(['key']);
    await after.close();
  });

  it('says where the state is and that other processes share it', async () => {
    const file = freshFile();
    const store = await open(file);
    expect(store).toMatchObject({ shared: true, description: `SQLite file '${file}'` });
    await store.close();
  });

  it.skipIf(process.platform === 'win32')(
    'is readable only by its owner, like its WAL and shared memory files',
    async () => {
      const file = freshFile();
      const store = await open(file);
      await store.insert('token', 'key', {}, soon());
      for (const suffix of ['', '-wal', '-shm']) expect((await stat(file + suffix)).mode & 0o777).toBe(0o600);
      await store.close();
    },
  );

  it('passes over a record that is damaged, says so once, and keeps the others', async () => {
    const file = freshFile();
    const problems: string[] = [];
    const store = await openStore({ type: 'sqlite', file }, { onProblem: (problem) => void problems.push(problem) });
    for (const key of ['sound', 'torn', 'list']) await store.insert('execution', key, { key }, soon());
    const database = new Database(file);
    database.exec(`UPDATE records SET value = '{"key":' WHERE key = 'torn'`);
    database.exec("UPDATE records SET value = '[1]' WHERE key = 'list'");
    database.close();
    expect(await store.list('execution')).toMatchObject([{ key: 'sound', value: { key: 'sound' } }]);
    expect(await store.get('execution', 'torn')).toBeUndefined();
    expect(problems).toEqual([
      `SQLite file '${file}' has records of the kind 'execution' that are damaged or too long, which are passed over.`,
    ]);
    await store.close();
  });

  it('has no expired rows after a purge', async () => {
    const file = freshFile();
    let now = Date.now();
    const store = new SqliteStore(file, { now: () => now });
    await store.insert('token', 'key', {}, soon());
    await increment(store, 'counter', 1, soon());
    now += 120_000;
    await store.purge();
    const database = new Database(file);
    const rows = database.prepare('SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM counters) AS n');
    expect(rows.get()).toMatchObject({ n: 0 });
    database.close();
    await store.close();
  });
});

describe('an SQLite file that cannot be used', () => {
  const query = (file: string, sql: string) => {
    const database = new Database(file);
    database.exec(sql);
    return database;
  };

  const FAULTS: readonly [string, (file: string) => Promise<string>, RegExp][] = [
    [
      'in a missing directory',
      async (file) => join(file, 'state.db'),
      /directory that does not exist, or is a link to nothing\. Make the directory/,
    ],
    [
      'below a file',
      async (file) => {
        await writeFile(file, '');
        return join(file, 'state.db');
      },
      /directory that does not exist/,
    ],
    ['that is a directory', async () => directory, /is a directory or a device\. Move it away/],
    [
      'that is a link to nothing',
      async (file) => {
        await symlink(`${file}.gone`, file);
        return file;
      },
      /is a link to nothing/,
    ],
    [
      'without its tables',
      async (file) => {
        query(file, 'PRAGMA user_version = 1').close();
        return file;
      },
      /lacks what a state store has\. Move it away/,
    ],
    [
      'of another kind',
      async (file) => {
        await writeFile(file, 'This is a text file that must not be overwritten by a database.\n'.repeat(9));
        return file;
      },
      /is not an SQLite database\. Move it away/,
    ],
    [
      'of a newer release',
      async (file) => {
        query(file, 'PRAGMA user_version = 99').close();
        return file;
      },
      /schema version 99; this release knows 1\. Use the newer release/,
    ],
    [
      'of another program',
      async (file) => {
        query(file, 'CREATE TABLE diary (day TEXT)').close();
        return file;
      },
      /is another program's database/,
    ],
  ];

  it.each([
    'SQLITE_IOERR',
    'SQLITE_IOERR_SHMSIZE',
    'SQLITE_FULL',
    'ENOSPC',
    'SQLITE_PROTOCOL',
    'EMFILE',
    'SQLITE_NOMEM',
  ])('and may be sound (%s) is not to be moved away, which would lose what is in it', (code) => {
    const { message } = explainFault('state.db', Object.assign(new Error('it failed'), { code }));
    expect(message).not.toMatch(/move/i);
    expect(message).toMatch(/disk/);
  });

  it.each(FAULTS)('%s is refused with the next step', async (_, prepare, message) => {
    const file = await prepare(freshFile());
    const fault = await open(file).catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(StoreError);
    expect((fault as Error).message).toMatch(message);
    expect((fault as Error).message).toContain(`'${file}'`);
    expect((fault as Error).message).toMatch(/choose another file with 'store\.file'\.$/i);
  });

  it('is left unchanged where it is refused', async () => {
    const file = freshFile();
    query(file, 'CREATE TABLE diary (day TEXT)').close();
    await expect(open(file)).rejects.toThrow(StoreError);
    const database = new Database(file);
    expect(database.prepare('SELECT group_concat(name) AS names FROM sqlite_schema').get()).toMatchObject({
      names: 'diary',
    });
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'delete' });
    database.close();
  });

  it('that another process locks is refused after the busy timeout', async () => {
    const file = freshFile();
    const other = query(file, 'BEGIN EXCLUSIVE');
    const attempt = () => new SqliteStore(file, { now: Date.now, busyMs: 1 });
    expect(attempt).toThrow(/is locked by another process\. End that process/);
    other.exec('ROLLBACK');
    other.close();
    await attempt().close();
  });

  it('that is locked later refuses calls until the lock is gone, with one report of each', async () => {
    const file = freshFile();
    const problems: string[] = [];
    const store = new SqliteStore(file, {
      now: Date.now,
      busyMs: 1,
      onProblem: (message) => void problems.push(message),
    });
    const other = query(file, 'BEGIN IMMEDIATE');
    await expect(store.insert('token', 'key', {}, soon())).rejects.toThrow(StoreError);
    await expect(increment(store, 'counter', 1, soon())).rejects.toThrow(/SQLITE_BUSY/);
    expect(await store.get('token', 'key')).toBeUndefined();
    other.exec('ROLLBACK');
    other.close();
    expect(await store.insert('token', 'key', {}, soon())).toBe(true);
    expect(await increment(store, 'counter', 1, soon())).toEqual({ value: 1, added: true });
    expect(problems).toEqual([
      expect.stringMatching(/cannot be used \(SQLITE_BUSY\): calls that need the state store are refused/),
      expect.stringMatching(/can be used again/),
    ]);
    await store.close();
  });
});

describe('an SQLite file that a thread uses', () => {
  it('refuses what waits for it too long, never begins that later, and says once when it answers again', async () => {
    const file = freshFile();
    const problems: string[] = [];
    const store = await openSqliteStore(file, {
      now: Date.now,
      // Less than the thread waits for the other process.
      silentMs: 3_000,
      onProblem: (message) => void problems.push(message),
    });
    const lock = await lockFile(file, 'open');
    const uses = ['begun', 'waits'].map((key) => store.insert('token', key, {}, soon()));
    for (const use of await Promise.allSettled(uses)) expect(use).toMatchObject({ status: 'rejected' });
    await lock[Symbol.asyncDispose]();
    await expect.poll(() => store.insert('token', 'later', {}, soon()).catch(() => 'refused')).toBe(true);
    const keys = (await store.list('token')).map(({ key }) => key);
    expect(keys).toContain('later');
    expect(keys).not.toContain('waits');
    expect(problems).toEqual([
      expect.stringMatching(/does not answer: calls that need the state store are refused/),
      expect.stringMatching(/answers again/),
    ]);
    await store.close();
  });
});

describe('an SQLite file that several stores use', () => {
  it('shows each store what the other wrote, at once', async () => {
    const file = freshFile();
    const [one, other] = [await open(file), await open(file)];
    await one.insert('approval', 'key', { state: 'pending' }, soon());
    const { version } = (await other.get('approval', 'key'))!;
    const outcomes = await Promise.all([one, other].map((store) => store.replace('approval', 'key', version, {})));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await one.close();
    expect(await other.remove('approval', 'key')).toBe(true);
    await other.close();
  });

  it('keeps what was written when the process is killed', async () => {
    const config = { type: 'sqlite', file: freshFile() } as const;
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
    expect(await runToDeath({ config, task: 'insertAndDie', input: keys })).toBe('SIGKILL');
    const store = await openStore(config);
    expect((await store.list('token')).map(({ key }) => key).sort()).toEqual([...keys].sort());
    expect(await store.count('counter')).toBe(keys.length);
    await store.close();
  });

  it('lets only one of four processes replace a record', async () => {
    const config = { type: 'sqlite', file: freshFile() } as const;
    const store = await openStore(config);
    const keys = Array.from({ length: 200 }, (_, index) => `key-${index}`);
    for (const key of keys) await store.insert('token', key, {}, soon());
    const version = Object.fromEntries((await store.list('token')).map((record) => [record.key, record.version]));
    const won = await runInProcesses<string[]>(4, { config, task: 'replaceAll', input: { keys, version } });
    expect(won.flat().sort()).toEqual([...keys].sort());
    await store.close();
  });

  it('holds a limit over four processes that create the file at the same time', async () => {
    const config = { type: 'sqlite', file: freshFile() } as const;
    const input = { attempts: 200, limit: 500 };
    const added = await runInProcesses<number>(4, { config, task: 'countUp', input });
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(input.limit);
    const store = await openStore(config);
    expect(await store.count('counter')).toBe(input.limit);
    await store.close();
  });
});
