import { randomInt } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { parseBounded } from '../base/protocol/weigh-text.js';

/** The kinds of record. A closed list, so that two modules cannot use one name for different records. */
export const COLLECTIONS = [
  'token',
  'kept_call',
  'program',
  'approval',
  'approval_key',
  'journal',
  'execution',
  'running_execution',
  'execution_request',
  'secret',
  'challenge',
  'agent_block',
  'grant',
  'connect_link',
  'oauth_client',
  'replica',
] as const;

export type Collection = (typeof COLLECTIONS)[number];

/** The current state of a record, and its version. */
export interface StoredRecord {
  readonly key: string;
  readonly value: JsonObject;
  /** Grows with each change; `replace` compares it. */
  readonly version: number;
}

/** A record with its value as JSON text. */
export interface WrittenRecord extends Omit<StoredRecord, 'value'> {
  readonly value: string;
}

/**
 * What a record, and all that are read at once, are no longer than, as what is kept is held against the limits of requests. Another one
 * is not taken out of the store, and of many none of those that expire last.
 */
export const MOST_READ_LENGTH = 16_777_216;
const MOST_VALUES = 1_000_000;

/** Reads records where those that are damaged, or too many, are passed over, which is said once for a collection. */
export function createRecordReader(description: string, onProblem: ((message: string) => void) | undefined) {
  const damaged = new Set<Collection>();
  return (collection: Collection, written: readonly WrittenRecord[]): readonly StoredRecord[] => {
    const left = { values: MOST_VALUES };
    return written.flatMap(({ value: text, ...record }) => {
      const value = parseObject(text, left);
      if (value !== undefined) return [{ ...record, value }];
      if (!damaged.has(collection))
        onProblem?.(
          `${description} has records of the kind '${collection}' that are damaged or too long, which are passed over.`,
        );
      damaged.add(collection);
      return [];
    });
  };
}

function parseObject(text: string, left: { values: number }): JsonObject | undefined {
  try {
    const value = parseBounded(text, left);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface RecordOptions {
  /** When the record expires, in milliseconds since the epoch; from then on it is not found. */
  readonly expiresAt: number;
  /** Groups records for `removeTagged`: a session. */
  readonly tag?: string;
}

/** What is added to a counter, which starts at 0 and expires at `expiresAt` of its first increment. */
export interface CounterStep {
  readonly counter: string;
  readonly by: number;
  readonly expiresAt: number;
  readonly limit?: number | undefined;
}

export interface Increments {
  /** The counters after the attempt, in the order of the steps. */
  readonly values: readonly number[];
  /** False when one of the sums would exceed its limit; nothing is added to any counter then. */
  readonly added: boolean;
}

/**
 * State that outlives a call: several gateways may share it, and it may survive a restart. Every method is atomic, also
 * over processes, and rejects with a `StoreError` when the store cannot be reached; callers then refuse the call.
 */
export interface StateStore {
  /** What it is and where, for people; contains no secret. */
  readonly description: string;
  /** Whether another process that reads the same configuration sees the same state. */
  readonly shared: boolean;
  /** Adds a record; false when the key is taken. */
  insert(collection: Collection, key: string, value: JsonObject, options: RecordOptions): Promise<boolean>;
  get(collection: Collection, key: string): Promise<StoredRecord | undefined>;
  /** Changes a record that is still in the version the caller has seen; false when it is not, or gone. */
  replace(collection: Collection, key: string, version: number, value: JsonObject): Promise<boolean>;
  remove(collection: Collection, key: string): Promise<boolean>;
  /** Removes the records of a tag; returns their keys. */
  removeTagged(collection: Collection, tag: string): Promise<readonly string[]>;
  /** The records of a collection, those that expire first first. */
  list(collection: Collection): Promise<readonly StoredRecord[]>;
  /** Adds to all of these counters, each named once, or to none of them. */
  increment(steps: readonly CounterStep[]): Promise<Increments>;
  /** Reads a counter without changing it; 0 where there is none. */
  count(counter: string): Promise<number>;
  /** Opens a space that gateways on other machines find too; absent where the store is of one machine. */
  openSpace?(name: SpaceName): SharedSpace;
  /** Removes what has expired, where the store does not do so by itself. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

/** What uses the state: each is one question and one answer of plain data, so that it may be asked around a guard or of a thread. */
const USES = [
  'insert',
  'get',
  'replace',
  'remove',
  'removeTagged',
  'list',
  'increment',
  'count',
  'purge',
] as const satisfies readonly (keyof StateStore)[];

/** One use of a store. */
export interface StoreUse {
  readonly method: (typeof USES)[number] | 'close';
  readonly args: readonly unknown[];
}

/** The methods that use the state, each of which does what `use` does. */
export function makeUses(use: (use: StoreUse) => Promise<unknown>): Pick<StateStore, (typeof USES)[number]> {
  const entries = USES.map((method) => [method, (...args: readonly unknown[]) => use({ method, args })]);
  return Object.fromEntries(entries);
}

export function runUse(store: StateStore, { method, args }: StoreUse): Promise<unknown> {
  return (store[method] as (...args: unknown[]) => Promise<unknown>).apply(store, [...args]);
}

/**
 * Bytes that every gateway of one store finds by name: bounded and expiring, for what is too large or too short-lived for a
 * record. What expires first makes room, of the same owner before that of others.
 */
export interface SharedSpace {
  /** Adds or replaces; false where the bytes alone are beyond a bound. */
  put(name: string, bytes: Buffer, options: { readonly owner: string; readonly expiresAt: number }): Promise<boolean>;
  get(name: string): Promise<Buffer | undefined>;
  /** @param expiresAt when it expires from now on, in milliseconds since the epoch */
  renew(name: string, expiresAt: number): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The kinds of things that are shared. A closed list, so that two modules cannot use one for different things. */
export type SpaceName = keyof typeof SPACE_BOUNDS;

const MEGABYTE = 1_048_576;

/** What each may take unless the configuration says otherwise. */
export const SPACE_BOUNDS = {
  /** The parts of large answers. */
  results: { maxBytes: 256 * MEGABYTE, maxBytesPerOwner: 32 * MEGABYTE },
  /** What a session's client has said. */
  sessions: { maxBytes: 64 * MEGABYTE, maxBytesPerOwner: 4 * MEGABYTE },
  /** Which operations were used most. */
  rankings: { maxBytes: MEGABYTE, maxBytesPerOwner: MEGABYTE },
} satisfies Readonly<Record<string, SpaceBounds>>;

/** In bytes. */
export interface SpaceBounds {
  readonly maxBytes: number;
  readonly maxBytesPerOwner: number;
}

/** The store cannot do its work: unreachable, unwritable, damaged. The cause is for the log. */
export class StoreError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'StoreError';
  }
}

/** Low enough that a version stays an exact number after many changes. */
const CEILING = 2 ** 47;

/**
 * The first version of a new record. It is random: otherwise a record that was removed and inserted again could have the
 * version of its predecessor.
 */
export function firstVersion(): number {
  return randomInt(1, CEILING);
}

/** Whether all sums stay within their limits. @param values the counters before, in the order of the steps */
export function fitLimits(steps: readonly CounterStep[], values: readonly number[]): boolean {
  return steps.every(({ by, limit }, index) => limit === undefined || (values[index] ?? 0) + by <= limit);
}
