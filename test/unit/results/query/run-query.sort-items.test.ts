import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortItems } from '../../../../src/results/query/run-query.js';
import { SOURCE } from '../../../support/collection-source.js';

type Order = 'asc' | 'desc';

function sorted(values: readonly unknown[], order: Order = 'asc'): readonly unknown[] {
  const items = values.map((value) => (value === undefined ? {} : { a: value }));
  return sortItems(items, [{ path: ['a'], order }], SOURCE).map((item) => (item as { a?: unknown }).a);
}

describe('sortItems', () => {
  it.each<[given: readonly unknown[], order: Order, expected: readonly unknown[]]>([
    [[3, 1, 2], 'asc', [1, 2, 3]],
    [[3, 1, 2], 'desc', [3, 2, 1]],
    [['b', 'a', 'B'], 'asc', ['B', 'a', 'b']],
    [['10', '9', 8], 'asc', [8, '9', '10']],
    [[null, 2, undefined, 1], 'asc', [1, 2, null, undefined]],
    [[null, 2, undefined, 1], 'desc', [2, 1, null, undefined]],
    [['x', true, 5, '2026-01-01', {}, false], 'asc', [false, true, 5, '2026-01-01', 'x', {}]],
    [['x', true, 5, '2026-01-01', {}, false], 'desc', ['x', '2026-01-01', 5, true, false, {}]],
    [
      ['2026-01-01T01:00:00+02:00', '2026-01-01', '2025-12-31T22:59:00Z'],
      'asc',
      ['2025-12-31T22:59:00Z', '2026-01-01T01:00:00+02:00', '2026-01-01'],
    ],
    [[[2, 9], [1], []], 'asc', [[1], [2, 9], []]],
  ])('puts %j in order %s', (given, order, expected) => {
    expect(sorted(given, order)).toEqual(expected);
  });
});

it('sorts by the next key where the first ones are equal', () => {
  const items = [
    { a: 1, b: 1, n: 0 },
    { a: 2, b: 1, n: 1 },
    { a: 1, b: 2, n: 2 },
    { a: 2, b: 1, n: 3 },
  ];
  const keys = [
    { path: ['b'], order: 'desc' },
    { path: ['a'], order: 'desc' },
  ] as const;
  expect(sortItems(items, keys, SOURCE).map((item) => (item as { n: number }).n)).toEqual([2, 1, 3, 0]);
});

it('sorts by computed fields, and sorts items that are not objects', () => {
  const items = [{ created_at: '2026-05-31' }, {}, { created_at: '2026-01-01' }];
  const keys = [{ path: ['_computed', 'age_days'], order: 'desc' }] as const;
  expect(sortItems(items, keys, SOURCE)).toEqual([items[2], items[0], items[1]]);
  expect(sortItems(['b', 'a'], [{ path: ['value'], order: 'asc' }], SOURCE)).toEqual(['a', 'b']);
});

it('keeps all items, keeps equal ones in order, and does not change its input', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('a', '1', '2026-01-01', null, true),
    fc.constant({}),
  );
  fc.assert(
    fc.property(fc.array(value), fc.constantFrom<Order>('asc', 'desc'), (values, order) => {
      const items = values.map((a, index) => ({ a, index }));
      const given = [...items];
      const keys = [{ path: ['a'], order }];
      const once = sortItems(items, keys, SOURCE) as readonly { a: unknown; index: number }[];
      expect(items).toEqual(given);
      expect(once.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(items.map(({ index }) => index));
      expect(sortItems(once, keys, SOURCE)).toEqual(once);
      for (const [position, item] of once.entries()) {
        const equals = once.slice(position + 1).filter(({ a }) => a === item.a);
        expect(equals.every(({ index }) => index > item.index)).toBe(true);
      }
    }),
  );
});
