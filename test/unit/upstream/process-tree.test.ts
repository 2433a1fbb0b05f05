import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StdioEndpoint } from '../../../src/config/gateway-config.js';
import { type BuiltSources, buildSources } from './built-sources.js';
import { anUpstream, isAlive, openPool, SERVERS, textOf } from './opened-pool.js';

const HOST = fileURLToPath(new URL('../../fixtures/hosts/pool-host.mjs', import.meta.url));

/** A shell that stays the server's parent, as npx does. */
const wrapped: StdioEndpoint = {
  type: 'stdio',
  command: 'sh',
  args: ['-c', `"${process.execPath}" behaviour-server.mjs; true`],
  env: {},
  cwd: SERVERS,
};

interface Tree {
  readonly server: number;
  readonly child: number;
  /** In a process group of its own; such processes are found on Linux. */
  readonly detached?: number;
}

const gone = ({ server, child, detached }: Tree): boolean =>
  [server, child, ...(process.platform === 'linux' && detached !== undefined ? [detached] : [])].every(
    (pid) => !isAlive(pid),
  );

describe.skipIf(process.platform === 'win32')('the processes behind a stdio upstream', () => {
  it('are gone when the pool is closed', async () => {
    const opened = openPool(anUpstream(wrapped));
    const server = Number(textOf(await opened.call('pid')));
    const child = Number(textOf(await opened.call('spawn_child')));
    expect(isAlive(child)).toBe(true);
    await opened.pool.close();
    expect([isAlive(server), isAlive(child)]).toEqual([false, false]);
  });

  it('are gone when the process that was started has crashed', async () => {
    await using opened = openPool(anUpstream(wrapped));
    const server = Number(textOf(await opened.call('pid')));
    const child = Number(textOf(await opened.call('spawn_child')));
    await opened.call('crash').catch(() => {});
    await expect.poll(() => gone({ server, child })).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('are gone too where they have left the process group', async () => {
    const opened = openPool(anUpstream(wrapped));
    const first = Number(textOf(await opened.call('spawn_detached')));
    await opened.call('crash').catch(() => {});
    await expect.poll(() => isAlive(first)).toBe(false);
    const second = Number(textOf(await opened.call('spawn_detached')));
    await opened.pool.close();
    // A process that was killed is there until the system has taken note.
    await expect.poll(() => isAlive(second)).toBe(false);
  });

  it('are forced when they do not end by themselves', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stderr.write('stubborn\\n');`;
    const endpoint: StdioEndpoint = { ...wrapped, command: process.execPath, args: ['-e', stubborn] };
    const opened = openPool(anUpstream(endpoint));
    await opened.observed(({ kind }) => kind === 'upstream-stderr');
    await opened.pool.close();
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'closed' });
  });
});

describe.skipIf(process.platform === 'win32')('the processes of a gateway', () => {
  let sources: BuiltSources;
  beforeAll(async () => {
    sources = await buildSources(['upstream', 'base', 'config']);
  });
  afterAll(() => sources[Symbol.asyncDispose]());

  const ENDINGS: Readonly<Record<string, (host: ChildProcessWithoutNullStreams) => unknown>> = {
    'closes the pool': (host) => host.stdin.write('close\n'),
    exits: (host) => host.stdin.write('exit\n'),
    'throws what nobody catches': (host) => host.stdin.write('throw\n'),
    'gets SIGTERM without a handler': (host) => host.kill('SIGTERM'),
    'is killed': (host) => host.kill('SIGKILL'),
  };

  it.each(Object.entries(ENDINGS))('are gone when it %s', async (_name, end) => {
    const host = spawn(process.execPath, [HOST, sources.fileOf('upstream/upstream-pool'), JSON.stringify(wrapped)]);
    const ended = new Promise((resolve) => host.once('exit', resolve));
    const tree = JSON.parse(await firstLine(host)) as Tree;
    expect(gone(tree)).toBe(false);
    end(host);
    await ended;
    await expect.poll(() => gone(tree)).toBe(true);
  });
});

function firstLine(host: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = '';
    host.stderr.on('data', (chunk) => {
      words += chunk;
    });
    host.once('exit', () => reject(new Error(`the host ended: ${words}`)));
    createInterface({ input: host.stdout }).once('line', resolve);
  });
}
