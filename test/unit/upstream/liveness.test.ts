import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UpstreamConfig } from '../../../src/config/gateway-config.js';
import { Liveness, type PingMemory } from '../../../src/upstream/liveness.js';
import { UpstreamFault } from '../../../src/upstream/transport/fault.js';
import { createBehaviours } from '../../fixtures/servers/behaviours.mjs';
import { serveLegacyHttp, serveModernHttp, serveSse } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, node, type OpenedPool, openPool, said, textOf } from './opened-pool.js';

/**
 * A server with one thread that says on stderr what it gets. `deafen` is the last thing that it answers; `slow` ends with the second ping that
 * comes meanwhile; `slow_deaf` too, but deafens the first process that has it; `busy` loops without listening.
 */
const SERVER = `
const { existsSync, writeFileSync } = require('node:fs');
const ignoresPings = process.argv.includes('--no-pings');
const mark = process.argv.at(-1);
let deaf = false;
const slow = [];
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const say = (id, text) => send(id, { content: [{ type: 'text', text }] });
const tools = ['deafen', 'pid', 'slow', 'slow_deaf', 'busy'].map((name) => ({ name, inputSchema: { type: 'object' } }));
let calls = 0;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const name = params?.name ?? method;
  console.error((deaf ? 'deaf: ' : 'got: ') + name);
  if (deaf) return;
  if (method === 'initialize') return send(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  if (method === 'tools/list') return send(id, { tools });
  if (method === 'server/discover') return console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
  if (method === 'ping') {
    if (ignoresPings) return;
    send(id, {});
    for (const call of slow) {
      call.left -= 1;
      if (call.left === 0) say(call.id, String(process.pid));
    }
    return;
  }
  if (method !== 'tools/call') return;
  if (name === 'pid') return say(id, String(process.pid));
  if (name === 'deafen') {
    deaf = true;
    return say(id, String(process.pid));
  }
  if (name === 'busy') {
    const until = Date.now() + 2_000;
    while (Date.now() < until);
    return say(id, 'done');
  }
  calls += 1;
  if (name === 'slow_deaf' && calls > 1) {
    deaf = true;
    return;
  }
  slow.push({ id, left: 2 });
});`;

function server(limits: Partial<UpstreamConfig> = {}, ...flags: readonly string[]): UpstreamConfig {
  return anUpstream(node('-e', SERVER, '--', ...flags), { connectTimeoutMs: 1_500, ...limits });
}

/** What the clock of this process is ahead of the true one. */
let ahead = 0;

beforeEach(() => {
  ahead = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function lines(opened: OpenedPool, line: string): number {
  return opened.observations.filter(said(line)).length;
}

describe('a connection that was silent for half a minute', () => {
  it('is proven by one ping for all calls that come then, and lives on', async () => {
    await using opened = openPool(server());
    const pid = textOf(await opened.call('pid'));
    ahead += 31_000;
    const answers = await Promise.all([opened.call('pid'), opened.call('pid'), opened.call('pid')]);
    expect(answers.map(textOf)).toEqual([pid, pid, pid]);
    expect(lines(opened, 'got: ping')).toBe(1);
  });

  it('is not pinged where the configuration says so, or where something was heard lately', async () => {
    await using opened = openPool(server({ pings: { afterIdleMs: 0, duringCallMs: 0 } }));
    await opened.call('pid');
    ahead += 29_000;
    await opened.call('pid');
    ahead += 60_000;
    await opened.call('pid');
    expect(lines(opened, 'got: ping')).toBe(0);
  });

  it.each(['shared', 'session'] as const)(
    'is replaced where it is deaf, and no call is sent into the void (%s)',
    async (isolation) => {
      await using opened = openPool(server({ isolation }));
      const pid = textOf(await opened.call('deafen'));
      ahead += 31_000;
      expect(textOf(await opened.call('pid'))).not.toBe(pid);
      expect(lines(opened, 'deaf: ping')).toBe(1);
      expect(lines(opened, 'deaf: pid')).toBe(0);
    },
  );

  it('is taken as it is where its server answers no pings, as it has shown while it was well', async () => {
    await using opened = openPool(
      server({ connectTimeoutMs: 600, pings: { afterIdleMs: 400, duringCallMs: 0 } }, '--no-pings'),
    );
    const pid = textOf(await opened.call('pid'));
    await opened.observed(said('got: notifications/cancelled'));
    ahead += 31_000;
    expect(textOf(await opened.call('pid'))).toBe(pid);
    expect(lines(opened, 'got: ping')).toBe(1);
  });
});

/** Passes connections on to a server, until it is told to swallow what comes on those that are open. */
async function swallowing(url: string): Promise<AsyncDisposable & { readonly url: string; swallow(): void }> {
  const target = new URL(url);
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  const swallowed = new WeakSet<Socket>();
  const front = createServer((socket) => {
    const behind = connect(port, target.hostname).on('error', () => socket.destroy());
    sockets.add(socket.on('error', () => undefined));
    sockets.add(behind);
    socket.on('data', (chunk) => void (swallowed.has(socket) || behind.write(chunk)));
    behind.on('data', (chunk) => void (swallowed.has(socket) || socket.write(chunk)));
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  target.port = String((front.address() as AddressInfo).port);
  return {
    url: target.href,
    swallow: () => {
      for (const socket of sockets) swallowed.add(socket);
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        front.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

describe('a connection over the network that nobody hears any more', () => {
  it.each([
    ['legacy http', 'http', serveLegacyHttp],
    ['modern http', 'http', serveModernHttp],
    ['sse', 'sse', serveSse],
  ] as const)('is replaced before the first call after a pause (%s)', async (_kind, type, serve) => {
    const served = await serve(createBehaviours({ say: () => undefined }));
    await using front = await swallowing(served.url);
    await using opened = openPool(anUpstream({ type, url: front.url, headers: {} }, { connectTimeoutMs: 1_500 }));
    expect(textOf(await opened.call('counter'))).toBe('1');
    front.swallow();
    ahead += 31_000;
    // It only writes, and is sent once.
    expect(textOf(await opened.call('counter'))).toBe('2');
    await opened.pool.close();
    await served.close();
  });
});

const QUICK = { pings: { afterIdleMs: 0, duringCallMs: 300 }, timeoutMs: 25_000 };

describe('a call that hears nothing', () => {
  it('is sent again at once where its server is deaf, if it only reads; its neighbours do not wait either', async () => {
    await using opened = openPool(server(QUICK));
    const first = textOf(await opened.call('slow_deaf'));
    const read = opened.call('slow_deaf', {}, { retryable: true });
    const write = opened.call('slow_deaf');
    const told = expect(write).rejects.toMatchObject({ details: { reason: 'connection_lost', outcome: 'unknown' } });
    await told;
    expect(textOf(await read)).not.toBe(first);
    expect(opened.pool.statuses()[0]?.restarts).toBe(1);
  });

  it('goes on where its server answers pings', async () => {
    await using opened = openPool(server(QUICK));
    const pid = textOf(await opened.call('pid'));
    expect(textOf(await opened.call('slow'))).toBe(pid);
    expect(lines(opened, 'got: ping')).toBe(2);
  });

  it('goes on where its server is busy, though it has never heard a ping during such a call', async () => {
    await using opened = openPool(server({ ...QUICK, connectTimeoutMs: 600 }));
    const pid = textOf(await opened.call('pid'));
    await opened.call('slow');
    expect(textOf(await opened.call('busy'))).toBe('done');
    expect(textOf(await opened.call('pid'))).toBe(pid);
    expect(opened.pool.statuses()[0]?.restarts).toBe(0);
  });
});

it('learns anew of a server that was deaf whether it answers pings', async () => {
  vi.useFakeTimers();
  const memory: PingMemory = { during: new Set() };
  const deaf: unknown[] = [];
  const liveness = new Liveness({
    bounds: { afterIdleMs: 1_000, duringCallMs: 0 },
    connectTimeoutMs: 100,
    memory,
    ping: () => Promise.reject(new UpstreamFault('timeout', 'no answer')),
    activity: () => 0,
    inFlight: () => [],
    hasPerRequestStream: true,
    isLost: () => false,
    onDeaf: (fault) => deaf.push(fault),
  });
  await vi.advanceTimersByTimeAsync(500);
  expect(memory.answers).toBe(false);
  await liveness.proveAfterTimeout();
  expect(deaf.length).toBe(1);
  expect(memory.answers).toBeUndefined();
  liveness.end();
  vi.useRealTimers();
});
