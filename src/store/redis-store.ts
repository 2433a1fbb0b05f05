import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createClient, ErrorReply, type RedisClientType } from '@redis/client';
import type { JsonObject } from '../protocol/json.js';
import {
  COLLECTIONS,
  type Collection,
  type CounterStep,
  firstVersion,
  type Increment,
  type Increments,
  type RecordOptions,
  type StateStore,
  type StoredRecord,
  StoreError,
} from './state-store.js';

interface RedisStoreOptions {
  readonly now: () => number;
  /** Called when the connection is lost and when it is restored; the text contains no secret. */
  readonly onProblem?: ((message: string) => void) | undefined;
  /** How long a command may take before it is refused, in milliseconds; 2000 unless given. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 2_000;

/** State on a Redis or Valkey server (6.2 or newer), for many gateways on many machines. Opens without waiting for it. */
export class RedisStore implements StateStore {
  readonly description: string;
  readonly shared = true;
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #now: () => number;

  /** @throws StoreError when the URL is malformed; an unreachable server is not an error here. */
  constructor(url: string, prefix: string, { now, onProblem, deadlineMs = DEADLINE_MS }: RedisStoreOptions) {
    this.#connection = new RedisConnection(url, { deadlineMs, onProblem });
    this.description = `Redis at '${this.#connection.address}', prefix '${prefix}'`;
    // The braces make a cluster keep all keys in one slot, which scripts with several keys need.
    this.#prefix = `{${prefix}}`;
    this.#now = now;
  }

  async insert(collection: Collection, key: string, value: JsonObject, options: RecordOptions): Promise<boolean> {
    const { expiresAt, tag } = options;
    const tagged = tag === undefined ? [] : [tag];
    const indexes = [this.#index(collection), ...tagged.map((name) => this.#tagged(collection, name))];
    const args = [String(expiresAt), JSON.stringify(value), String(firstVersion()), key, ...tagged];
    return (await this.#run('insert', [this.#record(collection, key), ...indexes], args)) === 1;
  }

  async get(collection: Collection, key: string): Promise<StoredRecord | undefined> {
    const found = (await this.#run('get', [this.#record(collection, key)])) as readonly [string, string] | null;
    return found === null ? undefined : toRecord([key, ...found]);
  }

  async replace(collection: Collection, key: string, version: number, value: JsonObject): Promise<boolean> {
    const args = [String(version), JSON.stringify(value)];
    return (await this.#run('replace', [this.#record(collection, key)], args)) === 1;
  }

  async remove(collection: Collection, key: string): Promise<boolean> {
    const keys = [this.#record(collection, key), this.#index(collection)];
    return (await this.#run('remove', keys, [key, this.#tagged(collection, '')])) === 1;
  }

  async removeTagged(collection: Collection, tag: string): Promise<readonly string[]> {
    const keys = [this.#tagged(collection, tag), this.#index(collection)];
    return (await this.#run('removeTagged', keys, [this.#record(collection, ''), tag])) as readonly string[];
  }

  async list(collection: Collection): Promise<readonly StoredRecord[]> {
    const found = await this.#run('list', [this.#index(collection)], [this.#record(collection, '')]);
    return (found as readonly RecordReply[]).map(toRecord);
  }

  async increment(
    counter: string,
    by: number,
    options: { readonly expiresAt: number; readonly limit?: number },
  ): Promise<Increment> {
    const { values, added } = await this.incrementAll([{ counter, by, ...options }]);
    return { value: values[0] ?? 0, added };
  }

  async incrementAll(steps: readonly CounterStep[]): Promise<Increments> {
    const keys = steps.map(({ counter }) => this.#counter(counter));
    const args = steps.flatMap(({ by, expiresAt, limit = '' }) => [String(by), String(expiresAt), String(limit)]);
    const [added, ...values] = (await this.#run('increment', keys, args)) as [number, ...string[]];
    return { values: values.map(Number), added: added === 1 };
  }

  async count(counter: string): Promise<number> {
    return Number(await this.#run('count', [this.#counter(counter)]));
  }

  /** Redis removes expired records by itself; this trims the indexes of collections without new records. */
  async purge(): Promise<void> {
    await this.#run(
      'purge',
      COLLECTIONS.map((collection) => this.#index(collection)),
    );
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #run(script: RedisScriptName, keys: readonly string[], args: readonly string[] = []): Promise<unknown> {
    return this.#connection.run(REDIS_SCRIPTS[script], keys, [String(this.#now()), ...args]);
  }

  #record(collection: Collection, key: string): string {
    return `${this.#prefix}:${collection}:record:${key}`;
  }

  #tagged(collection: Collection, tag: string): string {
    return `${this.#prefix}:${collection}:tag:${tag}`;
  }

  #index(collection: Collection): string {
    return `${this.#prefix}:${collection}:index`;
  }

  #counter(name: string): string {
    return `${this.#prefix}:counter:${name}`;
  }
}

type RecordReply = readonly [key: string, value: string, version: string];

function toRecord([key, value, version]: RecordReply): StoredRecord {
  return { key, value: JSON.parse(value) as JsonObject, version: Number(version) };
}

interface RedisConnectionOptions {
  /** How long a command may take, waiting for the connection included, in milliseconds. */
  readonly deadlineMs: number;
  /** Called once when the connection is lost and once when it is restored; the text contains no secret. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** The pause by the number of failed attempts, in milliseconds; the last one repeats. */
const BACKOFF_MS = [50, 100, 250, 500, 1_000, 2_000] as const;

/**
 * A connection to one Redis or Valkey server that is opened in the background and retried for ever. While the server is
 * unreachable, commands fail soon instead of waiting for it, and none is sent late.
 */
class RedisConnection {
  /** Host and port, for people. */
  readonly address: string;
  readonly #url: string;
  readonly #options: RedisConnectionOptions;
  #client: RedisClientType;
  #disconnected = false;
  #closed = false;

  /** @throws StoreError when the URL is malformed. */
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

  /** Runs a script; rejects with a `StoreError` when the server is unreachable, does not answer or refuses. */
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
    // Each command that waits for the connection adds a listener.
    client.setMaxListeners(0);
    client.on('error', (fault: unknown) => this.#reportLost(fault));
    client.on('ready', () => this.#reportRestored());
    client.connect().catch(() => {
      // It rejects only when it is closed while it connects; every fault is emitted as an 'error'.
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
   * A server that does not answer may be gone without closing the connection, which the system notices after about 15 minutes;
   * a new connection shows it at once.
   */
  #replaceSilent(client: RedisClientType): void {
    if (client !== this.#client || this.#closed) return;
    client.destroy();
    this.#reportLost(undefined);
    this.#client = this.#connect();
  }

  #reportLost(fault: unknown): void {
    if (this.#disconnected || this.#closed) return;
    this.#disconnected = true;
    this.#options.onProblem?.(
      `Redis at '${this.address}' cannot be reached (${nameFault(fault)}): calls that need the state store are refused until it can.`,
    );
  }

  #reportRestored(): void {
    if (!this.#disconnected) return;
    this.#disconnected = false;
    this.#options.onProblem?.(`Redis at '${this.address}' can be reached again.`);
  }

  #explain(cause: unknown): StoreError {
    if (cause instanceof StoreError) return cause;
    const what = cause instanceof ErrorReply ? 'refuses a command' : 'cannot be reached';
    return new StoreError(`Redis at '${this.address}' ${what} (${nameFault(cause)}).`, { cause });
  }
}

/** Waits for the current attempt to connect, then runs the script by its digest, or in full where the server lacks it. */
async function runScript(
  client: RedisClientType,
  { source, sha1 }: RedisScript,
  [keys, args]: readonly [readonly string[], readonly string[]],
  signal: AbortSignal,
): Promise<unknown> {
  if (!client.isReady) await once(client, 'ready', { signal });
  const params = [String(keys.length), ...keys, ...args];
  try {
    return await client.sendCommand(['EVALSHA', sha1, ...params]);
  } catch (fault) {
    if (!(fault instanceof ErrorReply) || !fault.message.startsWith('NOSCRIPT')) throw fault;
    return await client.sendCommand(['EVAL', source, ...params]);
  }
}

/** The pause before the next attempt, with some randomness, so that many gateways do not reconnect at the same moment. */
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

/** Has no cause: the parser's own error may quote the URL, which may contain a password. */
function invalidUrl(): StoreError {
  return new StoreError(
    "The state store's 'store.url' is not a Redis URL. Expected 'redis://host:6379' or, with TLS, 'rediss://host:6379'; " +
      "with credentials 'redis://user:password@host:6379' (percent-encoded), with a database number '/1' after the port.",
  );
}

/** The system's code (`ECONNREFUSED`, `CERT_HAS_EXPIRED`) or the server's (`WRONGPASS`, `READONLY`, `OOM`). */
function nameFault(fault: unknown): string {
  if (fault instanceof ErrorReply) return fault.message.split(' ', 1)[0] ?? '';
  const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
  return typeof code === 'string' ? code : 'no connection';
}

/** A Lua script and the digest by which a server that knows it runs it. */
interface RedisScript {
  readonly source: string;
  readonly sha1: string;
}

/**
 * One script per method, because Redis runs a script atomically: no other command runs between its reads and its writes.
 *
 * A record is a hash of `v` (JSON text), `n` (version), `e` (expiry) and `t` (tag, where it has one). An index is a sorted
 * set of record keys by expiry, one for a collection and one for a tag. A counter is a hash of `v` and `e`.
 *
 * Whether something has expired is decided by `e` and the gateway's clock (the first argument), as in the other stores;
 * Redis's own expiry only removes records, by their remaining lifetime, so its clock need not agree with ours. An index may
 * still name removed records: readers skip them, and each insertion trims.
 *
 * Scripts that go through an index compute the names of records themselves. That works in a cluster too, since all names
 * have one hash tag. Numbers are written with 17 digits: Lua's own conversion would lose some.
 */
const SOURCES = {
  insert: `
    local now, expires = tonumber(ARGV[1]), tonumber(ARGV[2])
    local present = redis.call('HGET', KEYS[1], 'e')
    if present and tonumber(present) > now then return 0 end
    redis.call('DEL', KEYS[1])
    local left = math.ceil(expires - now)
    if left <= 0 then return 1 end
    redis.call('HSET', KEYS[1], 'v', ARGV[3], 'n', ARGV[4], 'e', ARGV[2])
    if ARGV[6] then redis.call('HSET', KEYS[1], 't', ARGV[6]) end
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', left))
    for i = 2, #KEYS do
      redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1])
      redis.call('ZADD', KEYS[i], ARGV[2], ARGV[5])
      if redis.call('PTTL', KEYS[i]) < left then redis.call('PEXPIRE', KEYS[i], string.format('%.0f', left)) end
    end
    return 1`,
  get: `
    local record = redis.call('HMGET', KEYS[1], 'v', 'n', 'e')
    if not record[1] or tonumber(record[3]) <= tonumber(ARGV[1]) then return false end
    return {record[1], record[2]}`,
  replace: `
    local record = redis.call('HMGET', KEYS[1], 'n', 'e')
    if record[1] ~= ARGV[2] or tonumber(record[2]) <= tonumber(ARGV[1]) then return 0 end
    redis.call('HSET', KEYS[1], 'v', ARGV[3])
    redis.call('HINCRBY', KEYS[1], 'n', 1)
    return 1`,
  remove: `
    local record = redis.call('HMGET', KEYS[1], 'e', 't')
    redis.call('DEL', KEYS[1])
    redis.call('ZREM', KEYS[2], ARGV[2])
    if record[2] then redis.call('ZREM', ARGV[3] .. record[2], ARGV[2]) end
    if record[1] and tonumber(record[1]) > tonumber(ARGV[1]) then return 1 end
    return 0`,
  removeTagged: `
    local removed = {}
    for _, key in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
      local name = ARGV[2] .. key
      local record = redis.call('HMGET', name, 'e', 't')
      if record[2] == ARGV[3] then
        redis.call('DEL', name)
        redis.call('ZREM', KEYS[2], key)
        if tonumber(record[1]) > tonumber(ARGV[1]) then removed[#removed + 1] = key end
      end
    end
    redis.call('DEL', KEYS[1])
    return removed`,
  list: `
    local records = {}
    for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do
      local record = redis.call('HMGET', ARGV[2] .. key, 'v', 'n')
      if record[1] then records[#records + 1] = {key, record[1], record[2]} end
    end
    return records`,
  purge: `
    for i = 1, #KEYS do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[1]) end
    return 1`,
  increment: `
    local now, fits = tonumber(ARGV[1]), true
    local live, before, after = {}, {}, {}
    for i = 1, #KEYS do
      local counter = redis.call('HMGET', KEYS[i], 'v', 'e')
      live[i] = counter[2] and tonumber(counter[2]) > now
      before[i] = live[i] and tonumber(counter[1]) or 0
      after[i] = before[i] + tonumber(ARGV[3 * i - 1])
      local limit = tonumber(ARGV[3 * i + 1])
      if limit and after[i] > limit then fits = false end
    end
    local reply = {fits and 1 or 0}
    for i = 1, #KEYS do
      local text = string.format('%.17g', fits and after[i] or before[i])
      reply[i + 1] = text
      if fits and live[i] then
        redis.call('HSET', KEYS[i], 'v', text)
      elseif fits then
        redis.call('DEL', KEYS[i])
        local expires = ARGV[3 * i]
        local left = math.ceil(tonumber(expires) - now)
        if left > 0 then
          redis.call('HSET', KEYS[i], 'v', text, 'e', expires)
          redis.call('PEXPIRE', KEYS[i], string.format('%.0f', left))
        end
      end
    end
    return reply`,
  count: `
    local counter = redis.call('HMGET', KEYS[1], 'v', 'e')
    if counter[2] and tonumber(counter[2]) > tonumber(ARGV[1]) then return counter[1] end
    return '0'`,
} as const;

type RedisScriptName = keyof typeof SOURCES;

const REDIS_SCRIPTS = Object.fromEntries(
  Object.entries(SOURCES).map(([name, source]) => [
    name,
    { source, sha1: createHash('sha1').update(source).digest('hex') },
  ]),
) as Readonly<Record<RedisScriptName, RedisScript>>;
