import { ErrorReply } from '@redis/client';
import type { RedisStoreConfig } from '../config/gateway-config.js';
import { describePlace, invalidUrl, openLink, type RedisLink } from './redis-link.js';
import type { RedisScript } from './redis-scripts.js';
import { StoreError } from './state-store.js';

interface RedisConnectionOptions {
  /** How long a command may take, waiting for the connection included, in milliseconds. */
  readonly deadlineMs: number;
  /** A key as the store writes them. */
  readonly probeKey: string;
  /** Called once when the connection is lost and once when it is restored; the text contains no secret. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** The keys and arguments of a script; all keys are in one slot. */
interface ScriptCall {
  readonly keys: readonly [string, ...string[]];
  readonly args: readonly (string | Buffer)[];
  /** Whether texts in the answer come as bytes. */
  readonly asBytes?: boolean;
}

/**
 * The connection to Redis or Valkey, opened in the background. While the server that holds the keys is unreachable, commands
 * fail soon instead of waiting for it, and none is sent late.
 */
export class RedisConnection {
  /** Where it is, for people. */
  readonly place: string;
  readonly #config: RedisStoreConfig;
  readonly #options: RedisConnectionOptions;
  #link: RedisLink;
  #disconnected = false;
  #closed = false;

  /** @throws StoreError when an address is malformed or a file of TLS cannot be read. */
  constructor(config: RedisStoreConfig, options: RedisConnectionOptions) {
    this.place = describePlace(config);
    this.#config = config;
    this.#options = options;
    try {
      this.#link = this.#connect();
    } catch (cause) {
      throw cause instanceof StoreError ? cause : invalidUrl();
    }
  }

  /** Runs a script; rejects with a `StoreError` when the server is unreachable, does not answer or refuses. */
  async run(script: RedisScript, call: ScriptCall): Promise<unknown> {
    if (this.#closed) throw new StoreError('The state store is closed.');
    const link = this.#link;
    try {
      return await this.#withinDeadline(link, (signal) => runScript(link, script, call, signal));
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      if (link.isStale(cause)) this.#replace(link, cause);
      throw this.#explain(cause);
    }
  }

  close(): void {
    this.#closed = true;
    this.#link.destroy();
  }

  #connect(): RedisLink {
    const { deadlineMs, probeKey } = this.#options;
    return openLink(this.#config, {
      deadlineMs,
      probeKey,
      onLost: (fault) => this.#reportLost(fault),
      onReady: () => this.#reportRestored(),
    });
  }

  async #withinDeadline<T>(link: RedisLink, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abandoned = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const missed = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new StoreError(`${this.place} did not answer in time.`));
        this.#replace(link, undefined);
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
   * A server that does not answer may be gone without closing the connection, which the system notices after about 15 minutes;
   * a new link shows it at once.
   */
  #replace(link: RedisLink, fault: unknown): void {
    if (link !== this.#link || this.#closed) return;
    link.destroy();
    this.#reportLost(fault);
    this.#link = this.#connect();
  }

  #reportLost(fault: unknown): void {
    if (this.#disconnected || this.#closed) return;
    this.#disconnected = true;
    this.#options.onProblem?.(
      `${this.place} cannot be reached (${nameFault(fault)}): calls that need the state store are refused until it can.`,
    );
  }

  #reportRestored(): void {
    if (!this.#disconnected) return;
    this.#disconnected = false;
    this.#options.onProblem?.(`${this.place} can be reached again.`);
  }

  #explain(cause: unknown): StoreError {
    const what = cause instanceof ErrorReply ? 'refuses a command' : 'cannot be reached';
    return new StoreError(`${this.place} ${what} (${nameFault(cause)}).`, { cause });
  }
}

/** Waits for the current attempt to connect, then runs the script by its digest, or in full where the server lacks it. */
async function runScript(
  link: RedisLink,
  { source, sha1 }: RedisScript,
  { keys, args, asBytes = false }: ScriptCall,
  signal: AbortSignal,
): Promise<unknown> {
  await link.ready(signal);
  const [first] = keys;
  const params = [String(keys.length), ...keys, ...args];
  try {
    return await link.send(first, ['EVALSHA', sha1, ...params], asBytes);
  } catch (fault) {
    if (!(fault instanceof ErrorReply) || !fault.message.startsWith('NOSCRIPT')) throw fault;
    return await link.send(first, ['EVAL', source, ...params], asBytes);
  }
}

/** The system's code (`ECONNREFUSED`, `CERT_HAS_EXPIRED`) or the server's (`WRONGPASS`, `READONLY`, `OOM`). */
function nameFault(fault: unknown): string {
  if (fault instanceof ErrorReply) return fault.message.split(' ', 1)[0] ?? '';
  const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
  return typeof code === 'string' ? code : 'no connection';
}
