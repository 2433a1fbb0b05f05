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

interface RedisSentinelGroup extends RedisGroup {
  /** Resolves when the copies have what is written now: they get it later than the writer its answer. */
  copied(): Promise<void>;
  /** Kills the server that is written to without a shutdown; the sentinels promote the other. */
  killServer(): Promise<void>;
  /** Lets the sentinels promote the other server while both are well, and resolves when they have. */
  failOver(): Promise<void>;
}

interface SentinelPlan {
  readonly sentinels?: number;
  readonly copies?: number;
  /** A server with fewer copies than this refuses to write. */
  readonly copiesToWrite?: number;
}

/** A server, its copies, and sentinels that promote a copy when most of them find the server gone. The urls are those of the sentinels. */
export async function startRedisSentinel(plan: SentinelPlan = {}): Promise<RedisSentinelGroup> {
  const { sentinels = 1, copies = 1, copiesToWrite = 0 } = plan;
  const directory = await mkdtemp(join(tmpdir(), 'redis-sentinel-'));
  const safety = ['--min-replicas-to-write', `${copiesToWrite}`, '--repl-diskless-sync-delay', '0'];
  const common = ['--dir', directory, ...NOTHING_ON_DISK, ...safety];
  const startServer = async (...more: readonly string[]): Promise<Node> => {
    const port = await findFreePort();
    return { port, process: await spawnRedis(['--port', `${port}`, ...common, ...more]) };
  };
  const first = await startServer();
  const servers = [first];
  for (let at = 0; at < copies; at += 1) {
    const copy = await startServer('--replicaof', '127.0.0.1', `${first.port}`);
    await until(async () => `${await command(copy.port, 'INFO', 'replication')}`.includes('master_link_status:up'));
    servers.push(copy);
  }
  const watchers: Node[] = [];
  const most = Math.floor(sentinels / 2) + 1;
  for (let at = 0; at < sentinels; at += 1) watchers.push(await startWatcher(directory, first.port, most));
  for (const { port } of watchers) {
    const knows = async (verb: string) =>
      ((await command(port, 'SENTINEL', verb, 'main')) as readonly unknown[]).length;
    await until(async () => (await knows('replicas')) === copies && (await knows('sentinels')) === sentinels - 1);
  }
  const ask = (verb: string): Promise<unknown> => command(watchers[0]?.port ?? 0, 'SENTINEL', verb, 'main');
  const writtenTo = async (): Promise<Node> => {
    const [, port] = (await ask('get-master-addr-by-name')) as readonly string[];
    return servers.find((each) => each.port === Number(port)) ?? first;
  };
  const group = groupOf([...watchers, ...servers], directory);
  return {
    ...group,
    urls: group.urls.slice(0, sentinels),
    async copied() {
      const { port } = await writtenTo();
      const look = async (): Promise<string> => `${await command(port, 'INFO', 'replication')}`;
      const written = Number(/^master_repl_offset:(\d+)/m.exec(await look())?.[1]);
      await until(async () => {
        const offsets = Array.from((await look()).matchAll(/^slave\d+:.*state=online,offset=(\d+)/gm), ([, at]) =>
          Number(at),
        );
        return offsets.length > 0 && offsets.every((offset) => offset >= written);
      });
    },
    killServer: async () => kill((await writtenTo()).process),
    async failOver() {
      const { port } = await writtenTo();
      await ask('failover');
      // It ends its connections when it becomes a copy.
      await until(async () => `${await command(port, 'INFO', 'replication').catch(() => '')}`.includes('role:slave'));
    },
  };
}

async function startWatcher(directory: string, server: number, most: number): Promise<Node> {
  const port = await findFreePort();
  const file = join(directory, `sentinel-${port}.conf`);
  const watch = [
    `monitor main 127.0.0.1 ${server} ${most}`,
    'down-after-milliseconds main 300',
    'failover-timeout main 2000',
  ];
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${directory}`, ...watch.map((rule) => `sentinel ${rule}`)];
  await writeFile(file, `${lines.join('\n')}\n`);
  return { port, process: await spawnRedis([file, '--sentinel']) };
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
