import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { findFreePort, spawnRedis } from './redis-server.js';

/** The slots of a cluster: https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ */
const SLOTS = 16_384;

const NOTHING_ON_DISK = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];

interface Node {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Servers that belong together, for one test file. */
interface RedisGroup extends AsyncDisposable {
  readonly urls: readonly string[];
}

/** Three servers that share the slots of one cluster. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const directory = await mkdtemp(join(tmpdir(), 'redis-cluster-'));
  const nodes: Node[] = [];
  for (const name of ['a', 'b', 'c']) {
    const [port, bus] = [await findFreePort(), await findFreePort()];
    const files = ['--dir', directory, '--cluster-config-file', `${name}.conf`];
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', `${bus}`, '--cluster-node-timeout', '2000'];
    nodes.push({ port, process: await spawnRedis(['--port', `${port}`, ...NOTHING_ON_DISK, ...files, ...cluster]) });
    const [first] = nodes;
    const from = Math.ceil((SLOTS / 3) * (nodes.length - 1));
    await command(port, 'CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${Math.ceil((SLOTS / 3) * nodes.length) - 1}`);
    await command(port, 'CLUSTER', 'SET-CONFIG-EPOCH', `${nodes.length}`);
    if (first !== undefined && first.port !== port) {
      await command(first.port, 'CLUSTER', 'MEET', '127.0.0.1', `${port}`, `${bus}`);
    }
  }
  for (const { port } of nodes)
    await until(async () => `${await command(port, 'CLUSTER', 'INFO')}`.includes('_state:ok'));
  return groupOf(nodes, directory);
}

/** A server, its copy and a sentinel that promotes the copy when the server is gone. */
export async function startRedisSentinel(): Promise<RedisGroup & { killServer(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'redis-sentinel-'));
  const [server, copy, sentinel] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const common = ['--dir', directory, ...NOTHING_ON_DISK];
  const first = await spawnRedis(['--port', `${server}`, ...common]);
  const second = await spawnRedis([
    ...['--port', `${copy}`, ...common],
    ...['--replicaof', '127.0.0.1', `${server}`, '--repl-diskless-sync-delay', '0'],
  ]);
  await until(async () => `${await command(copy, 'INFO', 'replication')}`.includes('master_link_status:up'));
  const file = join(directory, 'sentinel.conf');
  const watch = [
    `monitor main 127.0.0.1 ${server} 1`,
    'down-after-milliseconds main 300',
    'failover-timeout main 2000',
  ];
  const lines = [`port ${sentinel}`, 'bind 127.0.0.1', `dir ${directory}`, ...watch.map((rule) => `sentinel ${rule}`)];
  await writeFile(file, `${lines.join('\n')}\n`);
  const watcher = await spawnRedis([file, '--sentinel']);
  await until(async () => JSON.stringify(await command(sentinel, 'SENTINEL', 'replicas', 'main')).includes(`${copy}`));
  const group = groupOf(
    [
      { port: sentinel, process: watcher },
      { port: server, process: first },
      { port: copy, process: second },
    ],
    directory,
  );
  return { ...group, urls: group.urls.slice(0, 1), killServer: () => kill(first) };
}

function groupOf(nodes: readonly Node[], directory: string): RedisGroup {
  return {
    urls: nodes.map(({ port }) => `redis://127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map(({ process }) => kill(process)));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'exit');
}

async function command(port: number, ...args: string[]): Promise<unknown> {
  const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: false } });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand(args);
  } finally {
    client.destroy();
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}
