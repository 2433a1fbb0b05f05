import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../../src/results/query/read-query.js';
import type { Control } from '../../../../src/results/query/result-types.js';
import { runQuery } from '../../../../src/results/query/run-query.js';
import { itemsPerSlice, runAtOnce, runInSlices } from '../../../../src/results/query/sliced.js';
import { CONTROLLED, SOURCE } from '../../../support/collection-source.js';

const ITEMS = Array.from({ length: 500 }, (_, n) => ({ n, kind: n % 3, text: 'x'.repeat(50) }));

function query(given: Partial<Record<Control, unknown>>) {
  const read = readQuery(new Map(Object.entries(given)) as ReadonlyMap<Control, unknown>, CONTROLLED);
  if (read === undefined) throw new Error('no query');
  return read;
}

describe('a query in slices', () => {
  const asked = query({
    filter: { text: { contains: 'x', pattern: '*x?x*' }, n: { gte: 100 } },
    query: 'x',
    sort: ['kind', '-n'],
    aggregate: { by: { group_by: 'kind', count: true, sum: 'n' }, all: { avg: 'n' } },
    include_items: true,
  });

  it('gives what it gives at once', async () => {
    const options = { ...SOURCE, characters: 10_000_000 };
    expect(await runInSlices(runQuery(ITEMS, asked, options))).toEqual(runAtOnce(runQuery(ITEMS, asked, SOURCE)));
  });

  it('stops more often the more each item costs, so that no slice grows with the query', async () => {
    const stops = async (characters: number): Promise<number> => {
      let count = 0;
      await runInSlices(runQuery(ITEMS, asked, { ...SOURCE, characters }), async () => {
        count += 1;
      });
      return count;
    };
    const [few, many] = [await stops(50_000), await stops(50_000_000)];
    expect(many).toBeGreaterThan(few + 50);
  });

  it('has slices of bounded work', () => {
    for (const [items, characters, steps] of [
      [20_000, 10_000_000, 1],
      [20_000, 10_000_000, 100],
      [1, 50_000_000, 1],
      [100_000, 0, 150],
    ] as const) {
      const perSlice = itemsPerSlice(items, characters, steps);
      expect(perSlice).toBeGreaterThanOrEqual(1);
      if (perSlice > 1) expect((perSlice * characters * steps) / items).toBeLessThanOrEqual(250_000);
    }
  });
});
