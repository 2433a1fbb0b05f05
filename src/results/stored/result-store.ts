import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../base/protocol/call.js';
import type { FieldSelection, MissingItems, StoredEntry } from '../query/result-types.js';
import { type PackedList, readPacked } from './packed-list.js';
import type { Fetched, Holder, ResultSharing } from './result-sharing.js';

/** The ordered items that a query found, for its next pages. */
export interface PageSnapshot {
  readonly session: string;
  readonly operation: string;
  /** Digest of arguments and of the query without its paging and fields. */
  readonly question: string;
  readonly items: PackedList;
  /** What the first page showed of its items; later ones show the same unless they say otherwise. */
  readonly fields?: FieldSelection;
  /** Set where the items are not all that the upstream has. */
  readonly missing?: MissingItems;
}

/** Writes the cursors of a snapshot. */
export interface PageCursors {
  cursorAt(index: number): string;
}

/** Where a cursor points, and the cursors of the other items. */
export interface CursorPosition extends PageCursors {
  readonly snapshot: PageSnapshot;
  /** The item that the cursor was given for. */
  readonly index: number;
}

/** A whole answer that was too big to send. */
export interface StoredResult {
  readonly operation: string;
  /** JSON text. */
  readonly dataText: string;
}

/**
 * Stores ordered items and whole answers: bounded in bytes over all callers, the least recently used are dropped first, and
 * each expires. Each belongs to one session: a cursor or a handle of another session is never valid.
 */
export interface ResultStore {
  /** Undefined where the list alone is beyond the bound: then there are no cursors. */
  storePages(snapshot: PageSnapshot, caller: Caller): PageCursors | undefined;
  /** Undefined for a cursor that is forged, another session's, or whose snapshot is gone; callers get one error for all. */
  findPage(cursor: string, caller: Caller): CursorPosition | undefined;
  /** Undefined where the result alone is beyond the bound. */
  storeResult(result: StoredResult, caller: Holder): string | undefined;
  /** A result as its operation and the bytes of its JSON text. */
  findContent(handle: string, caller: Holder): { readonly operation: string; readonly content: Buffer } | undefined;
  /** The operation of a result, without reading the result. */
  operationOf(handle: string, caller: Caller): string | undefined;
  endSession(sessionId: string): void;
  /** Bytes held now. */
  readonly bytes: number;
  /** The most bytes that it holds at once. */
  readonly maxBytes: number;
}

/** A store that takes what other threads have made. */
interface OwningResultStore extends ResultStore {
  /** Signs cursors. Never leaves the gateways. */
  readonly signingKey: Uint8Array;
  keep(entry: StoredEntry, caller: Caller): void;
  /**
   * Takes what a cursor or a handle names from the replica that has kept it. Undefined where there is nothing to wait for: it is
   * here, or there are no other replicas.
   */
  bring(reference: Reference, caller: Holder): Promise<Brought> | undefined;
  /** Resolves when the other replicas can find what was stored for the caller, or with false where they cannot yet; undefined where they can already. */
  shared(caller: Holder): Promise<boolean> | undefined;
}

/** What names something that is stored. */
export type Reference = { readonly cursor: string } | { readonly handle: string };

/** How large something is that only the replica has that made it; undefined where it is here now, or nowhere. */
type Brought = number | undefined;

export function newSnapshotId(): string {
  return randomBytes(SNAPSHOT_ID_BYTES).toString('base64url');
}

export function newHandle(): string {
  return `res_${randomBytes(HANDLE_BYTES).toString('base64url')}`;
}

/** Bytes that pages take. */
export function sizeOfPages({ items, fields, missing }: PageSnapshot): number {
  return items.bytes + JSON.stringify([fields, missing]).length * BYTES_PER_CHARACTER;
}

export function fitsBound(contentBytes: number, maxBytes: number): boolean {
  return contentBytes + ENTRY_BYTES <= maxBytes;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

interface ResultStoreOptions {
  /** Bound over all callers, snapshots and results together; positive. */
  readonly maxBytes: number;
  /** How long a snapshot lives after its last page was read, and a result after it was stored; milliseconds, positive. */
  readonly ttlMs: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  /** Where other replicas are to find it; absent where there are none. */
  readonly sharing?: ResultSharing | undefined;
}

type Entry =
  | { readonly session: string; readonly snapshot: PageSnapshot }
  | { readonly session: string; readonly operation: string; readonly content: Buffer };

/** Bytes that an entry takes beside its content: names, digests, its place in the cache. A high estimate. */
const ENTRY_BYTES = 1_024;

/** Bytes for each character of what a snapshot holds beside its items: short texts in small lists. A high estimate, too. */
const BYTES_PER_CHARACTER = 8;

/** Twelve characters in base64url. */
const HANDLE_BYTES = 9;

/** Stores snapshots and results in the memory of this process, in one cache, and shares them where there are replicas. */
export function createResultStore({
  maxBytes,
  ttlMs,
  now = () => performance.now(),
  sharing,
}: ResultStoreOptions): OwningResultStore {
  return new MemoryResultStore({ maxBytes, ttlMs, now, sharing });
}

class MemoryResultStore implements OwningResultStore {
  readonly #key = randomBytes(32);
  readonly #sharing: ResultSharing | undefined;
  readonly #keysBySession = new Map<string, Set<string>>();
  readonly #entries: LRUCache<string, Entry>;
  readonly maxBytes: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  #lastPurge: number;

  constructor({ maxBytes, ttlMs, now, sharing }: ResultStoreOptions & { readonly now: () => number }) {
    this.#sharing = sharing;
    this.maxBytes = maxBytes;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.#lastPurge = now();
    this.#entries = new LRUCache<string, Entry>({
      maxSize: maxBytes,
      ttl: ttlMs,
      ttlResolution: 0,
      // The cache treats an entry that starts at 0 as one that never expires.
      perf: { now: () => now() + 1 },
      dispose: (entry, key) => this.#forgetKey(entry.session, key),
    });
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  storePages(snapshot: PageSnapshot, caller: Caller): PageCursors | undefined {
    const id = newSnapshotId();
    const size = sizeOfPages(snapshot);
    if (!fitsBound(size, this.maxBytes)) return undefined;
    this.#store(id, { session: snapshot.session, snapshot }, size);
    const { items, ...rest } = snapshot;
    this.#sharing?.share({ kind: 'pages', id, snapshot: rest, content: items.content, ends: items.ends }, caller);
    return this.#cursorsOf(id);
  }

  findPage(cursor: string, caller: Caller): CursorPosition | undefined {
    const content = this.#readCursor(cursor);
    if (content === undefined) return undefined;
    const entry = this.#find(content.snapshot, caller, { updateAgeOnGet: true });
    if (entry === undefined || !('snapshot' in entry)) return undefined;
    return { snapshot: entry.snapshot, index: content.index, ...this.#cursorsOf(content.snapshot) };
  }

  storeResult({ operation, dataText }: StoredResult, caller: Holder): string | undefined {
    const handle = newHandle();
    const size = Buffer.byteLength(dataText);
    if (!fitsBound(size, this.maxBytes)) return undefined;
    // As bytes, whose number is known: a string may take two a character, or be a slice that holds on to a longer one.
    const content = Buffer.allocUnsafeSlow(size);
    content.write(dataText);
    this.#store(handle, { session: caller.sessionId, operation, content }, size);
    this.#sharing?.share({ kind: 'result', id: handle, operation, content }, caller);
    return handle;
  }

  findContent(handle: string, caller: Holder): { readonly operation: string; readonly content: Buffer } | undefined {
    const entry = this.#find(handle, caller, {});
    if (entry === undefined || !('content' in entry)) return undefined;
    return { operation: entry.operation, content: entry.content };
  }

  operationOf(handle: string, caller: Caller): string | undefined {
    const entry = this.#find(handle, caller, {});
    return entry === undefined || !('content' in entry) ? undefined : entry.operation;
  }

  get signingKey(): Buffer {
    return this.#sharing?.key() ?? this.#key;
  }

  keep(entry: StoredEntry, caller: Caller): void {
    this.#take(entry, caller);
    this.#sharing?.share(entry, caller);
  }

  bring(reference: Reference, caller: Holder): Promise<Brought> | undefined {
    const sharing = this.#sharing;
    if (sharing === undefined) return undefined;
    const id = 'handle' in reference ? reference.handle : this.#readCursor(reference.cursor)?.snapshot;
    if (id === undefined) return undefined;
    const entry = this.#find(id, caller, {});
    if (entry !== undefined) {
      if ('snapshot' in entry) sharing.renew(id, caller);
      return undefined;
    }
    return sharing.fetch(id, caller).then((fetched) => this.#takeFetched(fetched, caller));
  }

  shared(caller: Holder): Promise<boolean> | undefined {
    return this.#sharing?.written(caller);
  }

  #takeFetched(fetched: Fetched | undefined, caller: Holder): Brought {
    if (fetched?.kind === 'large') return fetched.bytes;
    if (fetched === undefined) return undefined;
    this.#take(fetched, caller);
    if (fetched.kind === 'pages') this.#sharing?.renew(fetched.id, caller);
    return undefined;
  }

  #take(entry: StoredEntry, { sessionId }: Holder): void {
    if (entry.kind === 'result') {
      const content = asBuffer(entry.content);
      if (!fitsBound(content.length, this.maxBytes)) return;
      this.#store(entry.id, { session: sessionId, operation: entry.operation, content }, content.length);
      return;
    }
    const items = readPacked(asBuffer(entry.content), entry.ends);
    const snapshot = { ...entry.snapshot, session: sessionId, items };
    const size = sizeOfPages(snapshot);
    if (fitsBound(size, this.maxBytes)) this.#store(entry.id, { session: sessionId, snapshot }, size);
  }

  endSession(sessionId: string): void {
    for (const key of [...(this.#keysBySession.get(sessionId) ?? [])]) this.#entries.delete(key);
  }

  #cursorsOf(snapshot: string): PageCursors {
    return { cursorAt: (index) => writeCursor(this.signingKey, { snapshot, index }) };
  }

  /** A cursor of the time before the shared key was known is signed with this process's own. */
  #readCursor(cursor: string): CursorContent | undefined {
    return readCursor(this.signingKey, cursor) ?? readCursor(this.#key, cursor);
  }

  #store(key: string, entry: Entry, contentBytes: number): void {
    this.#purge();
    this.#entries.set(key, entry, { size: contentBytes + ENTRY_BYTES });
    const keys = this.#keysBySession.get(entry.session);
    if (keys === undefined) this.#keysBySession.set(entry.session, new Set([key]));
    else keys.add(key);
  }

  /** Checks the session before it reads: an attempt of another session must not renew an entry. */
  #find(key: string, { sessionId }: Holder, options: { readonly updateAgeOnGet?: boolean }): Entry | undefined {
    return this.#entries.peek(key)?.session === sessionId ? this.#entries.get(key, options) : undefined;
  }

  /** Frees what has expired, at intervals: the cache itself notices only when the entry is read. */
  #purge(): void {
    if (this.#now() - this.#lastPurge < this.#ttlMs / 10) return;
    this.#lastPurge = this.#now();
    this.#entries.purgeStale();
  }

  #forgetKey(session: string, key: string): void {
    const keys = this.#keysBySession.get(session);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysBySession.delete(session);
    this.#sharing?.forget(key, session);
  }
}

/** What a cursor says: which snapshot, and which item of it. */
interface CursorContent {
  /** `SNAPSHOT_ID_BYTES` bytes in base64url. */
  readonly snapshot: string;
  /** From 0, below 2 to the power of 32. */
  readonly index: number;
}

export const SNAPSHOT_ID_BYTES = 8;

/** 64 bits are enough, because each guess costs one call and none can be checked offline; every byte costs tokens. */
const SIGNATURE_BYTES = 8;
/** Bytes of an index, seven bits in each. */
const MOST_INDEX_BYTES = 5;
const LARGEST_INDEX = 0xffff_ffff;

/**
 * Writes an opaque, URL-safe cursor of 23 to 28 characters.
 * @param key secret of this process; a cursor is useless without its snapshot, which does not outlive the process
 */
export function writeCursor(key: Buffer, { snapshot, index }: CursorContent): string {
  const content = Buffer.concat([Buffer.from(snapshot, 'base64url'), writeVarint(index)]);
  return Buffer.concat([content, sign(key, content)]).toString('base64url');
}

/** What a cursor says; undefined for any text that was not written with this key. Never throws. */
export function readCursor(key: Buffer, cursor: string): CursorContent | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const indexBytes = bytes.length - SNAPSHOT_ID_BYTES - SIGNATURE_BYTES;
  if (indexBytes < 1 || indexBytes > MOST_INDEX_BYTES) return undefined;
  const snapshot = bytes.toString('base64url', 0, SNAPSHOT_ID_BYTES);
  const index = readVarint(bytes.subarray(SNAPSHOT_ID_BYTES, SNAPSHOT_ID_BYTES + indexBytes));
  if (index > LARGEST_INDEX) return undefined;
  // Written again rather than taken apart: base64 and varints have several spellings for one value, and only the one that we write is valid.
  const ours = Buffer.from(writeCursor(key, { snapshot, index }));
  const theirs = Buffer.from(cursor);
  return ours.length === theirs.length && timingSafeEqual(ours, theirs) ? { snapshot, index } : undefined;
}

function sign(key: Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, SIGNATURE_BYTES);
}

/** Little end first, seven bits a byte; the eighth says that more follow. */
function writeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let remaining = value;
  while (remaining > 0x7f) {
    bytes.push((remaining & 0x7f) | 0x80);
    remaining = Math.floor(remaining / 0x80);
  }
  return Buffer.from([...bytes, remaining]);
}

function readVarint(bytes: Buffer): number {
  return bytes.reduceRight((value, byte) => value * 0x80 + (byte & 0x7f), 0);
}
