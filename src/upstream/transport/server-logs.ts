import { appendFile, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Observer } from '../../base/observe/observation.js';

/** One file is never much longer; the one before it is kept. */
const MAX_FILE_BYTES = 1_048_576;
/** What waits to be written; a server that prints faster than the disk writes loses lines, not the gateway's memory. */
const MAX_WAITING_CHARACTERS = 262_144;
/** Only the gateway's account may read what servers print. */
const MODE = { file: 0o600, directory: 0o700 };

/** The file of one server's stderr, by its slug. */
export function serverLogFile(directory: string, slug: string): string {
  return join(directory, `${slug}.log`);
}

/** Its predecessor. */
export function olderLogFile(file: string): string {
  return `${file}.1`;
}

interface ServerLogsOptions {
  readonly directory: string;
  readonly observe: Observer;
  readonly maxFileBytes?: number;
}

/** What stdio servers print to stderr, in one file each. */
export class ServerLogs {
  readonly #options: ServerLogsOptions;
  readonly #logs = new Map<string, ServerLog>();

  constructor(options: ServerLogsOptions) {
    this.#options = options;
  }

  /** Appends a line; the time stands before it. */
  write(slug: string, line: string): void {
    const log = this.#logs.get(slug) ?? new ServerLog(slug, this.#options);
    this.#logs.set(slug, log);
    log.write(line);
  }

  /** Resolves when all lines are in their files. */
  async flushed(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.flushed()));
  }
}

class ServerLog {
  readonly #slug: string;
  readonly #options: ServerLogsOptions;
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #leftOut = 0;
  #writing: Promise<void> | undefined;
  /** Whether the last attempt failed: only the first of a row is reported. */
  #failing = false;

  constructor(slug: string, options: ServerLogsOptions) {
    this.#slug = slug;
    this.#options = options;
  }

  write(line: string): void {
    if (this.#waitingCharacters > MAX_WAITING_CHARACTERS) {
      this.#leftOut += 1;
    } else {
      this.#enqueue(line);
    }
    this.#writing ??= this.#drain();
  }

  flushed(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  #enqueue(line: string): void {
    this.#waiting.push(`${new Date().toISOString()} ${line.replace(/[\r\n]+/g, ' ')}\n`);
    this.#waitingCharacters += line.length;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const text = this.#waiting.join('');
      this.#waiting = [];
      this.#waitingCharacters = 0;
      if (this.#leftOut > 0) this.#enqueue(`(${this.#leftOut} more lines were left out)`);
      this.#leftOut = 0;
      await this.#append(text);
    }
    this.#writing = undefined;
  }

  async #append(text: string): Promise<void> {
    const { directory, observe, maxFileBytes = MAX_FILE_BYTES } = this.#options;
    const file = serverLogFile(directory, this.#slug);
    try {
      await mkdir(directory, { recursive: true, mode: MODE.directory });
      // Asked each time, because other gateways may write to the same file.
      const size = await stat(file).then(
        (found) => found.size,
        () => 0,
      );
      if (size > 0 && size + text.length > maxFileBytes) await rename(file, olderLogFile(file));
      await appendFile(file, text, { mode: MODE.file });
      this.#failing = false;
    } catch (cause) {
      if (this.#failing) return;
      this.#failing = true;
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `what it prints cannot be kept for 'mcp-aql-gateway logs': ${why}`;
      observe({ kind: 'diagnostic', severity: 'warning', upstream: this.#slug, message });
    }
  }
}

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
