import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/call.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';
import { SqliteStore } from '../../../../src/store/sqlite-store.js';
import type { StateStore } from '../../../../src/store/state-store.js';
import { ALICE, aLimit, BOB, createQuotaBench, DELETE_ITEM, GET_ITEM, type QuotaBench, SEARCH } from './quota-bench.js';

const CALLS = 10_000;

const STORES: Readonly<Record<string, (now: () => number) => StateStore>> = {
  memory: (now) => new MemoryStore(now),
  SQLite: (now) => {
    const folder = mkdtempSync(join(tmpdir(), 'quota-'));
    const store = new SqliteStore(join(folder, 'state.db'), { now });
    onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    });
    return store;
  },
};

/** How many of the calls pass when all come at once, and with what codes the others are refused. */
async function flood(bench: QuotaBench, callerOf: (index: number) => Caller) {
  const attempts = Array.from({ length: CALLS }, (_, index) => bench.charge({ caller: callerOf(index) }));
  const outcomes = await Promise.allSettled(attempts);
  const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  return { passed: CALLS - codes.length, codes: new Set(codes) };
}

const EXHAUSTED = new Set(['RATE_LIMIT_QUOTA_EXHAUSTED']);

describe.each(Object.entries(STORES))('10,000 calls at once, counted in %s', (_, store) => {
  it('pass a quota of 1,000 exactly 1,000 times', async () => {
    const bench = createQuotaBench({ store, limits: [aLimit({ hardStop: 1_000 })] });
    expect(await flood(bench, () => ALICE)).toEqual({ passed: 1_000, codes: EXHAUSTED });
  });

  it('pass two quotas exactly as often as both allow', async () => {
    const limits = [aLimit({ hardStop: 1_000 }), aLimit({ name: 'each', per: 'client', hardStop: 600 })];
    const bench = createQuotaBench({ store, limits });
    const { passed } = await flood(bench, (index) => (index < CALLS / 2 ? ALICE : BOB));
    expect(passed).toBe(1_000);
    expect(await bench.service.status(BOB)).toMatchObject({ quotas: [{ current: 1_000 }, { current: 400 }] });
  });

  it('pass a budget of 10 at a price of 0.01 exactly 1,000 times', async () => {
    const bench = createQuotaBench({
      store,
      limits: [aLimit({ metric: 'cost_per_month', hardStop: 10, currency: 'USD' })],
      pricing: [{ match: {}, costPerCall: 0.01 }],
    });
    expect((await flood(bench, () => ALICE)).passed).toBe(1_000);
  });

  it('are paused after exactly 1,000', async () => {
    const bench = createQuotaBench({ store, limits: [aLimit({ pause: 1_000 })] });
    expect(await flood(bench, () => ALICE)).toEqual({ passed: 1_000, codes: new Set(['RATE_LIMIT_QUOTA_PAUSE']) });
  });
});

describe('any sequence of charges, settlements and pauses', () => {
  const step = fc.record({
    operation: fc.constantFrom(GET_ITEM, SEARCH, DELETE_ITEM),
    caller: fc.constantFrom(ALICE, BOB),
    continues: fc.boolean(),
  });
  const limit = fc.record({
    match: fc.constantFrom(
      {},
      { operation: ['get_*'] },
      { category: ['DELETE' as const] },
      { operation: ['*_items', 'get_item'] },
    ),
    per: fc.constantFrom('all' as const, 'client' as const),
    metric: fc.constantFrom('requests_per_hour' as const, 'cost_per_day' as const),
    pause: fc.option(fc.nat(4), { nil: undefined }),
    margin: fc.nat(8),
  });

  it('keeps every counter within its hard stop and counts every call on each quota that applies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(limit, { maxLength: 4 }), fc.array(step, { maxLength: 40 }), async (drafts, steps) => {
        const limits = drafts.map(({ margin, pause, ...rest }, index) =>
          aLimit({ ...rest, name: `${index}`, ...(pause !== undefined && { pause }), hardStop: (pause ?? 0) + margin }),
        );
        const bench = createQuotaBench({ limits, pricing: [{ match: {}, costPerCall: 1 }] });
        const passed: (typeof steps)[number][] = [];
        await Promise.all(
          steps.map(async (each) => {
            const { continues, ...request } = each;
            const outcome = await bench.charge(request).catch((refusal) => refusal.details['confirmation_token']);
            const token = continues && typeof outcome === 'string' ? outcome : undefined;
            const through =
              typeof outcome === 'object' ||
              (token !== undefined &&
                (await bench.charge({ ...request, continueToken: token }).catch(() => undefined)));
            if (through) passed.push(each);
          }),
        );
        for (const caller of [ALICE, BOB]) {
          const { quotas } = (await bench.service.status(caller)) as { quotas: { name: string; current: number }[] };
          for (const [index, { current }] of quotas.entries()) {
            const { match, per, hardStop = 0 } = limits[index]!;
            const about = passed.filter(
              (call) =>
                (per === 'all' || call.caller === caller) &&
                (match.category?.includes(call.operation.classification.category) ?? true) &&
                (match.operation === undefined || call.operation !== DELETE_ITEM) &&
                (match.operation?.[0] !== 'get_*' || call.operation === GET_ITEM),
            );
            expect(current).toBe(about.length);
            expect(current).toBeLessThanOrEqual(hardStop);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
