import { afterEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/open-store.js';

afterEach(() => {
  vi.doUnmock('node:module');
  vi.doUnmock('@redis/client');
  vi.resetModules();
});

const forbid = (driver: string) =>
  vi.doMock(driver, () => {
    throw new Error(`${driver} was loaded`);
  });

/** SQLite's driver is required, not imported. */
const forbidSqlite = () =>
  vi.doMock('node:module', async (original) => ({
    ...(await original<typeof import('node:module')>()),
    createRequire: () => () => {
      throw new Error('libsql was loaded');
    },
  }));

describe('openStore', () => {
  it('loads no driver for the memory store', async () => {
    forbidSqlite();
    forbid('@redis/client');
    const store = await openStore({ type: 'memory' });
    expect(await store.count('counter')).toBe(0);
  });

  it('loads only the driver of the configured store', async () => {
    forbid('@redis/client');
    const opening = openStore({ type: 'sqlite', file: '/nowhere/state.db' });
    await expect(opening).rejects.toThrow(/directory that does not exist/);
  });

  it("says the next step where SQLite's driver is not installed", async () => {
    forbidSqlite();
    const { SqliteStore } = await import('../../../src/store/sqlite-store.js');
    expect(() => new SqliteStore('/nowhere/state.db', { now: Date.now })).toThrow('optional packages');
  });

  it('does not wait for a Redis server', async () => {
    // No server listens on the discard port.
    const store = await openStore({ type: 'redis', url: 'redis://user:secret@127.0.0.1:9/2', prefix: 'gate' });
    expect(store).toMatchObject({ shared: true, description: "Redis at '127.0.0.1:9', prefix 'gate'" });
    await store.close();
  });

  it.each([
    'not a url',
    'http://:secret@host',
    'redis//:secret@host',
    'redis://:secret@host/name',
    'redis://:secret%@host',
  ])('refuses the URL %j without repeating it', async (url) => {
    const fault = await openStore({ type: 'redis', url, prefix: 'gate' }).catch((thrown: unknown) => thrown);
    expect(fault).toMatchObject({ name: 'StoreError', message: expect.stringContaining('redis://host:6379') });
    expect(fault).toMatchObject({ message: expect.not.stringContaining('secret') });
    expect(fault).not.toHaveProperty('cause');
  });
});
