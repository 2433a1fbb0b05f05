import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/call.js';
import { DetachedResultStore } from '../../../../src/results/detached.js';
import { packList } from '../../../../src/results/stored/packed-list.js';
import {
  createResultStore,
  type PageSnapshot,
  type ResultStore,
  readCursor,
  SNAPSHOT_ID_BYTES,
  type StoredResult,
  writeCursor,
} from '../../../../src/results/stored/result-store.js';

/** A result as it was stored; undefined where there is none. */
function findText(store: ResultStore, handle: string, caller: Caller): StoredResult | undefined {
  const found = store.findContent(handle, caller);
  return found && { operation: found.operation, dataText: found.content.toString() };
}

const TTL_MS = 60_000;

function createClock() {
  let time = 0;
  return {
    now: () => time,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

function caller(sessionId: string): Caller {
  return { sessionId, clientName: 'test', transport: 'http' };
}

function snapshotOf(session: string, items: readonly unknown[]): PageSnapshot {
  return { session, operation: 'list_issues', question: 'q', items: packList(items) };
}

/** For the session that the snapshot names. */
function keepPages(stored: ResultStore, snapshot: PageSnapshot) {
  return stored.storePages(snapshot, caller(snapshot.session));
}

const ANN = caller('ann');
const BOB = caller('bob');
const RESULT = { operation: 'read_file', dataText: '"a long text, käpt"' };

function openService(maxBytes = 1_000_000) {
  const clock = createClock();
  return { clock, stored: createResultStore({ maxBytes, ttlMs: TTL_MS, now: clock.now }) };
}

function storeBoth(stored: ResultStore, owner: Caller): { cursor: string; handle: string } {
  const cursor = keepPages(stored, snapshotOf(owner.sessionId, [1, 2, 3]))?.cursorAt(2);
  const handle = stored.storeResult(RESULT, owner);
  return { cursor: cursor ?? '', handle: handle ?? '' };
}

describe('the result store', () => {
  it('finds the page that a cursor was given for', () => {
    const { stored } = openService();
    const snapshot = snapshotOf('ann', ['a', 'b']);
    const pages = keepPages(stored, snapshot);
    for (const index of [0, 1, 70_000]) {
      expect(stored.findPage(pages?.cursorAt(index) ?? '', ANN)).toMatchObject({ snapshot, index });
    }
  });

  it('writes further cursors from a given one', () => {
    const { stored } = openService();
    const pages = keepPages(stored, snapshotOf('ann', ['a', 'b']));
    const found = stored.findPage(pages?.cursorAt(0) ?? '', ANN);
    expect(stored.findPage(found?.cursorAt(1) ?? '', ANN)).toMatchObject({ index: 1 });
    expect(found?.cursorAt(0)).toBe(pages?.cursorAt(0));
  });

  it('finds the result that a handle was given for', () => {
    const { stored } = openService();
    const handle = stored.storeResult(RESULT, ANN) ?? '';
    expect(handle).toMatch(/^res_[A-Za-z0-9_-]{12}$/);
    expect(findText(stored, handle, ANN)).toEqual(RESULT);
  });

  it('stores empty lists and results', () => {
    const { stored } = openService();
    expect(keepPages(stored, snapshotOf('ann', []))).toBeDefined();
    expect(findText(stored, stored.storeResult({ operation: 'a', dataText: '' }, ANN) ?? '', ANN)?.dataText).toBe('');
  });

  it("does not give one session's pages and results to another", () => {
    const { stored } = openService();
    const { cursor, handle } = storeBoth(stored, ANN);
    expect(stored.findPage(cursor, BOB)).toBeUndefined();
    expect(findText(stored, handle, BOB)).toBeUndefined();
    expect(stored.findPage(cursor, ANN)).toBeDefined();
  });

  it('refuses a cursor as a handle and a handle as a cursor', () => {
    const { stored } = openService();
    const { cursor, handle } = storeBoth(stored, ANN);
    expect(findText(stored, cursor, ANN)).toBeUndefined();
    expect(stored.findPage(handle, ANN)).toBeUndefined();
    expect(findText(stored, '', ANN)).toBeUndefined();
  });

  it('refuses a cursor of another process', () => {
    const { cursor } = storeBoth(openService().stored, ANN);
    expect(openService().stored.findPage(cursor, ANN)).toBeUndefined();
  });

  it('drops pages that were not read for their time to live, and only those', () => {
    const { stored, clock } = openService();
    const { cursor } = storeBoth(stored, ANN);
    for (let reads = 0; reads < 5; reads++) {
      clock.pass(TTL_MS - 1);
      expect(stored.findPage(cursor, ANN)).toBeDefined();
    }
    clock.pass(TTL_MS + 1);
    expect(stored.findPage(cursor, ANN)).toBeUndefined();
  });

  it("does not renew pages by another session's attempts", () => {
    const { stored, clock } = openService();
    const { cursor } = storeBoth(stored, ANN);
    clock.pass(TTL_MS - 1);
    stored.findPage(cursor, BOB);
    clock.pass(2);
    expect(stored.findPage(cursor, ANN)).toBeUndefined();
  });

  it('drops a result a fixed time after it was stored, however often it was read', () => {
    const { stored, clock } = openService();
    const { handle } = storeBoth(stored, ANN);
    clock.pass(TTL_MS - 1);
    expect(findText(stored, handle, ANN)).toBeDefined();
    clock.pass(2);
    expect(findText(stored, handle, ANN)).toBeUndefined();
  });

  it('frees expired entries when something new is stored', () => {
    const { stored, clock } = openService();
    for (let index = 0; index < 20; index++) stored.storeResult(RESULT, ANN);
    clock.pass(TTL_MS + 1);
    const fresh = openService().stored;
    stored.storeResult(RESULT, BOB);
    fresh.storeResult(RESULT, BOB);
    expect(stored.bytes).toBe(fresh.bytes);
  });

  it('frees all entries of a session that ends, and no others', () => {
    const { stored } = openService();
    const bob = storeBoth(stored, BOB);
    const before = stored.bytes;
    const ann = [storeBoth(stored, ANN), storeBoth(stored, ANN)];
    stored.endSession('ann');
    expect(stored.bytes).toBe(before);
    for (const { cursor, handle } of ann) {
      expect(stored.findPage(cursor, ANN)).toBeUndefined();
      expect(findText(stored, handle, ANN)).toBeUndefined();
    }
    expect(stored.findPage(bob.cursor, BOB)).toBeDefined();
    stored.endSession('nobody');
    stored.endSession('bob');
    expect(stored.bytes).toBe(0);
  });

  it('does not store an entry that is bigger than the bound, and drops no other for it', () => {
    const { stored } = openService(20_000);
    const { cursor, handle } = storeBoth(stored, ANN);
    const big = 'x'.repeat(20_000);
    expect(keepPages(stored, snapshotOf('ann', [big]))).toBeUndefined();
    expect(stored.storeResult({ operation: 'a', dataText: big }, ANN)).toBeUndefined();
    expect(stored.findPage(cursor, ANN)).toBeDefined();
    expect(findText(stored, handle, ANN)).toBeDefined();
  });

  it('drops the least recently used entries first', () => {
    const { stored } = openService(10_000);
    const text = JSON.stringify('x'.repeat(2_000));
    const handles = [0, 1, 2].map(() => stored.storeResult({ operation: 'a', dataText: text }, ANN) ?? '');
    findText(stored, handles[0] ?? '', ANN);
    stored.storeResult({ operation: 'a', dataText: text }, BOB);
    expect(handles.map((handle) => findText(stored, handle, ANN) !== undefined)).toEqual([true, false, true]);
  });

  it('counts the bytes of the fields of pages', () => {
    const { stored } = openService(20_000);
    const fields = { paths: [['x'.repeat(20_000)]] };
    expect(keepPages(stored, { ...snapshotOf('ann', []), fields })).toBeUndefined();
  });

  it('counts the bytes of characters in UTF-8', () => {
    const narrow = openService().stored;
    const wide = openService().stored;
    narrow.storeResult({ operation: 'a', dataText: 'e'.repeat(1_000) }, ANN);
    wide.storeResult({ operation: 'a', dataText: '€'.repeat(1_000) }, ANN);
    expect(wide.bytes - narrow.bytes).toBe(2_000);
  });
});

describe('the result store under load', () => {
  const MAX_BYTES = 4_000_000;

  it('stays within its bound with 1,000 big results at once', async () => {
    const { stored } = openService(MAX_BYTES);
    let most = 0;
    const storeOne = async (index: number): Promise<string> => {
      await Promise.resolve();
      const owner = caller(`session-${index % 50}`);
      const items = Array.from({ length: 100 }, (_, row) => ({ row, text: 'x'.repeat(index) }));
      const pages = keepPages(stored, snapshotOf(owner.sessionId, items));
      const handle = stored.storeResult({ operation: 'a', dataText: JSON.stringify(items) }, owner);
      most = Math.max(most, stored.bytes);
      return `${pages?.cursorAt(0)}${handle}`;
    };
    const given = await Promise.all(Array.from({ length: 1_000 }, (_, index) => storeOne(index)));
    expect(new Set(given).size).toBe(1_000);
    expect(most).toBeLessThanOrEqual(MAX_BYTES);
    expect(most).toBeGreaterThan(MAX_BYTES / 2);
  });

  type Step =
    | { readonly do: 'pages' | 'result'; readonly session: string; readonly size: number }
    | { readonly do: 'end'; readonly session: string }
    | { readonly do: 'pass'; readonly ms: number };

  const sessions = fc.constantFrom('ann', 'bob', 'eve');
  const steps: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constantFrom('pages', 'result'), session: sessions, size: fc.nat(9_000) }),
    fc.record({ do: fc.constant('end'), session: sessions }),
    fc.record({ do: fc.constant('pass'), ms: fc.nat(TTL_MS) }),
  );

  it('never exceeds its bound and accounts for every byte, whatever is done', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (plan) => {
        const { stored, clock } = openService(20_000);
        for (const step of plan) {
          if (step.do === 'pass') clock.pass(step.ms);
          else if (step.do === 'end') stored.endSession(step.session);
          else if (step.do === 'pages') keepPages(stored, snapshotOf(step.session, ['x'.repeat(step.size)]));
          else stored.storeResult({ operation: 'a', dataText: 'x'.repeat(step.size) }, caller(step.session));
          expect(stored.bytes).toBeLessThanOrEqual(20_000);
        }
        for (const session of ['ann', 'bob', 'eve']) stored.endSession(session);
        expect(stored.bytes).toBe(0);
      }),
    );
  });
});

const KEY = Buffer.alloc(32, 7);

const contents = fc.record({
  snapshot: fc
    .uint8Array({ minLength: SNAPSHOT_ID_BYTES, maxLength: SNAPSHOT_ID_BYTES })
    .map((bytes) => Buffer.from(bytes).toString('base64url')),
  index: fc.nat(0xffff_ffff),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. ';

describe('cursor text', () => {
  it('reads what was written, in short text that is safe in a URL', () => {
    fc.assert(
      fc.property(contents, (content) => {
        const cursor = writeCursor(KEY, content);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{23,28}$/);
        expect(readCursor(KEY, cursor)).toEqual(content);
      }),
    );
  });

  it('refuses a cursor with any one character changed', () => {
    const content = { snapshot: Buffer.alloc(SNAPSHOT_ID_BYTES, 3).toString('base64url'), index: 1_234 };
    const cursor = writeCursor(KEY, content);
    const changed = Array.from(cursor).flatMap((own, at) =>
      Array.from(ALPHABET)
        .filter((character) => character !== own)
        .map((character) => cursor.slice(0, at) + character + cursor.slice(at + 1)),
    );
    expect(changed.length).toBeGreaterThan(1_500);
    expect(changed.filter((text) => readCursor(KEY, text) !== undefined)).toEqual([]);
  });

  it('refuses a cursor with characters added, left out or swapped', () => {
    fc.assert(
      fc.property(contents, fc.nat(30), fc.constantFrom(...ALPHABET), (content, at, character) => {
        const cursor = writeCursor(KEY, content);
        const variants = [
          cursor.slice(0, at) + character + cursor.slice(at),
          cursor.slice(0, at) + cursor.slice(at + 1),
          `${cursor}=`,
          ` ${cursor}`,
        ];
        for (const text of variants) if (text !== cursor) expect(readCursor(KEY, text)).toBeUndefined();
      }),
    );
  });

  it('refuses a cursor of another process', () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(readCursor(KEY, writeCursor(randomBytes(32), content))).toBeUndefined();
      }),
    );
  });

  it('refuses any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String({ minLength: 20 })), (text) => {
        expect(readCursor(KEY, text)).toBeUndefined();
      }),
    );
  });
});

it('a store in a thread takes what the store of the gateway would take, to the byte', () => {
  const takes = (store: ResultStore): readonly boolean[] => [
    keepPages(store, snapshotOf('ann', [1, 2, 3])) !== undefined,
    store.storeResult(RESULT, ANN) !== undefined,
  ];
  const decided = new Set<string>();
  for (let maxBytes = 0; maxBytes < 2_000; maxBytes += 1) {
    const here = takes(createResultStore({ maxBytes, ttlMs: TTL_MS, now: () => 0 }));
    expect(takes(new DetachedResultStore(Buffer.alloc(32), maxBytes))).toEqual(here);
    decided.add(String(here));
  }
  expect([...decided]).toEqual(expect.arrayContaining(['false,false', 'true,true']));
});
