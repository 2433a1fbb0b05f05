import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/store/sqlite-store.js';

const IN_A_YEAR = { expiresAt: Date.now() + 31_536_000_000 };

function openStore() {
  const directory = mkdtempSync(join(tmpdir(), 'aql-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'state.db');
  const problems: string[] = [];
  const open = () =>
    new SqliteStore(file, { now: Date.now, lookMs: 0, onProblem: (problem) => void problems.push(problem) });
  return { directory, file, problems, open, store: open() };
}

it.each([
  ['the file alone', ['state.db']],
  ['all of its files', ['state.db', 'state.db-wal', 'state.db-shm']],
])('a store of which %s is removed says so, begins anew, and keeps what comes then', async (_what, names) => {
  const { directory, problems, open, store } = openStore();
  await store.insert('token', 'before', {}, IN_A_YEAR);
  for (const name of names) rmSync(join(directory, name));
  expect(await store.insert('token', 'after', {}, IN_A_YEAR)).toBe(true);
  expect(problems).toEqual([expect.stringContaining('was removed')]);
  const other = open();
  expect(await other.get('token', 'after')).toMatchObject({ key: 'after' });
  expect(await other.get('token', 'before')).toBeUndefined();
  await store.close();
  await other.close();
});

it('two stores of one file that is removed meet in the new one', async () => {
  const { directory, open, store } = openStore();
  const other = open();
  await store.insert('token', 'before', {}, IN_A_YEAR);
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  await store.insert('token', 'one', {}, IN_A_YEAR);
  await other.insert('token', 'two', {}, IN_A_YEAR);
  expect((await store.list('token')).map(({ key }) => key).sort()).toEqual(['one', 'two']);
  await store.close();
  expect((await other.list('token')).length).toBe(2);
  await other.close();
});

it('a store whose folder is removed refuses until there is one again', async () => {
  const { directory, problems, store } = openStore();
  rmSync(directory, { recursive: true });
  await expect(store.insert('token', 'a', {}, IN_A_YEAR)).rejects.toThrow('cannot be used (ENOENT)');
  expect(problems).toHaveLength(2);
  mkdirSync(directory);
  expect(await store.insert('token', 'a', {}, IN_A_YEAR)).toBe(true);
  await store.close();
});
