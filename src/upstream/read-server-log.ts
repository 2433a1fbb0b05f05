import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { olderLogFile, serverLogFile } from './server-logs.js';

const POLL_MS = 250;
const LINE_FEED = 0x0a;

/** Where reading stopped: the file, and how far it was read. */
interface Position {
  /** 0 where there is no file yet. */
  readonly inode: number;
  readonly offset: number;
}

interface LogTail {
  /** The newest lines, the oldest of them first. */
  readonly lines: readonly string[];
  readonly position: Position;
}

/** The last lines of a server's log; undefined where the server has printed nothing yet. */
export async function tailServerLog(directory: string, slug: string, count: number): Promise<LogTail | undefined> {
  const file = serverLogFile(directory, slug);
  const older = await readFile(olderLogFile(file), 'utf8').catch(() => undefined);
  const current = await readFrom(file, 0);
  if (older === undefined && current === undefined) return undefined;
  const { lines, position } = current ?? { lines: [], position: { inode: 0, offset: 0 } };
  const all = [...(older ?? '').split('\n').filter((line) => line !== ''), ...lines];
  return { lines: all.slice(-count), position };
}

/** Lines that are written from a position on, until the signal. */
export async function* followServerLog(
  directory: string,
  slug: string,
  start: Position,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const file = serverLogFile(directory, slug);
  let position = start;
  while (!signal.aborted) {
    const next = await readFrom(file, position.offset, position.inode);
    if (next !== undefined && next.position.inode !== position.inode) {
      // The file became the older one; what it got last was not read yet.
      const rest = await readFrom(olderLogFile(file), position.offset, position.inode);
      if (rest?.position.inode === position.inode) yield* rest.lines;
    }
    yield* next?.lines ?? [];
    position = next?.position ?? position;
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The whole lines from an offset on; from the beginning where the file is another than the one with this inode. */
async function readFrom(file: string, offset: number, inode?: number): Promise<LogTail | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    const isSame = inode === undefined || inode === found.ino;
    const from = isSame && offset <= found.size ? offset : 0;
    const bytes = Buffer.alloc(found.size - from);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED, bytesRead) + 1);
    const lines = whole.toString('utf8').split('\n').slice(0, -1);
    return { lines, position: { inode: found.ino, offset: from + whole.length } };
  } finally {
    await handle.close();
  }
}
