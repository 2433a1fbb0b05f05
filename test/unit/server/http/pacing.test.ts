import { EventEmitter } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Turns } from '../../../../src/base/turns/turns.js';
import { PacedConnections, paceRequests } from '../../../../src/server/http/front.js';

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

const REQUEST = 'GET / HTTP/1.1\r\nhost: test\r\n\r\n';

/** A server that answers at once, and a connection to it. */
async function openServer() {
  const served: string[] = [];
  const answer: RequestListener = (request, response) => {
    served.push(request.url ?? '');
    response.end('x');
  };
  const server = createServer(paceRequests(answer, { hold: () => undefined }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  return {
    served,
    client,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answersIn(client: Socket): () => number {
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  return () => text.split('HTTP/1.1 200').length - 1;
}

it('a hundred requests that one connection brings before it reads are answered in their order, again and again', async () => {
  await using open = await openServer();
  const { client, served } = open;
  const answers = answersIn(client);
  const urls = Array.from({ length: 300 }, (_, index) => `/${index}`);
  for (const part of [urls.slice(0, 100), urls.slice(100, 200), urls.slice(200)]) {
    const before = served.length;
    client.write(part.map((url) => REQUEST.replace('/', url)).join(''));
    while (answers() < before + part.length) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(served).toEqual(urls);
});

it('a connection that brings more is closed', async () => {
  await using open = await openServer();
  open.client.on('error', () => undefined).resume();
  const closed = new Promise((resolve) => open.client.once('close', resolve));
  open.client.write(REQUEST.repeat(1_100));
  await closed;
  expect(open.served).toHaveLength(100);
});
