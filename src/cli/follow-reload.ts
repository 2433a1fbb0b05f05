import { setTimeout as delay } from 'node:timers/promises';
import { digestConfigFiles } from '../config/config-files.js';
import { type LoadOptions, loadConfig } from '../config/load-config.js';
import { listRunning } from './running.js';

/** How a gateway that runs has taken a change. */
export interface Follower {
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
