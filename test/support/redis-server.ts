import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A server for one test, which may kill it. It writes nothing to disk. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
  /** Kills it without a shutdown. */
  kill(): Promise<void>;
  /** Makes it accept connections and commands but answer nothing until `resume`. */
  suspend(): void;
  resume(): void;
}

const BINARIES = ['redis-server', 'valkey-server'] as const;

/** The server program on this machine, if there is one. */
export const REDIS_BINARY = BINARIES.flatMap((name) =>
  (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name)),
).find(isExecutable);

/** A server from the environment; it may be shared, so tests use their own prefix and never stop it. */
export const OFFERED_REDIS_URL = process.env['MCP_AQL_TEST_REDIS_URL'];

/** Why tests that need a server are skipped; for their titles. */
export const NO_REDIS = 'needs redis-server or valkey-server on the PATH, or MCP_AQL_TEST_REDIS_URL';

/** @param password the server's password; none by default */
export async function startRedisServer(password?: string): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await findFreePort();
  const secret = password === undefined ? [] : ['--requirepass', password];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'no'];
  let server: ChildProcess | undefined;
  const start = async () => {
    server = await spawnRedis([...args, ...secret]);
  };
  const kill = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    suspend: () => server?.kill('SIGSTOP'),
    resume: () => server?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A server says the first, a sentinel the second. */
const READY = /Ready to accept connections|Sentinel ID is/;

/** Starts the program with these arguments and resolves when it accepts connections. */
export async function spawnRedis(args: readonly string[]): Promise<ChildProcess> {
  if (REDIS_BINARY === undefined) throw new Error(NO_REDIS);
  const server = spawn(REDIS_BINARY, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const said: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    if (READY.test(line)) {
      server.stdout.resume();
      return server;
    }
    said.push(line);
  }
  throw new Error(`'${REDIS_BINARY}' ended before it was ready:\n${said.join('\n')}`);
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
