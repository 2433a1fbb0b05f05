import { once } from 'node:events';
import { createClient, ErrorReply, type RedisClientType } from '@redis/client';
import type { RedisScript } from './redis-scripts.js';
import { StoreError } from './state-store.js';

export interface RedisConnectionOptions {
  /** How long a command may take, waiting for the connection included, in milliseconds. */
  readonly deadlineMs: number;
  /** Told once when the connection is lost and once when it is back; the text holds no secret. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** Pause before the attempt after so many failures, in milliseconds; the last is kept up. */
const BACKOFF_MS = [50, 100, 250, 500, 1_000, 2_000] as const;

/**
 * A connection to one Redis or Valkey server that is opened in the background and never given up. While the server is
 * away, commands fail soon instead of waiting for it, and none is sent late.
 */
export class RedisConnection {
  /** Host and port, for people. */
  readonly address: string;
  readonly #url: string;
  readonly #options: RedisConnectionOptions;
  #client: RedisClientType;
  #lost = false;
  #closed = false;

  /** @throws StoreError when the URL is none. */
  constructor(url: string, options: RedisConnectionOptions) {
    this.address = readAddress(url);
    this.#url = url;
    this.#options = options;
    try {
      this.#client = this.#connect();
    } catch {
      throw invalidUrl();
    }
  }

  /** Runs a script; rejects with a `StoreError` when the server is away, silent or refuses. */
  async run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    if (this.#closed) throw new StoreError('The state store is closed.');
    const client = this.#client;
    try {
      return await this.#withinDeadline(client, (signal) => runScript(client, script, [keys, args], signal));
    } catch (cause) {
      throw this.#explain(cause);
    }
  }

  close(): void {
    this.#closed = true;
    this.#client.destroy();
  }

  #connect(): RedisClientType {
    const client: RedisClientType = createClient({
      url: this.#url,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      socket: { connectTimeout: this.#options.deadlineMs, reconnectStrategy: pauseBefore },
    });
    // One for each command that waits for the connection.
    client.setMaxListeners(0);
    client.on('error', (fault: unknown) => this.#tellLost(fault));
    client.on('ready', () => this.#tellBack());
    client.connect().catch(() => {
      // It ends this way only when it is closed while it connects; every fault was told as an 'error'.
    });
    return client;
  }

  async #withinDeadline<T>(client: RedisClientType, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abandoned = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const missed = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new StoreError(`Redis at '${this.address}' did not answer in time.`));
        this.#replaceSilent(client);
        abandoned.abort();
      }, this.#options.deadlineMs);
    });
    try {
      return await Promise.race([work(abandoned.signal), missed]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A server that says nothing may be gone without a goodbye, which the system notices after a quarter of an hour; a new
   * connection finds out at once.
   */
  #replaceSilent(client: RedisClientType): void {
    if (client !== this.#client || this.#closed) return;
    client.destroy();
    this.#tellLost(undefined);
    this.#client = this.#connect();
  }

  #tellLost(fault: unknown): void {
    if (this.#lost || this.#closed) return;
    this.#lost = true;
    this.#options.onProblem?.(
      `Redis at '${this.address}' cannot be reached (${nameFault(fault)}): what needs the state store is refused until it is back.`,
    );
  }

  #tellBack(): void {
    if (!this.#lost) return;
    this.#lost = false;
    this.#options.onProblem?.(`Redis at '${this.address}' is back.`);
  }

  #explain(cause: unknown): StoreError {
    if (cause instanceof StoreError) return cause;
    const what = cause instanceof ErrorReply ? 'refuses a command' : 'cannot be reached';
    return new StoreError(`Redis at '${this.address}' ${what} (${nameFault(cause)}).`, { cause });
  }
}

/** Waits for the outcome of the attempt to connect that is under way, then runs the script by name, or in full at first. */
async function runScript(
  client: RedisClientType,
  { source, sha1 }: RedisScript,
  [keys, args]: readonly [readonly string[], readonly string[]],
  signal: AbortSignal,
): Promise<unknown> {
  if (!client.isReady) await once(client, 'ready', { signal });
  const rest = [String(keys.length), ...keys, ...args];
  try {
    return await client.sendCommand(['EVALSHA', sha1, ...rest]);
  } catch (fault) {
    if (!(fault instanceof ErrorReply) || !fault.message.startsWith('NOSCRIPT')) throw fault;
    return await client.sendCommand(['EVAL', source, ...rest]);
  }
}

/** Some randomness, so that many gateways do not come back in the same moment. */
function pauseBefore(failures: number): number {
  const pause = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0;
  return Math.round(pause * (0.75 + Math.random() / 4));
}

/** @returns host and port without user and password */
function readAddress(url: string): string {
  if (!URL.canParse(url)) throw invalidUrl();
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}

/** Without a cause: the parsers' own errors may quote the URL, which may hold a password. */
function invalidUrl(): StoreError {
  return new StoreError(
    "The state store's 'store.url' is no Redis URL. Expected 'redis://host:6379' or, with TLS, 'rediss://host:6379'; " +
      "with credentials 'redis://user:password@host:6379' (percent-encoded), with a database number '/1' after the port.",
  );
}

/** The system's code (`ECONNREFUSED`, `CERT_HAS_EXPIRED`) or the server's (`WRONGPASS`, `READONLY`, `OOM`). */
function nameFault(fault: unknown): string {
  if (fault instanceof ErrorReply) return fault.message.split(' ', 1)[0] ?? '';
  const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
  return typeof code === 'string' ? code : 'no connection';
}
