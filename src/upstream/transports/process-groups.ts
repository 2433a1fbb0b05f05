import { spawnSync } from 'node:child_process';
import { type GroupReaper, startGroupReaper } from './group-reaper.js';

/** Groups that are alive, by the id of their leader. One set a process: the exit hook below must know them all. */
const live = new Set<number>();
let reaper: GroupReaper | undefined;

/** From now on the group ends with the gateway, however that ends. */
export function adoptGroup(pgid: number): void {
  if (reaper === undefined) {
    reaper = startGroupReaper();
    process.on('exit', killEveryGroup);
  }
  live.add(pgid);
  reaper.watch(pgid);
}

/** The group has ended or was killed; its number may soon belong to somebody else. */
export function releaseGroup(pgid: number): void {
  if (live.delete(pgid)) reaper?.unwatch(pgid);
}

/** Sends a signal to every process of a group; 0 only asks. Returns whether there was any. */
export function signalGroup(pgid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (process.platform === 'win32') return signalTree(pgid, signal);
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Windows has no groups and no SIGTERM for consoles: `taskkill /t` follows the parent links instead. */
function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (signal !== 'SIGKILL') return signal === 0 && live.has(pid);
  return spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).status === 0;
}

function killEveryGroup(): void {
  for (const pgid of live) signalGroup(pgid, 'SIGKILL');
}
