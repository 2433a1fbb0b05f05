import type { JsonObject } from '../base/json/json.js';
import {
  type Collection,
  type CounterStep,
  firstVersion,
  fitLimits,
  type Increments,
  type RecordOptions,
  type StateStore,
  type StoredRecord,
  StoreError,
} from './state-store.js';

interface Entry {
  /** JSON text, so that a change of an object that was passed in or out does not change what is stored. */
  readonly text: string;
  readonly version: number;
  readonly expiresAt: number;
  readonly tag: string | undefined;
}

interface Counter {
  readonly value: number;
  readonly expiresAt: number;
}

/** State in the memory of this process, lost when it ends. */
export class MemoryStore implements StateStore {
  readonly description = 'memory of this process';
  readonly shared = false;
  readonly #now: () => number;
  readonly #records: Readonly<Record<Collection, Map<string, Entry>>> = {
    token: new Map(),
    kept_call: new Map(),
    program: new Map(),
    approval: new Map(),
    approval_key: new Map(),
    journal: new Map(),
    secret: new Map(),
    execution: new Map(),
    running_execution: new Map(),
    execution_request: new Map(),
    challenge: new Map(),
    agent_block: new Map(),
    grant: new Map(),
    connect_link: new Map(),
    oauth_client: new Map(),
    replica: new Map(),
  };
  readonly #counters = new Map<string, Counter>();
  #closed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  async insert(collection: Collection, key: string, value: JsonObject, options: RecordOptions): Promise<boolean> {
    if (this.#find(collection, key) !== undefined) return false;
    const { expiresAt, tag } = options;
    this.#records[collection].set(key, { text: JSON.stringify(value), version: firstVersion(), expiresAt, tag });
    return true;
  }

  async get(collection: Collection, key: string): Promise<StoredRecord | undefined> {
    const entry = this.#find(collection, key);
    return entry === undefined ? undefined : toRecord(key, entry);
  }

  async replace(collection: Collection, key: string, version: number, value: JsonObject): Promise<boolean> {
    const entry = this.#find(collection, key);
    if (entry?.version !== version) return false;
    this.#records[collection].set(key, { ...entry, text: JSON.stringify(value), version: version + 1 });
    return true;
  }

  async remove(collection: Collection, key: string): Promise<boolean> {
    const found = this.#find(collection, key) !== undefined;
    this.#records[collection].delete(key);
    return found;
  }

  async removeTagged(collection: Collection, tag: string): Promise<readonly string[]> {
    const keys = this.#live(collection).flatMap(([key, entry]) => (entry.tag === tag ? [key] : []));
    for (const key of keys) this.#records[collection].delete(key);
    return keys;
  }

  async list(collection: Collection): Promise<readonly StoredRecord[]> {
    return this.#live(collection)
      .sort(([, one], [, other]) => one.expiresAt - other.expiresAt)
      .map(([key, entry]) => toRecord(key, entry));
  }

  async increment(steps: readonly CounterStep[]): Promise<Increments> {
    const counters = steps.map((step) => ({ step, current: this.#findCounter(step.counter) }));
    const before = counters.map(({ current }) => current?.value ?? 0);
    if (!fitLimits(steps, before)) return { values: before, added: false };
    const values = counters.map(({ step: { counter, by, expiresAt }, current }) => {
      const value = (current?.value ?? 0) + by;
      this.#counters.set(counter, { value, expiresAt: current?.expiresAt ?? expiresAt });
      return value;
    });
    return { values, added: true };
  }

  async count(counter: string): Promise<number> {
    return this.#findCounter(counter)?.value ?? 0;
  }

  async purge(): Promise<void> {
    this.#assertOpen();
    for (const entries of [...Object.values(this.#records), this.#counters]) {
      for (const [key, { expiresAt }] of entries) if (expiresAt <= this.#now()) entries.delete(key);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #find(collection: Collection, key: string): Entry | undefined {
    this.#assertOpen();
    return unlessExpired(this.#records[collection].get(key), this.#now());
  }

  #findCounter(name: string): Counter | undefined {
    this.#assertOpen();
    return unlessExpired(this.#counters.get(name), this.#now());
  }

  #live(collection: Collection): [string, Entry][] {
    this.#assertOpen();
    const now = this.#now();
    return [...this.#records[collection]].filter(([, entry]) => entry.expiresAt > now);
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('The state store is closed.');
  }
}

function unlessExpired<T extends { readonly expiresAt: number }>(entry: T | undefined, now: number): T | undefined {
  return entry !== undefined && entry.expiresAt > now ? entry : undefined;
}

function toRecord(key: string, { text, version }: Entry): StoredRecord {
  return { key, value: JSON.parse(text) as JsonObject, version };
}
