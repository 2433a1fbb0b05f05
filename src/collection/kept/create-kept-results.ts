import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../protocol/caller.js';
import type { CursorPosition, KeptResult, KeptResults, PageCursors, PageSnapshot } from '../kept-results.js';
import { readCursor, SNAPSHOT_ID_BYTES, writeCursor } from './cursor-text.js';

export interface KeptResultsOptions {
  /** Bound over all callers, snapshots and results together; positive. */
  readonly maxBytes: number;
  /** A snapshot lives so long after its last page was read, a result so long after it was kept; milliseconds, positive. */
  readonly ttlMs: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

type Entry =
  | { readonly session: string; readonly snapshot: PageSnapshot }
  | { readonly session: string; readonly operation: string; readonly content: Buffer };

/** What an entry takes beside its content: names, digests, its place in the cache. On the safe side. */
const ENTRY_BYTES = 1_024;

/** Of the fields that a snapshot was asked for with: short texts in small lists. On the safe side, too. */
const BYTES_PER_CHARACTER = 8;

/** Base64url makes twelve characters of them. */
const HANDLE_BYTES = 9;

/** Keeps snapshots and results in the memory of this process, in one cache: what is used least makes room for what is new. */
export function createKeptResults({ maxBytes, ttlMs, now = () => performance.now() }: KeptResultsOptions): KeptResults {
  return new MemoryKeptResults(maxBytes, ttlMs, now);
}

class MemoryKeptResults implements KeptResults {
  readonly #key = randomBytes(32);
  readonly #keysBySession = new Map<string, Set<string>>();
  readonly #entries: LRUCache<string, Entry>;
  readonly #maxBytes: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  #lastPurge: number;

  constructor(maxBytes: number, ttlMs: number, now: () => number) {
    this.#maxBytes = maxBytes;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.#lastPurge = now();
    this.#entries = new LRUCache<string, Entry>({
      maxSize: maxBytes,
      ttl: ttlMs,
      ttlResolution: 0,
      // The cache takes a start of 0 for an entry without an end.
      perf: { now: () => now() + 1 },
      dispose: (entry, key) => this.#forgetKey(entry.session, key),
    });
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  keepPages(snapshot: PageSnapshot): PageCursors | undefined {
    const id = randomBytes(SNAPSHOT_ID_BYTES).toString('base64url');
    const { session, items, fields = null } = snapshot;
    const size = items.bytes + JSON.stringify(fields).length * BYTES_PER_CHARACTER;
    if (!this.#hasRoom(size)) return undefined;
    this.#keep(id, { session, snapshot }, size);
    return this.#cursorsOf(id);
  }

  findPage(cursor: string, caller: Caller): CursorPosition | undefined {
    const content = readCursor(this.#key, cursor);
    if (content === undefined) return undefined;
    const entry = this.#find(content.snapshot, caller, { updateAgeOnGet: true });
    if (entry === undefined || !('snapshot' in entry)) return undefined;
    return { snapshot: entry.snapshot, index: content.index, ...this.#cursorsOf(content.snapshot) };
  }

  keepResult({ operation, dataText }: KeptResult, { sessionId }: Caller): string | undefined {
    const handle = `res_${randomBytes(HANDLE_BYTES).toString('base64url')}`;
    const size = Buffer.byteLength(dataText);
    if (!this.#hasRoom(size)) return undefined;
    // As bytes, whose number is known: a string may take two a character, or be a slice that holds on to a longer one.
    const content = Buffer.allocUnsafeSlow(size);
    content.write(dataText);
    this.#keep(handle, { session: sessionId, operation, content }, size);
    return handle;
  }

  findResult(handle: string, caller: Caller): KeptResult | undefined {
    const entry = this.#find(handle, caller, {});
    if (entry === undefined || !('content' in entry)) return undefined;
    return { operation: entry.operation, dataText: entry.content.toString() };
  }

  endSession(sessionId: string): void {
    for (const key of [...(this.#keysBySession.get(sessionId) ?? [])]) this.#entries.delete(key);
  }

  #cursorsOf(snapshot: string): PageCursors {
    return { cursorAt: (index) => writeCursor(this.#key, { snapshot, index }) };
  }

  #hasRoom(contentBytes: number): boolean {
    return contentBytes + ENTRY_BYTES <= this.#maxBytes;
  }

  #keep(key: string, entry: Entry, contentBytes: number): void {
    this.#purge();
    this.#entries.set(key, entry, { size: contentBytes + ENTRY_BYTES });
    const keys = this.#keysBySession.get(entry.session);
    if (keys === undefined) this.#keysBySession.set(entry.session, new Set([key]));
    else keys.add(key);
  }

  /** Looks before it reads: somebody else's attempt must not make an entry younger. */
  #find(key: string, { sessionId }: Caller, options: { readonly updateAgeOnGet?: boolean }): Entry | undefined {
    return this.#entries.peek(key)?.session === sessionId ? this.#entries.get(key, options) : undefined;
  }

  /** Frees what has expired, at intervals: the cache itself notices only when it is asked for it. */
  #purge(): void {
    if (this.#now() - this.#lastPurge < this.#ttlMs / 10) return;
    this.#lastPurge = this.#now();
    this.#entries.purgeStale();
  }

  #forgetKey(session: string, key: string): void {
    const keys = this.#keysBySession.get(session);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysBySession.delete(session);
  }
}
