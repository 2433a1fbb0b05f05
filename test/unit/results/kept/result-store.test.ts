import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/protocol/call.js';
import {
  createKeptResults,
  type KeptResults,
  type PageSnapshot,
  packList,
} from '../../../../src/results/kept/result-store.js';

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

const ANN = caller('ann');
const BOB = caller('bob');
const RESULT = { operation: 'read_file', dataText: '"a long text, käpt"' };

function openDesk(maxBytes = 1_000_000) {
  const clock = createClock();
  return { clock, kept: createKeptResults({ maxBytes, ttlMs: TTL_MS, now: clock.now }) };
}

function keepBoth(kept: KeptResults, owner: Caller): { cursor: string; handle: string } {
  const cursor = kept.keepPages(snapshotOf(owner.sessionId, [1, 2, 3]))?.cursorAt(2);
  const handle = kept.keepResult(RESULT, owner);
  return { cursor: cursor ?? '', handle: handle ?? '' };
}

describe('kept results', () => {
  it('finds the page that a cursor was given for', () => {
    const { kept } = openDesk();
    const snapshot = snapshotOf('ann', ['a', 'b']);
    const pages = kept.keepPages(snapshot);
    for (const index of [0, 1, 70_000]) {
      expect(kept.findPage(pages?.cursorAt(index) ?? '', ANN)).toMatchObject({ snapshot, index });
    }
  });

  it('writes further cursors from the one that came', () => {
    const { kept } = openDesk();
    const pages = kept.keepPages(snapshotOf('ann', ['a', 'b']));
    const found = kept.findPage(pages?.cursorAt(0) ?? '', ANN);
    expect(kept.findPage(found?.cursorAt(1) ?? '', ANN)).toMatchObject({ index: 1 });
    expect(found?.cursorAt(0)).toBe(pages?.cursorAt(0));
  });

  it('finds the result that a handle was given for', () => {
    const { kept } = openDesk();
    const handle = kept.keepResult(RESULT, ANN) ?? '';
    expect(handle).toMatch(/^res_[A-Za-z0-9_-]{12}$/);
    expect(kept.findResult(handle, ANN)).toEqual(RESULT);
  });

  it('keeps the smallest things', () => {
    const { kept } = openDesk();
    expect(kept.keepPages(snapshotOf('ann', []))).toBeDefined();
    expect(kept.findResult(kept.keepResult({ operation: 'a', dataText: '' }, ANN) ?? '', ANN)?.dataText).toBe('');
  });

  it("gives nobody another session's pages and results", () => {
    const { kept } = openDesk();
    const { cursor, handle } = keepBoth(kept, ANN);
    expect(kept.findPage(cursor, BOB)).toBeUndefined();
    expect(kept.findResult(handle, BOB)).toBeUndefined();
    expect(kept.findPage(cursor, ANN)).toBeDefined();
  });

  it('takes no cursor for a handle and no handle for a cursor', () => {
    const { kept } = openDesk();
    const { cursor, handle } = keepBoth(kept, ANN);
    expect(kept.findResult(cursor, ANN)).toBeUndefined();
    expect(kept.findPage(handle, ANN)).toBeUndefined();
    expect(kept.findResult('', ANN)).toBeUndefined();
  });

  it('gives no cursor of another process any meaning', () => {
    const { cursor } = keepBoth(openDesk().kept, ANN);
    expect(openDesk().kept.findPage(cursor, ANN)).toBeUndefined();
  });

  it('forgets pages when they were not read for their time, and only then', () => {
    const { kept, clock } = openDesk();
    const { cursor } = keepBoth(kept, ANN);
    for (let reads = 0; reads < 5; reads++) {
      clock.pass(TTL_MS - 1);
      expect(kept.findPage(cursor, ANN)).toBeDefined();
    }
    clock.pass(TTL_MS + 1);
    expect(kept.findPage(cursor, ANN)).toBeUndefined();
  });

  it("does not make pages younger by another session's attempts", () => {
    const { kept, clock } = openDesk();
    const { cursor } = keepBoth(kept, ANN);
    clock.pass(TTL_MS - 1);
    kept.findPage(cursor, BOB);
    clock.pass(2);
    expect(kept.findPage(cursor, ANN)).toBeUndefined();
  });

  it('forgets a result a fixed time after it was kept, however often it was read', () => {
    const { kept, clock } = openDesk();
    const { handle } = keepBoth(kept, ANN);
    clock.pass(TTL_MS - 1);
    expect(kept.findResult(handle, ANN)).toBeDefined();
    clock.pass(2);
    expect(kept.findResult(handle, ANN)).toBeUndefined();
  });

  it('frees what has expired once something new is kept', () => {
    const { kept, clock } = openDesk();
    for (let index = 0; index < 20; index++) kept.keepResult(RESULT, ANN);
    clock.pass(TTL_MS + 1);
    const fresh = openDesk().kept;
    kept.keepResult(RESULT, BOB);
    fresh.keepResult(RESULT, BOB);
    expect(kept.bytes).toBe(fresh.bytes);
  });

  it('frees everything of a session that ends, and nothing else', () => {
    const { kept } = openDesk();
    const bob = keepBoth(kept, BOB);
    const before = kept.bytes;
    const ann = [keepBoth(kept, ANN), keepBoth(kept, ANN)];
    kept.endSession('ann');
    expect(kept.bytes).toBe(before);
    for (const { cursor, handle } of ann) {
      expect(kept.findPage(cursor, ANN)).toBeUndefined();
      expect(kept.findResult(handle, ANN)).toBeUndefined();
    }
    expect(kept.findPage(bob.cursor, BOB)).toBeDefined();
    kept.endSession('nobody');
    kept.endSession('bob');
    expect(kept.bytes).toBe(0);
  });

  it('keeps nothing that is beyond the bound alone, and loses nothing for it', () => {
    const { kept } = openDesk(20_000);
    const { cursor, handle } = keepBoth(kept, ANN);
    const big = 'x'.repeat(20_000);
    expect(kept.keepPages(snapshotOf('ann', [big]))).toBeUndefined();
    expect(kept.keepResult({ operation: 'a', dataText: big }, ANN)).toBeUndefined();
    expect(kept.findPage(cursor, ANN)).toBeDefined();
    expect(kept.findResult(handle, ANN)).toBeDefined();
  });

  it('makes room by what was used longest ago', () => {
    const { kept } = openDesk(10_000);
    const text = JSON.stringify('x'.repeat(2_000));
    const handles = [0, 1, 2].map(() => kept.keepResult({ operation: 'a', dataText: text }, ANN) ?? '');
    kept.findResult(handles[0] ?? '', ANN);
    kept.keepResult({ operation: 'a', dataText: text }, BOB);
    expect(handles.map((handle) => kept.findResult(handle, ANN) !== undefined)).toEqual([true, false, true]);
  });

  it('counts the fields that pages were asked for with', () => {
    const { kept } = openDesk(20_000);
    const fields = { paths: [['x'.repeat(20_000)]] };
    expect(kept.keepPages({ ...snapshotOf('ann', []), fields })).toBeUndefined();
  });

  it('counts characters of several bytes as what they take', () => {
    const narrow = openDesk().kept;
    const wide = openDesk().kept;
    narrow.keepResult({ operation: 'a', dataText: 'e'.repeat(1_000) }, ANN);
    wide.keepResult({ operation: 'a', dataText: '€'.repeat(1_000) }, ANN);
    expect(wide.bytes - narrow.bytes).toBe(2_000);
  });
});

describe('kept results under load', () => {
  const MAX_BYTES = 4_000_000;

  it('stays within its bound with 1,000 big results at once', async () => {
    const { kept } = openDesk(MAX_BYTES);
    let most = 0;
    const keepOne = async (index: number): Promise<string> => {
      await Promise.resolve();
      const owner = caller(`session-${index % 50}`);
      const items = Array.from({ length: 100 }, (_, row) => ({ row, text: 'x'.repeat(index) }));
      const pages = kept.keepPages(snapshotOf(owner.sessionId, items));
      const handle = kept.keepResult({ operation: 'a', dataText: JSON.stringify(items) }, owner);
      most = Math.max(most, kept.bytes);
      return `${pages?.cursorAt(0)}${handle}`;
    };
    const given = await Promise.all(Array.from({ length: 1_000 }, (_, index) => keepOne(index)));
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
        const { kept, clock } = openDesk(20_000);
        for (const step of plan) {
          if (step.do === 'pass') clock.pass(step.ms);
          else if (step.do === 'end') kept.endSession(step.session);
          else if (step.do === 'pages') kept.keepPages(snapshotOf(step.session, ['x'.repeat(step.size)]));
          else kept.keepResult({ operation: 'a', dataText: 'x'.repeat(step.size) }, caller(step.session));
          expect(kept.bytes).toBeLessThanOrEqual(20_000);
        }
        for (const session of ['ann', 'bob', 'eve']) kept.endSession(session);
        expect(kept.bytes).toBe(0);
      }),
    );
  });
});
