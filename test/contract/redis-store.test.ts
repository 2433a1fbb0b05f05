import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RedisSentinels, RedisStoreConfig } from '../../src/config/gateway-config.js';
import { openStore } from '../../src/store/open-store.js';
import { RedisStore } from '../../src/store/redis-store.js';
import { type StateStore, StoreError } from '../../src/store/state-store.js';
import { startRedisCluster, startRedisSentinel } from '../support/redis-groups.js';
import {
  NO_REDIS,
  OFFERED_REDIS_URL,
  REDIS_BINARY,
  type RedisServer,
  startRedisServer,
} from '../support/redis-server.js';
import { describeStateStore, increment } from './state-store.js';

const soon = () => ({ expiresAt: Date.now() + 60_000 });

const hasServer = OFFERED_REDIS_URL !== undefined || REDIS_BINARY !== undefined;

describe.skipIf(!hasServer)(hasServer ? 'Redis' : `Redis: skipped, ${NO_REDIS}`, () => {
  let server: RedisServer | undefined;
  let url: string;

  beforeAll(async () => {
    server = OFFERED_REDIS_URL === undefined ? await startRedisServer() : undefined;
    url = OFFERED_REDIS_URL ?? server?.url ?? '';
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const open = (prefix: string, now: () => number = Date.now) => openStore({ type: 'redis', url, prefix }, { now });

  describeSpace((prefix, bounds) => openStore({ type: 'redis', url, prefix, ...bounds }));
  describeStateStore('Redis', {
    open: async (now) => new RedisStore({ type: 'redis', url, prefix: randomUUID() }, { now, deadlineMs: 30_000 }),
    isOpenToOthers: true,
  });

  it('shares the state only between clients with the same prefix', async () => {
    const prefix = randomUUID();
    const [one, other, otherPrefix] = await Promise.all([open(prefix), open(prefix), open(randomUUID())]);
    await one.insert('token', 'key', { owner: 'alice' }, { ...soon(), tag: 'session' });
    await increment(one, 'counter', 2, soon());
    expect((await other.get('token', 'key'))?.value).toEqual({ owner: 'alice' });
    expect(await other.count('counter')).toBe(2);
    expect(await otherPrefix.list('token')).toEqual([]);
    expect(await otherPrefix.count('counter')).toBe(0);
    expect(await otherPrefix.removeTagged('token', 'session')).toEqual([]);
    await Promise.all([one, other, otherPrefix].map((store) => store.close()));
  });

  it('lets only one of two clients replace a record', async () => {
    const prefix = randomUUID();
    const clients = [await open(prefix), await open(prefix)];
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
    for (const key of keys) await clients[0]!.insert('token', key, {}, soon());
    const records = await clients[0]!.list('token');
    const attempts = records.flatMap(({ key, version }) =>
      clients.map(async (client) => ((await client.replace('token', key, version, {})) ? [key] : [])),
    );
    expect((await Promise.all(attempts)).flat().sort()).toEqual([...keys].sort());
    await Promise.all(clients.map((client) => client.close()));
  });

  it('lets Redis remove expired records by their remaining lifetime, independent of its clock', async () => {
    const prefix = randomUUID();
    const past = () => 1_000_000;
    const store = await open(prefix, past);
    await store.insert('token', 'key', {}, { expiresAt: past() + 60_000, tag: 'tag' });
    await increment(store, 'counter', 1, { expiresAt: past() + 30_000 });
    expect(await store.get('token', 'key')).toBeDefined();
    expect(await store.count('counter')).toBe(1);
    await store.close();
  });
});

const canStart = REDIS_BINARY !== undefined;

describe.skipIf(!canStart)(canStart ? 'a Redis server' : `Redis outages: skipped, ${NO_REDIS}`, () => {
  it('that stops fails every command until it runs again', async () => {
    await using server = await startRedisServer();
    await using test = openReporting({ url: server.url });
    await test.store.insert('token', 'key', {}, soon());

    await server.kill();
    expect(await test.report(1)).toMatch(/^Redis at '127\.0\.0\.1:\d+' cannot be reached \(/);
    await Promise.all(everyCommand(test.store).map((work) => expect(work()).rejects.toThrow(StoreError)));

    await server.start();
    expect(await test.report(2)).toMatch(/^Redis at '127\.0\.0\.1:\d+' can be reached again\.$/);
    expect(await test.store.insert('token', 'key', { after: true }, soon())).toBe(true);
    expect((await test.store.get('token', 'key'))?.value).toEqual({ after: true });
  });

  it('need not run when the store is opened', async () => {
    await using server = await startRedisServer();
    await server.kill();
    await using test = openReporting({ url: server.url });
    await expect(test.store.get('token', 'key')).rejects.toThrow(StoreError);
    expect(await test.report(1)).toContain('cannot be reached (ECONNREFUSED)');
    await server.start();
    await test.report(2);
    expect(await increment(test.store, 'counter', 1, soon())).toEqual({ value: 1, added: true });
  });

  it('that does not answer gets a new connection', async () => {
    await using server = await startRedisServer();
    await using test = openReporting({ url: server.url, deadlineMs: 1_000 });
    await increment(test.store, 'counter', 1, soon());
    server.suspend();
    await expect(test.store.count('counter')).rejects.toThrow(/did not answer in time/);
    expect(await test.report(1)).toContain('cannot be reached');
    server.resume();
    await test.report(2);
    expect(await test.store.count('counter')).toBe(1);
  });

  it('gets no refused command later', async () => {
    await using server = await startRedisServer();
    await server.kill();
    await using test = openReporting({ url: server.url });
    await expect(increment(test.store, 'counter', 1, soon())).rejects.toThrow(StoreError);
    await server.start();
    await test.report(2);
    expect(await test.store.count('counter')).toBe(0);
  });

  it('that requires another password is reported without the password', async () => {
    await using server = await startRedisServer('right');
    const url = server.url.replace('//', '//:wr0ng-secret@');
    await using test = openReporting({ url });
    const fault = await test.store.get('token', 'key').catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(StoreError);
    const message = await test.report(1);
    expect(message).toContain('(WRONGPASS)');
    for (const text of [message, String(fault), test.store.description]) expect(text).not.toContain('wr0ng-secret');
  });

  it('gets the password of the URL', async () => {
    await using server = await startRedisServer('right');
    await using test = openReporting({ url: server.url.replace('//', '//:right@') });
    expect(await test.store.insert('token', 'key', {}, soon())).toBe(true);
  });
});

describe.skipIf(!canStart)(canStart ? 'a Redis cluster' : `Redis clusters: skipped, ${NO_REDIS}`, () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>;

  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  describeSpace((prefix, bounds) => openStore({ type: 'redis', cluster: cluster.urls, prefix, ...bounds }));
  describeStateStore('a Redis cluster', {
    open: (now) => openStore({ type: 'redis', cluster: cluster.urls.slice(0, 1), prefix: randomUUID() }, { now }),
  });
});

describe.skipIf(!canStart)(canStart ? 'Redis behind a sentinel' : `Sentinels: skipped, ${NO_REDIS}`, () => {
  it('goes on with the copy that the sentinel promotes, after the server has died', async () => {
    await using group = await startRedisSentinel();
    await using test = openReporting({ sentinel: { name: 'main', nodes: group.urls } });
    await test.store.insert('token', 'key', { owner: 'alice' }, soon());
    expect(test.store.description).toMatch(/^Redis 'main' of the sentinels at '127\.0\.0\.1:\d+', prefix 'test'$/);

    await group.copied();
    await group.killServer();
    await expect(test.store.count('counter')).rejects.toThrow(StoreError);
    expect(await test.report(1)).toMatch(/cannot be reached/);
    await test.report(2);
    expect((await test.store.get('token', 'key'))?.value).toEqual({ owner: 'alice' });
    expect(await increment(test.store, 'counter', 1, soon())).toEqual({ value: 1, added: true });
  });
});

describe('a server that is not Redis', () => {
  it('fails a command in time where it does not answer', async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => mute.once('listening', resolve));
    const { port } = mute.address() as { port: number };
    await using test = openReporting({ url: `redis://127.0.0.1:${port}`, deadlineMs: 1_000 });
    await expect(test.store.get('token', 'key')).rejects.toThrow(/did not answer in time/);
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});

/** Entries of 1,000 bytes count 1,512. */
type Bounds = Pick<RedisStoreConfig, 'sharedBytes' | 'sharedBytesPerClient'>;

function describeSpace(open: (prefix: string, bounds: Bounds) => Promise<StateStore>): void {
  describe('a shared space', () => {
    const bytes = Buffer.alloc(1_000, 0xff);
    const openSpace = async (sharedBytes: number, sharedBytesPerClient: number) => {
      const store = await open(randomUUID(), { sharedBytes, sharedBytesPerClient });
      onTestFinished(() => store.close());
      const space = store.openSpace?.('results');
      if (space === undefined) throw new Error('no space');
      const has = async (...names: string[]) =>
        Promise.all(names.map(async (name) => (await space.get(name)) !== undefined));
      return { space, has };
    };
    const of = (owner: string, seconds = 60) => ({ owner, expiresAt: Date.now() + seconds * 1_000 });

    it('gives back the bytes that were put, the latest of a name, until they are removed', async () => {
      const { space, has } = await openSpace(10_000, 10_000);
      for (let index = 0; index < 20; index++) await space.put('a', Buffer.alloc(1_000, index), of('ann'));
      await space.put('b', bytes, of('ann'));
      expect(await space.get('a')).toEqual(Buffer.alloc(1_000, 19));
      expect(await space.get('b')).toEqual(bytes);
      await space.remove('a');
      expect(await has('a', 'b')).toEqual([false, true]);
      expect(await space.put('c', Buffer.alloc(10_000), of('ann'))).toBe(false);
    });

    it("makes room among the owner's own first, and then among all, by what expires first", async () => {
      const { space, has } = await openSpace(5_000, 3_200);
      await space.put('bob', bytes, of('bob', 10));
      await space.put('late', bytes, of('ann', 50));
      await space.put('soon', bytes, of('ann', 20));
      await space.renew('late', Date.now() + 90_000);
      await space.put('more', bytes, of('ann', 60));
      expect(await has('bob', 'late', 'soon', 'more')).toEqual([true, true, false, true]);
      await space.put('eve', bytes, of('eve', 30));
      expect(await has('bob', 'late', 'more', 'eve')).toEqual([false, true, true, true]);
    });
  });
}

/** Opens a store whose reports a test can await. */
type Place = { readonly url: string } | { readonly sentinel: RedisSentinels };

function openReporting(options: Place & { readonly deadlineMs?: number }) {
  const messages: string[] = [];
  let wake = () => {};
  const onProblem = (message: string) => {
    messages.push(message);
    wake();
  };
  const { deadlineMs = 2_000, ...place } = options;
  const store: StateStore = new RedisStore(
    { type: 'redis', prefix: 'test', ...place },
    { now: Date.now, onProblem, deadlineMs },
  );
  return {
    store,
    /** Resolves with the report of that number, from 1, as soon as there is one. */
    async report(number: number): Promise<string> {
      while (messages.length < number) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return messages[number - 1]!;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function everyCommand(store: StateStore): readonly (() => Promise<unknown>)[] {
  return [
    () => store.insert('token', 'key', {}, soon()),
    () => store.get('token', 'key'),
    () => store.replace('token', 'key', 1, {}),
    () => store.remove('token', 'key'),
    () => store.removeTagged('token', 'tag'),
    () => store.list('token'),
    () => increment(store, 'counter', 1, soon()),
    () => store.count('counter'),
    () => store.purge(),
  ];
}
