import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { groupBy } from '../../base/lib/collections.js';
import { readMark } from './process-groups.js';

/** How often the memory of servers is looked at. */
const LOOK_MS = 2_000;
const MIB = 1_048_576;
const NO_ENVIRONMENT = Buffer.alloc(0);

interface Guard {
  readonly limitBytes: number;
  readonly onExceeded: (bytes: number) => void;
}

/** One process, as the system tells it. */
interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Resident; pages that processes share count for each of them. */
  readonly bytes: number;
  /** Which child of a gateway it descends from, where the system tells: also where its parent has ended. */
  readonly mark?: string | undefined;
}

const guards = new Map<number, Guard>();
let isPlanned = false;

/**
 * Looks at the memory of a server every few seconds: of its process group, and of what its processes have started in others. One look
 * serves all servers. The guard is called once.
 * @param pid the leader of the group
 * @returns what ends the watch
 */
export function watchMemory(pid: number, guard: Guard): () => void {
  guards.set(pid, guard);
  plan();
  return () => void guards.delete(pid);
}

export function describeBytes(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}

/** Plans the next look; one that is planned already is not put off. */
function plan(): void {
  if (isPlanned || guards.size === 0) return;
  isPlanned = true;
  setTimeout(() => {
    isPlanned = false;
    void look().finally(plan);
  }, LOOK_MS).unref();
}

async function look(): Promise<void> {
  const processes = await listProcesses().catch(() => []);
  for (const [pid, guard] of [...guards]) {
    const bytes = sumOf(processes, pid);
    if (bytes <= guard.limitBytes) continue;
    guards.delete(pid);
    guard.onExceeded(bytes);
  }
}

/** The memory of a group and of all that descend from it. */
export function sumOf(processes: readonly ProcessFacts[], leader: number): number {
  const children = groupBy(processes, ({ parent }) => parent);
  const own = processes.find(({ pid }) => pid === leader)?.mark;
  const isMember = ({ pid, group, mark }: ProcessFacts): boolean =>
    pid === leader || group === leader || (own !== undefined && mark === own);
  const members = new Set(processes.filter(isMember));
  for (const { pid } of members) for (const child of children.get(pid) ?? []) members.add(child);
  return [...members].reduce((sum, { bytes }) => sum + bytes, 0);
}

function listProcesses(): Promise<readonly ProcessFacts[]> {
  return process.platform === 'linux' ? listByProc() : listByPs();
}

async function listByProc(): Promise<readonly ProcessFacts[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = await Promise.all(pids.map((pid) => readProcess(pid).catch(() => undefined)));
  return read.filter((each) => each !== undefined);
}

/** `stat` has parent and group, but memory in pages, whose size differs; `status` has it in kB. */
async function readProcess(pid: string): Promise<ProcessFacts> {
  const [stat, status, environment] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
    // That of another user's process cannot be read.
    readFile(`/proc/${pid}/environ`).catch(() => NO_ENVIRONMENT),
  ]);
  // The name of the program, in parentheses, may hold anything.
  const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0;
  const bytes = Number(kilobytes) * 1_024;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), bytes, mark: readMark(environment) };
}

async function listByPs(): Promise<readonly ProcessFacts[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss=']);
  return stdout.split('\n').map((line) => {
    const [pid = 0, parent = 0, group = 0, kilobytes = 0] = line.trim().split(/\s+/).map(Number);
    return { pid, parent, group, bytes: kilobytes * 1_024 };
  });
}
