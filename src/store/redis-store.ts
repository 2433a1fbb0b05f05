import { createHash } from 'node:crypto';
import type { JsonObject } from '../base/json/json.js';
import type { RedisStoreConfig } from '../config/gateway-config.js';
import { RedisConnection } from './redis-connection.js';
import { REDIS_SCRIPTS, type RedisScriptName } from './redis-scripts.js';
import {
  COLLECTIONS,
  type Collection,
  type CounterStep,
  createRecordReader,
  firstVersion,
  type Increments,
  type RecordOptions,
  type SharedSpace,
  SPACE_BOUNDS,
  type SpaceBounds,
  type SpaceName,
  type StateStore,
  type StoredRecord,
  type WrittenRecord,
} from './state-store.js';

interface RedisStoreOptions {
  readonly now: () => number;
  /** Called when the connection is lost and when it is restored; the text contains no secret. */
  readonly onProblem?: ((message: string) => void) | undefined;
  /** How long a command may take before it is refused, in milliseconds; 2000 unless given. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 2_000;

/** State on Redis or Valkey servers (6.2 or newer), for many gateways on many machines. Opens without waiting for them. */
export class RedisStore implements StateStore {
  readonly description: string;
  readonly shared = true;
  readonly #connection: RedisConnection;
  readonly #name: string;
  readonly #prefix: string;
  readonly #now: () => number;
  readonly #readRecords: ReturnType<typeof createRecordReader>;
  readonly #bounds: Readonly<Record<SpaceName, SpaceBounds>>;

  /** @throws StoreError when an address is malformed; an unreachable server is not an error here. */
  constructor(config: RedisStoreConfig, { now, onProblem, deadlineMs = DEADLINE_MS }: RedisStoreOptions) {
    this.#name = config.prefix;
    // The braces make a cluster keep all keys in one slot, which scripts with several keys need.
    this.#prefix = `{${config.prefix}}`;
    this.#connection = new RedisConnection(config, { deadlineMs, onProblem, probeKey: `${this.#prefix}:probe` });
    this.description = `${this.#connection.place}, prefix '${config.prefix}'`;
    this.#readRecords = createRecordReader(this.description, onProblem);
    this.#now = now;
    const { sharedBytes: maxBytes, sharedBytesPerClient: maxBytesPerOwner } = config;
    const { results } = SPACE_BOUNDS;
    this.#bounds = {
      ...SPACE_BOUNDS,
      results: {
        maxBytes: maxBytes ?? results.maxBytes,
        maxBytesPerOwner: maxBytesPerOwner ?? results.maxBytesPerOwner,
      },
    };
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
    return found === null ? undefined : this.#readRecords(collection, [toWritten([key, ...found])])[0];
  }

  async replace(collection: Collection, key: string, version: number, value: JsonObject): Promise<boolean> {
    const args = [String(version), JSON.stringify(value)];
    return (await this.#run('replace', [this.#record(collection, key)], args)) === 1;
  }

  async remove(collection: Collection, key: string): Promise<boolean> {
    const keys = [this.#record(collection, key), this.#index(collection)] as const;
    return (await this.#run('remove', keys, [key, this.#tagged(collection, '')])) === 1;
  }

  async removeTagged(collection: Collection, tag: string): Promise<readonly string[]> {
    const keys = [this.#tagged(collection, tag), this.#index(collection)] as const;
    return (await this.#run('removeTagged', keys, [this.#record(collection, ''), tag])) as readonly string[];
  }

  async list(collection: Collection): Promise<readonly StoredRecord[]> {
    const found = await this.#run('list', [this.#index(collection)], [this.#record(collection, '')]);
    return this.#readRecords(collection, (found as readonly RecordReply[]).map(toWritten));
  }

  async increment(steps: readonly CounterStep[]): Promise<Increments> {
    const [first, ...others] = steps.map(({ counter }) => this.#counter(counter));
    if (first === undefined) return { values: [], added: true };
    const args = steps.flatMap(({ by, expiresAt, limit = '' }) => [String(by), String(expiresAt), String(limit)]);
    const [added, ...values] = (await this.#run('increment', [first, ...others], args)) as [number, ...string[]];
    return { values: values.map(Number), added: added === 1 };
  }

  async count(counter: string): Promise<number> {
    return Number(await this.#run('count', [this.#counter(counter)]));
  }

  openSpace(name: SpaceName): SharedSpace {
    const prefix = `${this.#name}:${name}`;
    return new RedisSpace({ connection: this.#connection, prefix, bounds: this.#bounds[name], now: this.#now });
  }

  /** Redis removes expired records by itself; this trims the indexes of collections without new records. */
  async purge(): Promise<void> {
    const [first, ...others] = COLLECTIONS;
    await this.#run('purge', [this.#index(first), ...others.map((collection) => this.#index(collection))]);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #run(script: RedisScriptName, keys: readonly [string, ...string[]], args: readonly string[] = []): Promise<unknown> {
    return this.#connection.run(REDIS_SCRIPTS[script], { keys, args: [String(this.#now()), ...args] });
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

function toWritten([key, value, version]: RecordReply): WrittenRecord {
  return { key, value, version: Number(version) };
}

interface RedisSpaceOptions {
  readonly connection: RedisConnection;
  /** What its keys begin with, without braces. */
  readonly prefix: string;
  readonly bounds: SpaceBounds;
  readonly now: () => number;
}

/**
 * A space on Redis. Names and owners are kept as digests: who reads the server learns neither who uses the gateway nor what to
 * send it. Its keys have a slot of their own, so that a cluster can keep them on another server than the records.
 */
class RedisSpace implements SharedSpace {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #bounds: SpaceBounds;
  readonly #now: () => number;

  constructor({ connection, prefix, bounds, now }: RedisSpaceOptions) {
    this.#connection = connection;
    this.#prefix = `{${prefix}}`;
    this.#bounds = bounds;
    this.#now = now;
  }

  async put(
    name: string,
    bytes: Buffer,
    { owner, expiresAt }: { readonly owner: string; readonly expiresAt: number },
  ): Promise<boolean> {
    const { maxBytes, maxBytesPerOwner } = this.#bounds;
    const limits = [String(maxBytes), String(maxBytesPerOwner)];
    return (await this.#run('spacePut', name, [digestOf(owner), String(expiresAt), ...limits, bytes])) === 1;
  }

  async get(name: string): Promise<Buffer | undefined> {
    const found = await this.#run('spaceGet', name, [String(this.#bounds.maxBytesPerOwner)]);
    return Buffer.isBuffer(found) ? found : undefined;
  }

  async renew(name: string, expiresAt: number): Promise<void> {
    await this.#run('spaceRenew', name, [String(expiresAt)]);
  }

  async remove(name: string): Promise<void> {
    await this.#run('spaceRemove', name, []);
  }

  #run(script: RedisScriptName, name: string, args: readonly (string | Buffer)[]): Promise<unknown> {
    const digest = digestOf(name);
    const entries = `${this.#prefix}:entry:`;
    return this.#connection.run(REDIS_SCRIPTS[script], {
      keys: [`${entries}${digest}`, `${this.#prefix}:index`, `${this.#prefix}:bytes`],
      args: [String(this.#now()), entries, digest, ...args],
      asBytes: true,
    });
  }
}

/** Without blanks, which separate the parts of a member in the index. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
