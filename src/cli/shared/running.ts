import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../base/json/json.js';
import { digestConfigFiles } from '../../config/config-files.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { type LoadOptions, loadConfig } from '../../config/load/load-config.js';
import { watchConfig } from '../../config/load/watch-config.js';
import type { Gateway, GatewayStatus, ReloadState } from '../../gateway/gateway.js';
import { AskedRestarts, type RestartAnswer } from './asked-restarts.js';
import { printWarning, type Terminal } from './terminal.js';

/** What one running gateway says of itself. */
export interface RunningGateway {
  readonly pid: number;
  /** Of the files of the configuration that is in force. */
  readonly digest: string;
  readonly address: string;
  /** ISO 8601. */
  readonly started: string;
  readonly file: string | null;
  /** Undefined where an older version wrote the file. */
  readonly status?: Pick<GatewayStatus, 'ready' | 'upstreams' | 'operations' | 'state' | 'reload'>;
  /** What it has made of requests to start servers anew. */
  readonly restarts?: readonly RestartAnswer[];
}

/** Where running gateways say what they are: one file each, by process id. */
const FOLDER = 'running';

export function runningFolder(dataDir: string): string {
  return join(dataDir, FOLDER);
}

/** How often the state is looked at, and written where it has changed. */
const LOOK_MS = 2_000;

interface Announced {
  /** Reads the configuration anew, whether or not its files have changed. */
  reload(by: string): void;
  end(): void;
}

interface AnnounceOptions {
  readonly address: string;
  /** Of the files that the gateway was started with. */
  readonly digest: string;
}

/**
 * Says in the data directory what this gateway is and how it does, for commands that work beside it, and reloads the
 * configuration when its files change.
 */
export function announceRunning(gateway: Gateway, { address, digest }: AnnounceOptions): Announced {
  const { config } = gateway;
  const file = join(runningFolder(config.dataDir), `${process.pid}.json`);
  const started = new Date().toISOString();
  const restarts = new AskedRestarts(file, started, gateway);
  const reloads = new Reloads({
    digest,
    readDigest: () => digestConfigFiles(gateway.config),
    reload: (by) => gateway.reload(by),
  });
  let written = '';
  let isEnded = false;
  const write = (): void => {
    if (isEnded) return;
    const { ready, upstreams, operations, state, reload } = gateway.status();
    const status = { ready, upstreams, operations, state, ...(reload === undefined ? {} : { reload }) };
    const { answers } = restarts;
    const entry: RunningGateway = {
      pid: process.pid,
      digest: reloads.inForce,
      address,
      started,
      file: config.file,
      status,
      ...(answers.length === 0 ? {} : { restarts: answers }),
    };
    const text = JSON.stringify(entry);
    if (text !== written) writeEntry(file, text);
    written = text;
    // What comes of them is said at the next look, when servers have begun to start.
    restarts.look();
  };
  const watch = watchConfig(
    () => gateway.config,
    digest,
    () => void reloads.noticeChange().then(write),
  );
  const timer = setInterval(write, LOOK_MS).unref();
  void gateway.settled.then(write);
  write();
  return {
    reload: (by) => void reloads.ask(by).then(write),
    end() {
      isEnded = true;
      clearInterval(timer);
      watch.close();
      rmSync(file, { force: true });
    },
  };
}

/** A reader sees the old file or the new one. */
function writeEntry(file: string, text: string): void {
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.tmp`, text, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  } catch {
    // A read-only data directory has been reported already; only other commands miss this file.
  }
}

/** Warns where a gateway over the same data directory has other files in force than those of now. */
export async function warnOfOtherConfiguration(config: GatewayConfig, terminal: Terminal): Promise<void> {
  const digest = await digestConfigFiles(config);
  for (const running of await listRunning(config.dataDir)) {
    if (running.digest === digest) continue;
    const problem = running.status?.reload?.problem;
    const why = problem === undefined ? '' : `: it refused to reload this one, because ${problem}`;
    printWarning(
      terminal,
      `the gateway that runs at ${running.address} (process ${running.pid}) has another configuration in force${why}`,
    );
  }
}

/** The gateways that run over a data directory, the one that started first at the front. */
export async function listRunning(dataDir: string): Promise<readonly RunningGateway[]> {
  const folder = runningFolder(dataDir);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const read = await Promise.all(names.map((name) => readRunning(join(folder, name))));
  const alive = read.filter((running) => running !== undefined).filter(({ pid }) => isAlive(pid));
  return alive.sort((a, b) => (a.started < b.started ? -1 : 1));
}

async function readRunning(file: string): Promise<RunningGateway | undefined> {
  try {
    const entry: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isRunning(entry) ? entry : undefined;
  } catch {
    // Removed meanwhile.
    return undefined;
  }
}

function isRunning(entry: unknown): entry is RunningGateway {
  return (
    isJsonObject(entry) &&
    typeof entry['pid'] === 'number' &&
    ['digest', 'address', 'started'].every((key) => typeof entry[key] === 'string')
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}

interface ReloadsOptions {
  /** Of the files that the gateway was started with. */
  readonly digest: string;
  /** Of the files as they are now. */
  readonly readDigest: () => Promise<string>;
  readonly reload: (by: string) => Promise<Pick<ReloadState, 'outcome'>>;
}

/** Reloads the configuration when somebody asks for it and when its files change, but not for one change twice. */
export class Reloads {
  readonly #options: ReloadsOptions;
  /** Of the files that were read last, whether or not they were refused. */
  #taken: string;
  #inForce: string;

  constructor(options: ReloadsOptions) {
    this.#options = options;
    this.#taken = options.digest;
    this.#inForce = options.digest;
  }

  /** Of the files of the configuration that is in force. */
  get inForce(): string {
    return this.#inForce;
  }

  /** Reads the files whatever they say: secrets that they name by path may have changed. */
  async ask(by: string): Promise<void> {
    await this.#take(await this.#options.readDigest(), by);
  }

  /** Reads the files unless that has been done since they changed, as where a signal follows the change at once. */
  async noticeChange(): Promise<void> {
    const digest = await this.#options.readDigest();
    if (digest !== this.#taken) await this.#take(digest, 'its files have changed');
  }

  async #take(digest: string, by: string): Promise<void> {
    this.#taken = digest;
    const { outcome } = await this.#options.reload(by);
    if (outcome !== 'refused') this.#inForce = digest;
  }
}

/** How a gateway that runs has taken a change. */
interface Follower {
  readonly pid: number;
  readonly address: string;
  readonly outcome: 'in force' | 'refused' | 'not yet';
  readonly problem?: string;
}

const POLL_MS = 200;
const PATIENCE_MS = 8_000;

/** Waits until the gateways that run with this configuration have read what was just written, and says how each took it. */
export async function followReload(options: LoadOptions): Promise<readonly Follower[]> {
  const loaded = await loadConfig({ ...options, tolerant: true }).catch(() => undefined);
  if (loaded === undefined) return [];
  const { config } = loaded;
  const digest = await digestConfigFiles(config);
  const since = Date.now();
  const look = async (): Promise<readonly Follower[]> =>
    (await listRunning(config.dataDir))
      .filter(({ file }) => file === config.file)
      .map(({ pid, address, digest: inForce, status }) => {
        const reload = status?.reload;
        const isRefused = reload?.outcome === 'refused' && Date.parse(reload.at) >= since - POLL_MS;
        const outcome = inForce === digest ? 'in force' : isRefused ? 'refused' : 'not yet';
        return { pid, address, outcome, ...(outcome === 'refused' ? { problem: reload?.problem ?? '' } : {}) };
      });
  let followers = await look();
  while (followers.some(({ outcome }) => outcome === 'not yet') && Date.now() - since < PATIENCE_MS) {
    await delay(POLL_MS);
    followers = await look();
  }
  return followers;
}

/** One line for each gateway that runs. */
export function describeFollower({ pid, address, outcome, problem }: Follower): string {
  const where = `the gateway at ${address} (process ${pid})`;
  if (outcome === 'in force') return `In force in ${where}.`;
  if (outcome === 'refused') return `Refused by ${where}: ${problem ?? ''}`;
  return `${where} has not read it yet; see: mcp-aql-gateway status`;
}
