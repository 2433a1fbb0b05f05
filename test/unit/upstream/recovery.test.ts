import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OperationError } from '../../../src/base/protocol/operation-error.js';
import type { UpstreamEndpoint } from '../../../src/config/gateway-config.js';
import { createBehaviours } from '../../fixtures/servers/behaviours.mjs';
import { type ServedHttp, serveLegacyHttp, serveModernHttp, serveSse } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, behaviourServer, entered, isAlive, node, openPool, SERVERS, said, textOf } from './opened-pool.js';

const LOST = { upstream: 'one', reason: 'connection_lost', retryable: false, outcome: 'unknown' };

describe('a stdio server that dies', () => {
  it('is started again; what only reads is sent again and the rest is told', async () => {
    await using opened = openPool(anUpstream(behaviourServer()));
    const pid = Number(textOf(await opened.call('pid')));
    const read = opened.call('hold', { key: 'read' }, { retryable: true });
    const write = opened.call('hold', { key: 'write' });
    const told = expect(write).rejects.toMatchObject({ code: 'INTERNAL_ERROR', details: LOST });
    await opened.observed(said('holding write'));

    process.kill(pid, 'SIGKILL');
    await told;
    await opened.until(() => opened.observations.filter(said('holding read')).length === 2);
    await opened.call('release', { key: 'read' });
    expect(textOf(await read)).toBe('released read');

    expect(textOf(await opened.call('pid'))).not.toBe(String(pid));
    expect(opened.observations.filter(said('holding write'))).toHaveLength(1);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 1 });
    expect(opened.lists.get('one')).toHaveLength(2);
  });

  it('has its last answer heard', async () => {
    await using opened = openPool(anUpstream(behaviourServer()));
    expect(textOf(await opened.call('farewell'))).toBe('goodbye');
    await opened.observed(
      (seen) => seen.kind === 'upstream-state' && seen.message.startsWith('connection lost: exited with code 3'),
    );
    expect(textOf(await opened.call('counter'))).toBe('1');
  });

  it('sends a call only after what it waits for', async () => {
    await using opened = openPool(anUpstream(behaviourServer()));
    let checks = 0;
    const beforeSend = async (): Promise<void> => {
      checks += 1;
    };
    expect(textOf(await opened.call('counter', {}, { beforeSend }))).toBe('1');
    expect(checks).toBe(1);
    const changed = new OperationError('NOT_FOUND_OPERATION', 'it has changed', {
      operation: 'counter',
      available: [],
    });
    const refused = opened.call('counter', {}, { beforeSend: () => Promise.reject(changed) });
    await expect(refused).rejects.toBe(changed);
    expect(textOf(await opened.call('counter'))).toBe('2');
  });

  it('sends a call that ends its server once more, and not again', async () => {
    await using opened = openPool(anUpstream(behaviourServer()));
    await expect(opened.call('crash', {}, { retryable: true })).rejects.toMatchObject({
      details: { ...LOST, retryable: true },
    });
    expect(textOf(await opened.call('counter'))).toBe('1');
    expect(opened.pool.statuses()[0]).toMatchObject({ restarts: 2 });
  });

  it('is back as soon as it can be started', async () => {
    const lock = path.join(tmpdir(), `upstream-lock-${process.pid}`);
    await writeFile(lock, '');
    await using opened = openPool(anUpstream(behaviourServer('--exit-while', lock)));
    await opened.settled;
    const [status] = opened.pool.statuses();
    expect(status).toMatchObject({ state: 'waiting', problem: 'exited with code 7; its last words: not yet' });
    const waiting = opened.call('counter');
    await rm(lock);
    expect(textOf(await waiting)).toBe('1');
    const [ready] = opened.pool.statuses();
    expect(ready?.state).toBe('ready');
    // Starts that failed count, too: a server that never comes up is seen by the figure.
    expect(ready?.restarts).toBeGreaterThan(0);
  });

  it('is given up after as many starts as it may take, and is started again when an operator asks', async () => {
    const lock = path.join(tmpdir(), `upstream-given-up-${process.pid}`);
    await writeFile(lock, '');
    const restarts = { max: 2, windowSeconds: 600 };
    await using opened = openPool(anUpstream(behaviourServer('--exit-while', lock), { restarts, required: true }));
    await opened.observed(entered('failed'));
    expect(opened.pool.statuses()[0]).toMatchObject({
      state: 'failed',
      required: true,
      problem: 'exited with code 7; its last words: not yet (given up after 2 restarts within 10 minutes)',
      stderr: ['not yet'],
    });
    await expect(opened.call('counter')).rejects.toMatchObject({
      details: { reason: 'unavailable', retryable: false, outcome: 'not_run' },
    });
    expect(opened.pool.upstreams.get('one')?.absence(undefined)).toEqual({ stopped: 'failed', retryAfterMs: 0 });
    await rm(lock);
    expect(opened.pool.restart('Server One')).toBe(true);
    await opened.observed(entered('ready'));
    expect(textOf(await opened.call('counter'))).toBe('1');
    opened.pool.restart('one');
    await opened.until(() => opened.observations.filter(entered('ready')).length === 2);
    expect(textOf(await opened.call('counter'))).toBe('1');
    expect(opened.pool.restart('nobody')).toBe(false);
  });
});

describe('a child that is slow to start', () => {
  it('gets twice the time after each start that took too long, so that it comes up', async () => {
    const begins = `const again = setInterval(() => {}, 1000); setTimeout(() => {
      clearInterval(again);
      process.argv.length = 1;
      import('file://${SERVERS}behaviour-server.mjs');
    }, 2_000)`;
    const limits = { connectTimeoutMs: 400, timeoutMs: 60_000 };
    await using opened = openPool(anUpstream(node('--input-type=module', '-e', begins), limits));
    await opened.observed(entered('ready'));
    const problems = opened.observations.flatMap((seen) =>
      seen.kind === 'upstream-state' && seen.state === 'waiting' ? [seen.message] : [],
    );
    expect(problems[0]).toContain("within 0.4 s ('connectTimeoutMs')");
    expect(problems.some((problem) => problem.includes("within 1.6 s ('connectTimeoutMs')"))).toBe(true);
  });
});

describe('a child that may have to be installed first', () => {
  it('is not ended while it may be, and nobody waits for it longer than for others', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'installer-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [installer, installed] = [path.join(folder, 'npx'), path.join(folder, 'installed')];
    const waits = `until [ -e '${installed}' ]; do sleep 0.1; done`;
    await writeFile(installer, `#!/bin/sh\n${waits}\nexec '${process.execPath}' '${SERVERS}behaviour-server.mjs'\n`);
    await chmod(installer, 0o755);
    const limits = { connectTimeoutMs: 1_500, timeoutMs: 60_000 };
    await using opened = openPool(anUpstream({ ...node('slow-server'), command: installer }, limits));
    await opened.settled;
    expect(opened.pool.statuses()).toMatchObject([
      { state: 'starting', problem: expect.stringContaining('may be installing it') },
    ]);
    await writeFile(installed, '');
    await opened.observed(entered('ready'));
    expect(opened.observations.filter(entered('waiting'))).toEqual([]);
    expect(opened.pool.statuses()[0]?.problem).toBeUndefined();
  });
});

/** Accepts connections of a server that it says nothing to, as often as told; later ones are passed on. */
async function silentAtFirst(url: string, times: number): Promise<AsyncDisposable & { readonly url: string }> {
  const target = new URL(url);
  const port = Number(target.port);
  let left = times;
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    left -= 1;
    if (left >= 0) return;
    const behind = connect(port, target.hostname).on('error', () => socket.destroy());
    sockets.add(behind);
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  target.port = String((front.address() as AddressInfo).port);
  return {
    url: target.href,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        front.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

describe('a server that accepts a connection and says nothing', () => {
  it.each([
    ['http', serveLegacyHttp],
    ['sse', serveSse],
    ['modern http', serveModernHttp],
  ] as const)('is tried again, and found when it is well (%s)', async (kind, serve) => {
    const served = await serve(createBehaviours({ say: () => undefined }));
    await using front = await silentAtFirst(served.url, 1);
    const endpoint = { type: kind === 'sse' ? 'sse' : 'http', url: front.url, headers: {} } as const;
    await using opened = openPool(anUpstream(endpoint, { connectTimeoutMs: 600 }));
    await opened.observed(entered('waiting'));
    await opened.observed(entered('ready'));
    expect(textOf(await opened.call('counter'))).toBe('1');
    await opened.pool.close();
    await served.close();
  });

  it.each(['http', 'sse'] as const)('does not hold the end of the gateway (%s)', async (type) => {
    const served = await serveSse(createBehaviours({ say: () => undefined }));
    await using front = await silentAtFirst(served.url, 1_000);
    await using opened = openPool(anUpstream({ type, url: front.url, headers: {} }, { connectTimeoutMs: 600_000 }));
    await opened.pool.close();
    expect(opened.pool.statuses()[0]?.state).toBe('closed');
    await served.close();
  });
});

describe('a write that has run', () => {
  it('is never told as not run, though its server is gone when it is sent again', async () => {
    let runs = 0;
    const behaviours = createBehaviours({ say: () => undefined });
    const served = await serveLegacyHttp(behaviours);
    const target = new URL(served.url);
    const port = Number(target.port);
    // Passes everything on until the call, which it lets run and then cuts, with all that comes later.
    let isGone = false;
    const sockets = new Set<Socket>();
    const front = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      if (isGone) return socket.destroy();
      const behind = connect(port, target.hostname).on('error', () => socket.destroy());
      sockets.add(behind);
      socket.on('data', (chunk) => {
        isGone ||= String(chunk).includes('"name":"counter"');
        behind.write(chunk);
      });
      behind.on('data', (chunk) => {
        if (!isGone) {
          socket.write(chunk);
          return;
        }
        runs += 1;
        front.close();
        for (const each of sockets) each.destroy();
      });
      return undefined;
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    target.port = String((front.address() as AddressInfo).port);
    await using opened = openPool(anUpstream({ type: 'http', url: target.href, headers: {} }));
    await opened.settled;
    await expect(opened.call('counter', {}, { retryable: true })).rejects.toMatchObject({
      details: { outcome: 'unknown', retryable: true },
    });
    expect(runs).toBeGreaterThan(0);
    await opened.pool.close();
    await served.close();
  });
});

describe('a stdio server that hangs', () => {
  it('is killed and started again, and calls do not wait for it', async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { connectTimeoutMs: 5_000 }));
    const pid = Number(textOf(await opened.call('pid')));
    process.kill(pid, 'SIGSTOP');
    const other = opened.call('echo', {}, { timeoutMs: 60_000 });
    const lost = expect(other).rejects.toMatchObject({ details: LOST });
    await expect(opened.call('echo', {}, { timeoutMs: 50 })).rejects.toMatchObject({ details: { reason: 'timeout' } });
    await opened.observed(entered('waiting'));
    await lost;
    expect(textOf(await opened.call('pid'))).not.toBe(String(pid));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('lives on where it is slow with one call and answers others', async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { connectTimeoutMs: 2_500 }));
    const pid = textOf(await opened.call('pid'));
    const slow = opened.call('hold', { key: 'slow' }, { timeoutMs: 50 });
    await expect(slow).rejects.toMatchObject({ details: { reason: 'timeout' } });
    expect(textOf(await opened.call('slow', { ms: 3_000 }))).toBe('at last');
    expect(textOf(await opened.call('pid'))).toBe(pid);
  });
});

describe('an answer that is too long', () => {
  it.each(['stdio', 'sse'])('over %s fails its call alone: the server and its other calls go on', async (transport) => {
    const { url, close } = await serveSse(createBehaviours());
    onTestFinished(close);
    const endpoint = transport === 'sse' ? ({ type: 'sse', url, headers: {} } as const) : behaviourServer();
    await using opened = openPool(anUpstream(endpoint, { maxAnswerBytes: 100_000 }));
    const pid = textOf(await opened.call('pid'));
    const held = opened.call('hold', { key: 'other' });
    await expect(opened.call('big', { bytes: 5_000_000 })).rejects.toMatchObject({
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      details: { limit_type: 'upstream_answer_size', limit_value: 100_000 },
    });
    await opened.call('release', { key: 'other' });
    expect(textOf(await held)).toBe('released other');
    expect(textOf(await opened.call('pid'))).toBe(pid);
  });
});

const ANSWERS_OTHERS = `
  const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
    else if (method === 'tools/list') answer(id, { tools: [{ name: 't', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') {
      for (const other of [id + 1000, 'nobody', -1, null, 0.5, {}]) answer(other, { content: [{ type: 'text', text: 'wrong' }] });
      answer(id, { content: [{ type: 'text', text: 'right' }] });
    } else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
  });`;

it('drops answers to requests that were never sent, says how many, and goes on', async () => {
  await using opened = openPool(anUpstream(node('-e', ANSWERS_OTHERS)));
  expect(textOf(await opened.call('t'))).toBe('right');
  const notices = opened.observations.filter(
    (seen) => seen.kind === 'notice' && seen.message.includes('requests that were never sent'),
  );
  expect(notices).toMatchObject([{ level: 'warn', message: expect.stringContaining('1 so far') }]);
  expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
});

describe('a call that shows progress', () => {
  it('ends at the absolute maximum, however much progress it shows', async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { maxCallMs: 2_000 }));
    // The clock of a call includes the start of its server.
    await opened.call('counter');
    const endless = opened.call('progress', { steps: 100_000, every_ms: 1 }, { timeoutMs: 1_500 });
    await expect(endless).rejects.toMatchObject({
      message: expect.stringContaining('2 s'),
      details: { reason: 'timeout', outcome: 'unknown' },
    });
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('is not relayed faster than a reader could follow', async () => {
    await using opened = openPool(anUpstream(behaviourServer()));
    let relayed = 0;
    const call = opened.call(
      'progress',
      { steps: 2_000, every_ms: 0 },
      {
        onProgress: () => {
          relayed += 1;
        },
      },
    );
    expect(textOf(await call)).toBe('done');
    expect(relayed).toBeGreaterThanOrEqual(20);
    expect(relayed).toBeLessThan(1_000);
  });
});

interface HttpFlavour {
  readonly name: string;
  readonly type: 'http' | 'sse';
  readonly serve: (port: number) => Promise<ServedHttp>;
}

const HTTP: readonly HttpFlavour[] = [
  { name: 'legacy http', type: 'http', serve: (port) => serveLegacyHttp(createBehaviours(), { port }) },
  { name: 'modern http', type: 'http', serve: (port) => serveModernHttp(createBehaviours(), { port }) },
  { name: 'sse', type: 'sse', serve: (port) => serveSse(createBehaviours(), { port }) },
];

describe.each(HTTP)('a $name server that is restarted', ({ type, serve }) => {
  it('is found again; what only reads is sent again and the rest is told', async () => {
    let server = await serve(0);
    const endpoint: UpstreamEndpoint = { type, url: server.url, headers: {} };
    await using opened = openPool(anUpstream(endpoint));
    await opened.settled;
    const read = opened.call('slow', { ms: 300 }, { retryable: true });
    const write = opened.call('slow', { ms: 60_000 });
    const told = expect(write).rejects.toMatchObject({ details: LOST });
    await opened.call('echo');

    await server.close();
    await told;
    await opened.observed(entered('waiting'));
    server = await serve(server.port);
    expect(textOf(await read)).toBe('at last');
    const [found] = opened.pool.statuses();
    expect(found?.state).toBe('ready');
    expect(found?.restarts).toBeGreaterThan(0);
    // A server of the older era is not probed again; a modern one is asked anew what it offers.
    const methods = server.requests.map(({ headers }) => headers['mcp-method']);
    expect(methods.includes('server/discover')).toBe(opened.pool.statuses()[0]?.era === 'modern');
    await opened.pool.close();
    await server.close();
  });
});

describe('a legacy http server', () => {
  it('that forgot the session gets a new one, and no call is lost', async () => {
    const server = await serveLegacyHttp(createBehaviours());
    await using opened = openPool(anUpstream({ type: 'http', url: server.url, headers: {} }));
    expect(textOf(await opened.call('counter'))).toBe('1');
    const [before] = server.sessions.keys();
    server.forgetSessions();
    const answers = await Promise.all([opened.call('counter'), opened.call('counter'), opened.call('echo')]);
    expect(answers.slice(0, 2).map(textOf).sort()).toEqual(['2', '3']);
    const [after] = server.sessions.keys();
    expect(after).not.toBe(before);
    await opened.pool.close();
    expect(
      server.requests.filter(({ method }) => method === 'DELETE').map(({ headers }) => headers['mcp-session-id']),
    ).toEqual([after]);
    await server.close();
  });
});

describe('a server that is away', () => {
  it('lets calls fail at once after a while, and says when to come back', async () => {
    const server = await serveModernHttp(createBehaviours());
    await server.close();
    await using opened = openPool(anUpstream({ type: 'http', url: server.url, headers: {} }));
    await opened.settled;
    expect(opened.pool.statuses()[0]).toMatchObject({
      state: 'waiting',
      problem: `connection refused at ${server.url}`,
    });
    const refused = opened.call('echo', {}, { timeoutMs: 50 });
    await expect(refused).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { upstream: 'one', reason: 'unavailable', retryable: true, retry_after_ms: expect.any(Number) },
    });
  });

  it('lets waiting calls go when the pool is closed', async () => {
    const opened = openPool(anUpstream(behaviourServer('--hang', 'initialize')));
    const refused = expect(opened.call('echo')).rejects.toMatchObject({ details: { reason: 'unavailable' } });
    await opened.pool.close();
    await refused;
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'closed' });
  });
});
