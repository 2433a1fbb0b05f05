import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { RedisStore } from '../../src/store/redis-store.js';
import { type StateStore, StoreError } from '../../src/store/state-store.js';
import {
  NO_REDIS,
  OFFERED_REDIS_URL,
  REDIS_BINARY,
  type RedisServer,
  startRedisServer,
} from '../support/redis-server.js';
import { describeStateStore } from './state-store.js';

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

  describeStateStore('Redis', { open: (now) => open(randomUUID(), now) });

  it('shares the state between those of one prefix alone', async () => {
    const prefix = randomUUID();
    const [one, other, stranger] = await Promise.all([open(prefix), open(prefix), open(randomUUID())]);
    await one.insert('token', 'key', { owner: 'alice' }, { ...soon(), tag: 'session' });
    await one.increment('counter', 2, soon());
    expect((await other.get('token', 'key'))?.value).toEqual({ owner: 'alice' });
    expect(await other.count('counter')).toBe(2);
    expect(await stranger.list('token')).toEqual([]);
    expect(await stranger.count('counter')).toBe(0);
    expect(await stranger.removeTagged('token', 'session')).toEqual([]);
    await Promise.all([one, other, stranger].map((store) => store.close()));
  });

  it('lets one client of two replace each record', async () => {
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

  it('lets Redis clear away what has expired, by what remains to live and whatever its clock says', async () => {
    const prefix = randomUUID();
    const past = () => 1_000_000;
    const store = await open(prefix, past);
    await store.insert('token', 'key', {}, { expiresAt: past() + 60_000, tag: 'tag' });
    await store.increment('counter', 1, { expiresAt: past() + 30_000 });
    expect(await store.get('token', 'key')).toBeDefined();
    expect(await store.count('counter')).toBe(1);
    await store.close();
  });
});

const canStart = REDIS_BINARY !== undefined;

describe.skipIf(!canStart)(canStart ? 'a Redis server that goes away' : `Redis outages: skipped, ${NO_REDIS}`, () => {
  it('is refused while it is away and used again when it is back', async () => {
    await using server = await startRedisServer();
    await using test = openTold({ url: server.url });
    await test.store.insert('token', 'key', {}, soon());

    await server.kill();
    expect(await test.told(1)).toMatch(/^Redis at '127\.0\.0\.1:\d+' cannot be reached \(/);
    await Promise.all(everyCommand(test.store).map((work) => expect(work()).rejects.toThrow(StoreError)));

    await server.start();
    expect(await test.told(2)).toMatch(/^Redis at '127\.0\.0\.1:\d+' is back\.$/);
    expect(await test.store.insert('token', 'key', { after: true }, soon())).toBe(true);
    expect((await test.store.get('token', 'key'))?.value).toEqual({ after: true });
  });

  it('need not be there when the store is opened', async () => {
    await using server = await startRedisServer();
    await server.kill();
    await using test = openTold({ url: server.url });
    await expect(test.store.get('token', 'key')).rejects.toThrow(StoreError);
    expect(await test.told(1)).toContain('cannot be reached (ECONNREFUSED)');
    await server.start();
    await test.told(2);
    expect(await test.store.increment('counter', 1, soon())).toEqual({ value: 1, added: true });
  });

  it('is given up for a new connection when it takes commands and says nothing', async () => {
    await using server = await startRedisServer();
    await using test = openTold({ url: server.url, deadlineMs: 100 });
    await test.store.increment('counter', 1, soon());
    server.suspend();
    await expect(test.store.count('counter')).rejects.toThrow(/did not answer in time/);
    expect(await test.told(1)).toContain('cannot be reached');
    server.resume();
    await test.told(2);
    expect(await test.store.count('counter')).toBe(1);
  });

  it('sends nothing late of what was refused', async () => {
    await using server = await startRedisServer();
    await server.kill();
    await using test = openTold({ url: server.url });
    await expect(test.store.increment('counter', 1, soon())).rejects.toThrow(StoreError);
    await server.start();
    await test.told(2);
    expect(await test.store.count('counter')).toBe(0);
  });

  it('that wants another password is named without it', async () => {
    await using server = await startRedisServer('right');
    const url = server.url.replace('//', '//:wr0ng-secret@');
    await using test = openTold({ url });
    const fault = await test.store.get('token', 'key').catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(StoreError);
    const message = await test.told(1);
    expect(message).toContain('(WRONGPASS)');
    for (const text of [message, String(fault), test.store.description]) expect(text).not.toContain('wr0ng-secret');
  });

  it('takes the password of the URL', async () => {
    await using server = await startRedisServer('right');
    await using test = openTold({ url: server.url.replace('//', '//:right@') });
    expect(await test.store.insert('token', 'key', {}, soon())).toBe(true);
  });
});

describe('a server that is no Redis', () => {
  it('is refused in time though it says nothing', async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => mute.once('listening', resolve));
    const { port } = mute.address() as { port: number };
    await using test = openTold({ url: `redis://127.0.0.1:${port}`, deadlineMs: 50 });
    await expect(test.store.get('token', 'key')).rejects.toThrow(/did not answer in time/);
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});

/** A store whose reports can be waited for. */
function openTold(options: { readonly url: string; readonly deadlineMs?: number }) {
  const messages: string[] = [];
  let wake = () => {};
  const onProblem = (message: string) => {
    messages.push(message);
    wake();
  };
  const { url, ...rest } = options;
  const store: StateStore = new RedisStore(url, 'test', { now: Date.now, onProblem, ...rest });
  return {
    store,
    /** The report of that number, from 1, as soon as there is one. */
    async told(number: number): Promise<string> {
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
    () => store.increment('counter', 1, soon()),
    () => store.count('counter'),
    () => store.purge(),
  ];
}
