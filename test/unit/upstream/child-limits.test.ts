import { expect, it } from 'vitest';
import { sumOf } from '../../../src/upstream/transport/memory-watch.js';
import { anUpstream, behaviourServer, openPool, textOf } from './opened-pool.js';

const IS_ROOT = process.getuid?.() === 0;

it('counts the processes of a group, and what they have started in others', () => {
  const facts = [
    { pid: 10, parent: 1, group: 10, bytes: 1 },
    { pid: 11, parent: 10, group: 10, bytes: 2 },
    { pid: 12, parent: 11, group: 12, bytes: 4 },
    { pid: 13, parent: 12, group: 13, bytes: 8 },
    { pid: 14, parent: 1, group: 14, bytes: 16 },
  ];
  expect(sumOf(facts, 10)).toBe(15);
});

it('counts what a server has started and left to the system, which has a session and a parent of its own', () => {
  const facts = [
    { pid: 10, parent: 5, group: 10, bytes: 1, mark: 'gateway-1;' },
    { pid: 13, parent: 1, group: 13, bytes: 8, mark: 'gateway-1;' },
    { pid: 14, parent: 1, group: 14, bytes: 16, mark: 'gateway-11;' },
    { pid: 15, parent: 1, group: 15, bytes: 32, mark: undefined },
  ];
  expect([sumOf(facts, 10), sumOf(facts, 15)]).toEqual([9, 32]);
});

it.skipIf(process.platform !== 'linux')('ends a server whose daemon uses more memory than it may', async () => {
  const { command, args } = behaviourServer();
  const daemon = `setsid '${command}' -e 'const held = Buffer.alloc(300 * 1_048_576, 1); setInterval(() => held, 1_000)' &`;
  const script = `(${daemon}); exec "$0" "$@"`;
  const endpoint = { ...behaviourServer(), command: '/bin/sh', args: ['-c', script, command, ...args] };
  await using opened = openPool(anUpstream({ ...endpoint, limits: { memoryMb: 250 } }));
  const isOutgrown = (): boolean =>
    opened.observations.some((each) => each.kind === 'upstream-state' && each.message.includes('may use 250 MiB'));
  await expect.poll(isOutgrown).toBe(true);
});

it.skipIf(process.platform === 'win32')(
  'starts a server again that uses more memory than it may: reads are sent again, other calls end with one clear answer',
  async () => {
    const endpoint = { ...behaviourServer(), limits: { memoryMb: 250 } };
    await using opened = openPool(anUpstream(endpoint));
    const pid = textOf(await opened.call('pid'));
    const write = opened.call('hold', { key: 'a' }, { timeoutMs: 60_000 });
    const refused = expect(write).rejects.toMatchObject({
      message: expect.stringContaining('used more memory than it may and is started again'),
      details: { reason: 'memory_limit', retryable: false, outcome: 'unknown' },
    });
    await opened.call('grow', { megabytes: 300 });
    await refused;
    const seen = opened.observations.find((each) => each.kind === 'upstream-state' && each.state === 'waiting');
    expect(seen).toMatchObject({ message: expect.stringMatching(/it used \d+ MiB of memory, and may use 250 MiB/) });
    expect(textOf(await opened.call('pid'))).not.toBe(pid);
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', restarts: 1 });
  },
);

it.skipIf(process.platform !== 'linux')(
  'runs a server as another user where the gateway is root, and says so otherwise',
  async () => {
    const command = {
      ...behaviourServer(),
      command: '/bin/sh',
      args: ['-c', 'id -u >&2; id -g >&2; exit 3'],
      cwd: '/',
    };
    await using opened = openPool(anUpstream({ ...command, limits: { user: 65_534, group: 65_533 } }));
    await opened.settled;
    const [status] = opened.pool.statuses();
    if (IS_ROOT) expect(status?.stderr?.slice(-2)).toEqual(['65534', '65533']);
    else expect(status?.problem).toContain('need a gateway that runs as root');
  },
);
