import type { StoredEntry } from '../result-types.js';
import type { CursorPosition, PageCursors, PageSnapshot, ResultStore, StoredResult } from './result-store.js';
import { fitsBound, newHandle, newSnapshotId, sizeOfPages, writeCursor } from './result-store.js';

/** Takes what an answer wants stored, in a thread that has no store: the thread that has one keeps it afterwards. */
export class DetachedResultStore implements ResultStore {
  readonly entries: StoredEntry[] = [];
  readonly bytes = 0;
  readonly #key: Buffer;
  readonly maxBytes: number;

  /** @param key of the store that the entries go to */
  constructor(key: Buffer, maxBytes: number) {
    this.#key = key;
    this.maxBytes = maxBytes;
  }

  storePages(snapshot: PageSnapshot): PageCursors | undefined {
    if (!fitsBound(sizeOfPages(snapshot), this.maxBytes)) return undefined;
    const id = newSnapshotId();
    const { items, ...rest } = snapshot;
    this.entries.push({ kind: 'pages', id, snapshot: rest, content: items.content, ends: items.ends });
    return { cursorAt: (index) => writeCursor(this.#key, { snapshot: id, index }) };
  }

  storeResult({ operation, dataText }: StoredResult): string | undefined {
    const size = Buffer.byteLength(dataText);
    if (!fitsBound(size, this.maxBytes)) return undefined;
    const id = newHandle();
    // Shared, because it is read in threads.
    const content = Buffer.from(new SharedArrayBuffer(size));
    content.write(dataText);
    this.entries.push({ kind: 'result', id, operation, content });
    return id;
  }

  findPage(): CursorPosition | undefined {
    return undefined;
  }

  findContent(): undefined {
    return undefined;
  }

  operationOf(): string | undefined {
    return undefined;
  }

  endSession(): void {}
}
