import type { JsonObject } from '../protocol/json.js';
import { firstVersion } from './first-version.js';
import { RedisConnection } from './redis-connection.js';
import { REDIS_SCRIPTS, type RedisScriptName } from './redis-scripts.js';
import {
  COLLECTIONS,
  type Collection,
  type CounterStep,
  type Increment,
  type Increments,
  type RecordOptions,
  type StateStore,
  type StoredRecord,
} from './state-store.js';

export interface RedisStoreOptions {
  readonly now: () => number;
  /** Told when the connection is lost and when it is back; the text holds no secret. */
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

  /** @throws StoreError when the URL is none; a server that is away is no error here. */
  constructor(url: string, prefix: string, { now, onProblem, deadlineMs = DEADLINE_MS }: RedisStoreOptions) {
    this.#connection = new RedisConnection(url, { deadlineMs, onProblem });
    this.description = `Redis at '${this.#connection.address}', prefix '${prefix}'`;
    // The braces make a cluster keep all of it in one slot, which scripts with several keys need.
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

  /** Redis frees what has expired by itself; this trims the indexes of what nobody inserts into any more. */
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
