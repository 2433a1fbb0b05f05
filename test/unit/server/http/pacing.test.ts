import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { Turns } from '../../../../src/base/turns/turns.js';
import { PacedConnections } from '../../../../src/server/http/pacing.js';

class FakeConnection extends EventEmitter {
  destroyed = false;
  bytesRead = 1;
  isRead = true;

  pause(): this {
    this.isRead = false;
    return this;
  }

  resume(): this {
    this.isRead = true;
    return this;
  }

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** @param turnMs how long each turn takes */
function open(count: number, turnMs = 10) {
  const scheduled: (() => void)[] = [];
  let time = 0;
  const connections = new PacedConnections(
    new Turns({ schedule: (work) => scheduled.push(work), now: () => 0 }),
    () => time,
  );
  const add = (): FakeConnection => {
    const connection = new FakeConnection();
    connections.opened(connection as never);
    return connection;
  };
  const next = async (): Promise<void> => {
    time += turnMs;
    scheduled.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { connections, add, next, all: Array.from({ length: count }, add) };
}

const readOf = (all: readonly FakeConnection[]): number[] =>
  all.flatMap(({ isRead }, index) => (isRead ? [index] : []));

it('connections are read at once until a turn is long, and then one in each turn that is not short', async () => {
  const { connections, all, next } = open(5);
  expect(readOf(all)).toEqual([0, 1, 2, 3, 4]);
  connections.hold();
  expect(readOf(all)).toEqual([]);
  await next();
  expect(readOf(all)).toEqual([0]);
  await next();
  await next();
  expect(readOf(all)).toEqual([0, 1, 2]);
});

it('twice as many connections are read after each turn that was short', async () => {
  const { connections, all, next } = open(20, 1);
  connections.hold();
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await next();
    counts.push(readOf(all).length);
  }
  expect(counts).toEqual([1, 3, 7, 15]);
});

it('a flood of new connections keeps neither those that were read before nor the newest waiting', async () => {
  const { connections, all, add, next } = open(1);
  connections.hold();
  const flood = Array.from({ length: 100 }, add);
  await next();
  expect(readOf(all)).toEqual([0]);
  await next();
  expect(readOf(flood)).toEqual([99]);
  const late = add();
  connections.hold();
  await next();
  expect(readOf(all)).toEqual([0]);
  await next();
  expect(late.isRead).toBe(true);
  await next();
  await next();
  await next();
  expect(readOf(flood)).toEqual([0, 98, 99]);
});

it('a connection that has sent something before does not wait for a flood of those that have not', async () => {
  const { connections, all, add, next } = open(1);
  const flood = Array.from({ length: 100 }, () => Object.assign(add(), { bytesRead: 0 }));
  const readIn: (readonly number[])[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    connections.hold();
    await next();
    readIn.push(readOf([...all, ...flood]));
  }
  expect(readIn).toEqual([[0], [100], [0], [99]]);
});

it('a connection that is closed while it waits is not read again', async () => {
  const { connections, all, add, next } = open(1);
  connections.hold();
  const late = add();
  for (const connection of [...all, late]) connection.close();
  await next();
  expect(readOf([...all, late])).toEqual([]);
});

it('connections wait where the work that is noted makes a turn long, before the next of them is read', () => {
  const shared = new Turns({ schedule: () => undefined, now: () => 0 });
  const connections = new PacedConnections(shared, () => 0);
  const connection = new FakeConnection();
  connections.opened(connection as never);
  shared.spend(1_000_000);
  expect(connection.isRead).toBe(true);
  shared.spend(1_000_000);
  expect(connection.isRead).toBe(false);
});

it('connections that have ended do not follow the turns any more', () => {
  const shared = new Turns({ schedule: () => undefined, now: () => 0 });
  const connections = new PacedConnections(shared, () => 0);
  const connection = new FakeConnection();
  connections.opened(connection as never);
  connections.end();
  shared.spend(2_000_000);
  expect(connection.isRead).toBe(true);
});
