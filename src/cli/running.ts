import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Observer } from '../observe/observation.js';
import { isJsonObject } from '../protocol/json.js';
import { printWarning, type Terminal } from './terminal.js';

/** Where running gateways say which configuration they were started with: one file each, by process id. */
const FOLDER = 'running';

/** How often the files of the configuration are looked at. */
const POLL_MS = 5_000;

type Files = Pick<GatewayConfig, 'file' | 'upstreamsDir'>;

/** What one running gateway says of itself. */
interface RunningGateway {
  readonly pid: number;
  readonly digest: string;
  readonly address: string;
}

/**
 * Says in the data directory which configuration this process was started with, and logs when its files change: nothing is
 * reloaded, so a new rule is not in force before a restart.
 */
export async function announceRunning(
  config: GatewayConfig,
  address: string,
  observe: Observer,
): Promise<{ end(): void }> {
  const digest = await digestFiles(config);
  const folder = join(config.dataDir, FOLDER);
  const file = join(folder, `${process.pid}.json`);
  const entry: RunningGateway = { pid: process.pid, digest, address };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(entry), { mode: 0o600 });
  } catch {
    // A read-only data directory has been reported already; only other commands miss this file.
  }
  const watch = watchFiles(config, digest, observe);
  return {
    end() {
      clearInterval(watch);
      rmSync(file, { force: true });
    },
  };
}

function watchFiles(config: GatewayConfig, started: string, observe: Observer): NodeJS.Timeout {
  let [seen, told] = ['', started];
  const look = async (): Promise<void> => {
    const stamp = await stampFiles(config);
    if (stamp === seen) return;
    seen = stamp;
    const digest = await digestFiles(config);
    if (digest === told) return;
    told = digest;
    const state = digest === started ? 'is again what it was' : 'has changed';
    const next = digest === started ? '' : ': restart to apply the change';
    observe({ kind: 'notice', level: 'warn', message: `The configuration ${state} since the start${next}.` });
  };
  return setInterval(() => void look(), POLL_MS).unref();
}

/** Warns where a gateway over the same data directory was started with other files than those of now. */
export async function warnOfOtherConfiguration(config: GatewayConfig, terminal: Terminal): Promise<void> {
  const digest = await digestFiles(config);
  for (const running of await listRunning(config.dataDir)) {
    if (running.digest === digest) continue;
    printWarning(
      terminal,
      `the gateway that runs at ${running.address} (process ${running.pid}) was started with another configuration; restart it to apply this one`,
    );
  }
}

async function listRunning(dataDir: string): Promise<readonly RunningGateway[]> {
  const folder = join(dataDir, FOLDER);
  const names = await readdir(folder).catch(() => []);
  const read = await Promise.all(names.map((name) => readRunning(join(folder, name))));
  return read.filter((running) => running !== undefined && isAlive(running.pid)) as readonly RunningGateway[];
}

async function readRunning(file: string): Promise<RunningGateway | undefined> {
  try {
    const entry: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isJsonObject(entry)) return undefined;
    const { pid, digest, address } = entry;
    if (typeof pid !== 'number' || typeof digest !== 'string' || typeof address !== 'string') return undefined;
    return { pid, digest, address };
  } catch {
    // Removed meanwhile, or not whole yet.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}

/** A digest of the main file and the upstream files. */
export async function digestFiles(config: Files): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await listFiles(config)) {
    hash.update(`${file}\0`).update(await readFile(file).catch(() => ''));
  }
  return hash.digest('hex');
}

/** Changes whenever a file is written; much cheaper than a digest. */
async function stampFiles(config: Files): Promise<string> {
  const stamps = (await listFiles(config)).map(async (file) => {
    const status = await stat(file).catch(() => undefined);
    return `${file} ${status?.mtimeMs} ${status?.size}`;
  });
  return (await Promise.all(stamps)).join('\n');
}

async function listFiles({ file, upstreamsDir }: Files): Promise<readonly string[]> {
  const names = await readdir(upstreamsDir).catch(() => []);
  const upstreams = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  return [...(file === null ? [] : [file]), ...upstreams.map((name) => join(upstreamsDir, name))];
}
