import { describe, expect, it } from 'vitest';
import { aggregateItems, MAX_GROUPS } from '../../../../src/results/query/aggregate-items.js';
import type { Aggregation } from '../../../../src/results/query/result-types.js';
import { SOURCE } from '../../../support/collection-source.js';

const ITEMS = [
  { status: 'active', size: 10, at: '2026-01-02', tags: ['a', 'b', 'a'], owner: { name: 'ann' } },
  { status: 'paused', size: 30, at: '2026-01-01T12:00:00Z', tags: [] },
  { status: 'active', size: 20, at: '2026-01-03', tags: ['b'], owner: { name: 'bob' } },
  { status: null, size: 'big', owner: { name: 'ann' } },
];

function compute(aggregation: Aggregation, items: readonly unknown[] = ITEMS): unknown {
  return aggregateItems(items, [['label', aggregation]], SOURCE).aggregations['label'];
}

describe('aggregateItems with one function', () => {
  it.each<[Aggregation, value: unknown]>([
    [{ count: true }, 4],
    [{ sum: ['size'] }, 60],
    [{ avg: ['size'] }, 20],
    [{ min: ['size'] }, 10],
    [{ max: ['size'] }, 'big'],
    [{ min: ['at'] }, '2026-01-01T12:00:00Z'],
    [{ max: ['at'] }, '2026-01-03'],
    [{ min: ['owner', 'name'] }, 'ann'],
    [{ sum: ['owner', 'name'] }, 0],
    [{ avg: ['owner', 'name'] }, null],
    [{ min: ['missing'] }, null],
    [{ max: ['owner'] }, null],
  ])('computes %j as %j', (aggregation, value) => {
    expect(compute(aggregation)).toEqual(value);
  });
});

it.each<[readonly unknown[], number]>([
  [[0.1, 0.2], 0.3],
  [Array.from({ length: 61 }, () => 19.99), 1219.39],
  [[1e16, 1, -1e16], 1],
  [['12.50', 7, '0.05'], 19.55],
  [[1e-7, 1], 1.0000001],
  [[1e300, 1], 1e300],
  [[2 ** 52, 2 ** 52, 2], 9007199254740994],
])('sums %j to the last decimal', (values, sum) => {
  const items = values.map((size) => ({ size }));
  expect(compute({ sum: ['size'] }, items)).toBe(sum);
});

it('counts the items whose values a sum leaves out, and not those without a value', () => {
  const labelled = [['label', { sum: ['size'], max: ['size'] }]] as const;
  const items = [...ITEMS, { size: null }, {}, { size: '1,200' }, { size: '' }];
  const { notNumbers } = aggregateItems(items, labelled, SOURCE);
  expect([...notNumbers]).toEqual([['label.sum', 2]]);
});

it('answers several functions with an object of values', () => {
  expect(compute({ count: true, sum: ['size'], avg: ['size'] })).toEqual({ count: 4, sum: 60, avg: 20 });
});

describe('groups', () => {
  it('have the value of one function, or an object of several values', () => {
    expect(compute({ groupBy: ['status'], count: true })).toEqual({ active: 2, null: 1, paused: 1 });
    expect(compute({ groupBy: ['status'], count: true, max: ['at'] })).toEqual({
      active: { count: 2, max: '2026-01-03' },
      null: { count: 1, max: null },
      paused: { count: 1, max: '2026-01-01T12:00:00Z' },
    });
  });

  it('come largest first, then by name', () => {
    const items = ['b', 'c', 'a', 'c', 'b', 'd'].map((kind) => ({ kind }));
    expect(Object.keys(compute({ groupBy: ['kind'], count: true }, items) as object)).toEqual(['b', 'c', 'a', 'd']);
  });

  it('include an item with several values once in each', () => {
    expect(compute({ groupBy: ['tags'], count: true })).toEqual({ b: 2, a: 1, null: 2 });
    expect(compute({ groupBy: ['owner', 'name'], sum: ['size'] })).toEqual({ ann: 10, bob: 20, null: 30 });
  });

  it('are formed by computed fields, objects and names such as __proto__', () => {
    expect(compute({ groupBy: ['_computed', 'age_days'], count: true }, [{ created_at: '2026-05-30' }])).toEqual({
      2: 1,
    });
    expect(compute({ groupBy: ['a'], count: true }, [{ a: { b: 1 } }])).toEqual({ '{"b":1}': 1 });
    expect(JSON.stringify(compute({ groupBy: ['a'], count: true }, [{ a: '__proto__' }]))).toBe('{"__proto__":1}');
  });

  it('distinguish missing values from the text null', () => {
    const items = [{ a: 'null' }, { a: null }, {}];
    expect(compute({ groupBy: ['a'], count: true }, items)).toEqual({ null: 2, '"null"': 1 });
  });

  it('are formed once for a field, however many aggregations group by it', () => {
    let reads = 0;
    const items = [
      {
        get a() {
          reads += 1;
          return 'x';
        },
      },
    ];
    const labelled = Array.from({ length: 50 }, (_, index) => [`l${index}`, { groupBy: ['a'], count: true }] as const);
    aggregateItems(items, labelled, SOURCE);
    expect(reads).toBe(1);
  });

  it('are bounded in number, with the number left out', () => {
    const items = Array.from({ length: MAX_GROUPS + 5 }, (_, index) => ({ id: `k${index}` }));
    const { aggregations, truncatedGroups } = aggregateItems(
      [...items, { id: 'k1004' }],
      [['by_id', { groupBy: ['id'], count: true }]],
      SOURCE,
    );
    expect(Object.keys(aggregations['by_id'] as object)).toHaveLength(MAX_GROUPS);
    expect(Object.keys(aggregations['by_id'] as object)[0]).toBe('k1004');
    expect(truncatedGroups).toEqual(new Map([['by_id', 5]]));
  });
});

it('answers under the labels of the caller, in their order', () => {
  const labelled = [
    ['z', { count: true }],
    ['__proto__', { count: true }],
    ['a', { count: true }],
  ] as const;
  expect(JSON.stringify(aggregateItems(ITEMS, labelled, SOURCE).aggregations)).toBe('{"z":4,"__proto__":4,"a":4}');
});
