import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

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
export function killAllMarked(): void {
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
