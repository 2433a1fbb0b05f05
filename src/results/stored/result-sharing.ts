import { isJsonObject } from '../../base/json/json.js';
import { type Caller, principalOf } from '../../base/protocol/caller.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { StoredEntry } from '../query/result-types.js';

/** Whose an entry is. */
export type Holder = Pick<Caller, 'sessionId' | 'client' | 'user'>;

/** Bytes that every replica finds by name. */
export interface SharedBytes {
  /** False where they are too many. */
  put(name: string, bytes: Buffer, options: { readonly owner: string; readonly expiresAt: number }): Promise<boolean>;
  /** Rejects with an `OperationError` while it cannot be known whether they are there. */
  get(name: string): Promise<Buffer | undefined>;
  renew(name: string, expiresAt: number): Promise<void>;
}

export interface ResultSharingOptions {
  readonly bytes: SharedBytes;
  /** Signs cursors in all replicas; undefined while it is not known yet. */
  readonly key: () => Buffer | undefined;
  /** Whether the place of the bytes fails, or did of late, so that what another replica has put there may not have arrived. */
  readonly isTroubled: () => boolean;
  readonly ttlMs: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** What another replica has kept, or that it was too large to be shared. */
export type Fetched = StoredEntry | { readonly kind: 'large'; readonly bytes: number };

/** One entry that is larger would hold up what is sent over the same connection. */
const MOST_BYTES = 16_777_216;

/** How often what could not be shared is tried again. */
const AGAIN_MS = 2_000;

/**
 * Gives the pages and results of authenticated callers to the other replicas, before the answer that names them is sent. The
 * sessions of other callers are known to one replica, and so is what belongs to them.
 */
export class ResultSharing {
  readonly #bytes: SharedBytes;
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #isTroubled: () => boolean;
  readonly #writing = new Map<string, Promise<boolean>>();
  /** What is not shared yet, by name: the ways to do it. */
  readonly #left = new Map<string, () => Promise<boolean>>();
  #again: NodeJS.Timeout | undefined;
  readonly key: () => Buffer | undefined;

  constructor({ bytes, key, isTroubled, ttlMs, now = Date.now }: ResultSharingOptions) {
    this.#bytes = bytes;
    this.#isTroubled = isTroubled;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.key = key;
  }

  /** Begins to share an entry; `written` waits for it. What cannot be shared is tried again until this replica forgets it. */
  share(entry: StoredEntry, caller: Holder): void {
    const owner = ownerOf(caller);
    if (owner === undefined) return;
    const { sessionId } = caller;
    const name = nameOf(sessionId, entry.id);
    const put = (): Promise<boolean> => this.#put(name, entry, owner);
    this.#left.set(name, put);
    const writing = Promise.all([this.#writing.get(sessionId), put()]).then(([before = true, isShared]) => {
      if (this.#writing.get(sessionId) === writing) this.#writing.delete(sessionId);
      return before && isShared;
    });
    this.#writing.set(sessionId, writing);
  }

  /**
   * Resolves when what the session has shared can be found by all, or with false where the first try has failed; undefined where nothing is on
   * its way. Never rejects.
   */
  written({ sessionId }: Holder): Promise<boolean> | undefined {
    return this.#writing.get(sessionId);
  }

  /** This replica does not keep it any more. */
  forget(id: string, sessionId: string): void {
    this.#left.delete(nameOf(sessionId, id));
  }

  /** What another replica has shared with this session under the name. Rejects where it cannot be looked up now. */
  async fetch(id: string, caller: Holder): Promise<Fetched | undefined> {
    if (ownerOf(caller) === undefined) return undefined;
    const bytes = await this.#bytes.get(nameOf(caller.sessionId, id));
    if (bytes === undefined && this.#isTroubled()) throw copyMayCome();
    return bytes === undefined ? undefined : readEntry(bytes, id);
  }

  /** What was read lives on. */
  renew(id: string, caller: Holder): void {
    if (ownerOf(caller) === undefined) return;
    this.#bytes.renew(nameOf(caller.sessionId, id), this.#now() + this.#ttlMs).catch(ignore);
  }

  /** A fault leaves the entry with this replica alone for now; the store's own state says why. */
  async #put(name: string, entry: StoredEntry, owner: string): Promise<boolean> {
    const options = { owner, expiresAt: this.#now() + this.#ttlMs };
    try {
      const bytes = writeEntry(entry);
      const isStored = bytes.length <= MOST_BYTES && (await this.#bytes.put(name, bytes, options));
      if (!isStored) await this.#bytes.put(name, writeParts({ kind: 'large', bytes: bytes.length }), options);
      return this.#left.delete(name);
    } catch {
      this.#again ??= setTimeout(() => void this.#putAgain(), AGAIN_MS).unref();
      return false;
    }
  }

  /** One after the other, up to the first that fails. */
  async #putAgain(): Promise<void> {
    this.#again = undefined;
    for (const put of [...this.#left.values()]) if (!(await put())) return;
  }
}

/** What another replica made may be on its way still. */
function copyMayCome(): OperationError {
  return new OperationError(
    'INTERNAL_ERROR',
    "Internal error: 'the state store has been failing, and this gateway may not have the result yet'. " +
      `Ask again in ${COPY_COMES_SECONDS} seconds, or call the operation again from its beginning`,
    { reason: 'unavailable', retryable: true, outcome: 'not_run', retry_after_seconds: COPY_COMES_SECONDS },
  );
}

const COPY_COMES_SECONDS = 2;

function ignore(): void {}

/** Whose share of the bytes it is. */
function ownerOf(caller: Holder): string | undefined {
  const principal = principalOf(caller);
  return principal && `${principal.kind}:${principal.name}`;
}

/** The session is part of the name: what belongs to another one is not there. */
function nameOf(session: string, id: string): string {
  return JSON.stringify([session, id]);
}

function writeEntry(entry: StoredEntry): Buffer {
  if (entry.kind === 'result') {
    const { kind, operation, content } = entry;
    return writeParts({ kind, operation }, content);
  }
  const { kind, snapshot, content, ends } = entry;
  return writeParts({ kind, snapshot, items: ends.length }, content, asBytes(ends));
}

/** The length of the head in four bytes, the head as JSON, and the rest. */
function writeParts(head: object, ...rest: readonly Uint8Array[]): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(HEAD_LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...rest]);
}

const HEAD_LENGTH_BYTES = 4;

/** Undefined for what another release has written. */
function readEntry(bytes: Buffer, id: string): Fetched | undefined {
  const start = HEAD_LENGTH_BYTES + bytes.readUInt32BE();
  const head: unknown = JSON.parse(bytes.toString('utf8', HEAD_LENGTH_BYTES, start));
  const rest = bytes.subarray(start);
  if (!isJsonObject(head)) return undefined;
  const { kind, operation, snapshot, items, bytes: size } = head;
  if (kind === 'large' && typeof size === 'number') return { kind, bytes: size };
  if (kind === 'result' && typeof operation === 'string') return { kind, id, operation, content: rest };
  if (kind !== 'pages' || typeof items !== 'number' || !isPages(snapshot)) return undefined;
  const split = rest.length - items * Uint32Array.BYTES_PER_ELEMENT;
  // A copy, because numbers start at multiples of four bytes.
  const ends = new Uint32Array(Uint8Array.from(rest.subarray(split)).buffer);
  return { kind, id, snapshot, content: rest.subarray(0, split), ends };
}

type StoredPages = Extract<StoredEntry, { readonly kind: 'pages' }>['snapshot'];

/** Only gateways of this configuration write here. */
function isPages(value: unknown): value is StoredPages {
  return isJsonObject(value) && typeof value['session'] === 'string' && typeof value['question'] === 'string';
}

function asBytes({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
