import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

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

/** The group has ended or was killed; its number may soon belong to another one. */
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
  if (live.size > 0) killAllMarked();
}

/**
 * Remembers the process groups it reads on stdin and kills those that are left when stdin ends, then the
 * processes that have left their group (Linux). A POSIX shell costs about a
 * megabyte; it sits in a session of its own, so that neither a terminal's Ctrl-C nor a kill of the gateway's group reaches it.
 */
const REAPER_SCRIPT = `
groups=' '
while read -r op pgid; do
  case $op in
    +) groups="$groups$pgid " ;;
    -) case $groups in *" $pgid "*) groups="\${groups%% $pgid *} \${groups#* $pgid }" ;; esac ;;
  esac
done
for pgid in $groups; do kill -s KILL -- "-$pgid" 2>/dev/null; done
for environment in /proc/[0-9]*/environ; do
  if grep -q "$1" "$environment" 2>/dev/null; then
    pid=\${environment#/proc/}
    kill -s KILL "\${pid%/environ}" 2>/dev/null
  fi
done
`;

interface GroupReaper {
  watch(pgid: number): void;
  unwatch(pgid: number): void;
}

const IDLE_REAPER: GroupReaper = { watch: () => {}, unwatch: () => {} };

/**
 * A helper process that outlives the gateway by a moment. Exit hooks cannot run when the gateway dies of SIGKILL or a crash
 * of the runtime, but the kernel then closes the pipe between the two, and the helper ends the groups that it knows.
 * Where there is no POSIX shell it does nothing.
 */
function startGroupReaper(): GroupReaper {
  if (process.platform === 'win32') return IDLE_REAPER;
  const child = spawn('/bin/sh', ['-c', REAPER_SCRIPT, 'sh', `${CHILD_MARK}=${GATEWAY_MARK}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  // Without the helper the exit hook still covers every other way to end.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  releaseEventLoop(child);
  const tell = (line: string): void => {
    child.stdin.write(line);
  };
  return { watch: (pgid) => tell(`+ ${pgid}\n`), unwatch: (pgid) => tell(`- ${pgid}\n`) };
}

/** The helper must not keep the gateway alive. */
function releaseEventLoop(child: ChildProcess): void {
  child.unref();
  const { stdin } = child;
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}

/**
 * The variable that every child of the gateway inherits, and by which its descendants are found on Linux. A process that starts
 * a session of its own, as browsers and daemons do, leaves the process group of its server, but not its environment.
 */
export const CHILD_MARK = 'MCP_AQL_GATEWAY_CHILD';

/** What the marks of this gateway's children begin with. */
export const GATEWAY_MARK = randomUUID();
/** A descendant may start another one while the others are looked for. */
const MAX_SWEEPS = 3;

let children = 0;

/** A value for `CHILD_MARK` that no other child has. */
export function newChildMark(): string {
  children += 1;
  return `${GATEWAY_MARK}-${children};`;
}

/** The mark in the environment of a process. */
export function readMark(environment: Buffer): string | undefined {
  const start = environment.indexOf(`${CHILD_MARK}=`);
  if (start < 0) return undefined;
  const value = start + CHILD_MARK.length + 1;
  return environment.toString('latin1', value, environment.indexOf(';', value) + 1);
}

/** Kills every process with this mark. Does nothing where there is no /proc. */
export async function killMarked(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let sweep = 1; sweep <= MAX_SWEEPS; sweep += 1) {
    const pids = (await readdir('/proc').catch(() => [])).filter(isPid);
    const marked = await Promise.all(
      pids.map((pid) =>
        readFile(`/proc/${pid}/environ`)
          .then((environment) => holdsMark(environment, mark) && kill(pid))
          .catch(() => false),
      ),
    );
    if (!marked.includes(true)) return;
  }
}

/** The same for all children of this gateway, while the process exits. */
function killAllMarked(): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').filter(isPid)) {
    try {
      if (holdsMark(readFileSync(`/proc/${pid}/environ`), GATEWAY_MARK)) kill(pid);
    } catch {
      // Another user's process, or one that has just ended.
    }
  }
}

function isPid(name: string): boolean {
  return /^\d+$/.test(name) && name !== String(process.pid);
}

function holdsMark(environment: Buffer, mark: string): boolean {
  return environment.includes(`${CHILD_MARK}=${mark}`);
}

function kill(pid: string): boolean {
  try {
    process.kill(Number(pid), 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
