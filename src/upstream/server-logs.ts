import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observer } from '../observe/observation.js';

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
