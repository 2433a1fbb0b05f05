import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { Warning } from '../../../../src/base/protocol/result.js';
import { sortItems } from '../../../../src/results/query/order-items.js';
import type { Control } from '../../../../src/results/query/result-types.js';
import { project, type QueryOutcome, runQuery } from '../../../../src/results/query/run-query.js';
import { readQuery } from '../../../../src/results/results.js';
import { CONTROLLED, SOURCE } from '../../../support/collection-source.js';

type Given = Partial<Record<Control, unknown>>;

function read(given: Given) {
  const controls = new Map(Object.entries(given)) as ReadonlyMap<Control, unknown>;
  return readQuery(controls, CONTROLLED)!;
}

function run(items: readonly unknown[], given: Given): QueryOutcome {
  return runQuery(items, read(given), SOURCE);
}

function refusal(items: readonly unknown[], given: Given): OperationError {
  try {
    run(items, given);
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(given)}`);
}

const WIDGETS = [
  {
    widget_id: 'w1',
    widget_name: 'Atlas',
    status: 'active',
    size_bytes: 900,
    created_at: '2026-04-15',
    settings: { theme: 'dark' },
  },
  {
    widget_id: 'w2',
    widget_name: 'Boreas',
    status: 'paused',
    size_bytes: 300,
    created_at: '2026-05-30',
    settings: { theme: 'light' },
  },
  {
    widget_id: 'w3',
    widget_name: 'Ceres',
    status: 'active',
    size_bytes: 500,
    created_at: '2026-01-01',
    settings: { theme: 'dark', language: 'en' },
  },
];

function names(items: readonly unknown[]): readonly unknown[] {
  return items.map((item) => (item as { widget_name: string }).widget_name);
}

describe("runQuery over the documents' examples", () => {
  it('filters and sorts by computed fields', () => {
    const given = {
      filter: { '_computed.age_days': { gt: 10 } },
      sort: { field: '_computed.age_days', order: 'desc' },
      fields: ['widget_name', '_computed.age_days'],
    };
    const { ordered } = run(WIDGETS, given);
    expect(project(ordered, read(given), SOURCE)).toEqual([
      { widget_name: 'Ceres', _computed: { age_days: 151 } },
      { widget_name: 'Atlas', _computed: { age_days: 47 } },
    ]);
  });

  it('aggregates the filtered items', () => {
    const given = {
      filter: { status: 'active' },
      aggregate: {
        total: { count: true },
        by_status: { group_by: 'status', count: true },
        average_size: { avg: 'size_bytes' },
      },
    };
    expect(run(WIDGETS, given)).toEqual({
      ordered: [WIDGETS[0], WIDGETS[2]],
      aggregations: { total: 2, by_status: { active: 2 }, average_size: 700 },
    });
  });

  it('searches for any of the words, then sorts', () => {
    const { ordered } = run(WIDGETS, { query: 'light dark', filter: { status: 'active' }, sort: '-widget_name' });
    expect(names(ordered)).toEqual(['Ceres', 'Atlas']);
  });

  it('filters by nested fields, however they are written', () => {
    for (const filter of [{ 'settings.theme': 'dark' }, { settings: { theme: { in: ['dark'] } } }]) {
      expect(names(run(WIDGETS, { filter }).ordered)).toEqual(['Atlas', 'Ceres']);
    }
  });
});

it('returns the items unchanged for an empty query', () => {
  const query = read({ first: 2 });
  expect(runQuery(WIDGETS, query, SOURCE)).toEqual({ ordered: WIDGETS });
  expect(project(WIDGETS, query, SOURCE)).toEqual(WIDGETS);
});

it('chooses the fields of presets by all items found', () => {
  const items = [
    { id: 1, note: 'x'.repeat(600) },
    { id: 2, note: 'a' },
    { id: 3, note: 'b' },
  ];
  const query = read({ fields: 'standard' });
  expect(project(items.slice(0, 1), query, SOURCE, items)).toEqual([items[0]]);
  expect(project(items.slice(0, 1), query, SOURCE)).toEqual([{ id: 1 }]);
});

it('says how many groups are left out', () => {
  const items = Array.from({ length: 1001 }, (_, index) => ({ id: `k${index}` }));
  const { truncatedGroups } = run(items, { aggregate: { by_id: { group_by: 'id' } } });
  expect(truncatedGroups).toEqual(new Map([['by_id', 1]]));
});

const warned = (...[items, given]: Parameters<typeof run>): Warning => {
  const [warning] = run(items, given).fieldWarnings ?? [];
  if (warning === undefined) throw new Error('no warning');
  return warning;
};

describe('unknown fields', () => {
  it('that stand inside are suggested with their path', () => {
    const { message } = warned([{ entities: [{ name: 'a' }], total: 1 }], { fields: ['name'] });
    expect(message).toContain("'name' (did you mean 'entities.name'?)");
  });

  it('that are the names of items are found by a filter, which the answer shows', () => {
    const settings = [
      { key: 'shell', value: '/bin/sh' },
      { key: 'theme', value: 'dark' },
    ];
    expect(warned(settings, { fields: ['shell'] }).message).toMatch(
      /Items with this 'key' are found by \{"filter":\{"key":"shell"\}\}$/,
    );
    expect(warned(settings, { fields: ['theme', 'shell'] }).message).toMatch(
      /\{"key":\{"in":\["theme","shell"\]\}\}\}$/,
    );
    expect(warned(settings, { fields: ['shell', 'colour'] }).message).not.toContain('filter');
  });

  it('are reported with the valid fields, the nearest first', () => {
    const { code, message, details } = warned(WIDGETS, {
      filter: { statuss: 'active' },
      sort: 'zzz',
      fields: ['widget_id', 'settings.thme'],
      aggregate: { a: { sum: 'bytes' } },
    });
    expect(code).toBe('VALIDATION_UNKNOWN_FIELD_WARNING');
    expect(message).toContain("No item has 'statuss' (did you mean 'status'?), 'zzz', ");
    expect(message).toContain("'settings.thme' (did you mean 'settings.theme'?)");
    expect(details).toMatchObject({
      unknown_fields: ['statuss', 'zzz', 'settings.thme', 'bytes'],
    });
    const valid = details?.['seen_fields'] as readonly string[];
    expect(valid.toSorted()).toEqual(
      [...Object.keys(WIDGETS[0]!), '_computed.age_days', 'settings.theme', 'settings.language'].toSorted(),
    );
    expect(['status', 'settings.theme']).toContain(valid[0]);
  });

  it.each<[Given]>([
    [{ filter: { settings: { exists: true } } }],
    [{ filter: { 'settings.language': { exists: false } } }],
    [{ fields: ['settings.language'] }],
    [{ sort: '_computed.age_days' }],
    [{ fields: ['_computed'] }],
    [{ aggregate: { a: { group_by: 'settings.theme' } } }],
  ])('do not include fields that any item has: %j', (given) => {
    expect(run(WIDGETS, given).ordered).toHaveLength(
      given.filter && 'settings.language' in (given.filter as object) ? 2 : 3,
    );
  });

  it('do not include fields that are nested deeper, or in later items, than the names that are suggested', () => {
    const items = [...Array.from({ length: 500 }, () => ({ a: 1 })), { a: { b: { c: { d: { e: 1 } } } } }];
    expect(run(items, { filter: { 'a.b.c.d.e': 1 } }).ordered).toHaveLength(1);
  });

  it('are answered, and reported where there are no items, too', () => {
    const asked = { filter: { anything: 1 }, aggregate: { a: { avg: 'x' }, b: { count: true } } };
    expect(run([], asked)).toMatchObject({ ordered: [], aggregations: { a: null, b: 0 } });
    expect(warned([], asked).details).toMatchObject({ unknown_fields: ['anything', 'x'] });
  });

  it('of items that are not objects are all names but value', () => {
    expect(run(['b', 'a'], { sort: 'value' }).ordered).toEqual(['a', 'b']);
    expect(warned(['b'], { sort: 'name' }).details?.['seen_fields']).toContain('value');
  });

  it('are reported in bounded number', () => {
    const item = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`field_${index}`, index]));
    const { message, details } = warned([item], { sort: 'feild_7' });
    expect(details?.['seen_fields']).toEqual(expect.arrayContaining(['field_7']));
    expect(details?.['seen_fields']).toHaveLength(30);
    expect(message.length).toBeLessThan(1000);
  });
});

it('refuses sums and averages of fields that are never a number', () => {
  const error = refusal(WIDGETS, {
    aggregate: { a: { sum: 'status' }, b: { avg: 'size_bytes' }, c: { avg: 'created_at' } },
  });
  expect(error.code).toBe('VALIDATION_INVALID_VALUE');
  expect(error.message).toBe(
    "Parameter 'aggregate.a.sum' must be a field with numbers: no item has a number in 'status'. " +
      "Parameter 'aggregate.c.avg' must be a field with numbers: no item has a number in 'created_at'",
  );
  expect(run(WIDGETS, { filter: { status: 'none' }, aggregate: { a: { sum: 'size_bytes' } } }).aggregations).toEqual({
    a: 0,
  });
});

it('gives the same as a plain filter, sort and slice', () => {
  const item = fc.record({ group: fc.constantFrom('x', 'y'), rank: fc.integer({ min: 0, max: 5 }) });
  const page = fc.record({ offset: fc.nat(8), limit: fc.nat(8) });
  fc.assert(
    fc.property(fc.array(item), fc.integer({ min: 0, max: 5 }), page, (items, least, { offset, limit }) => {
      const given = {
        filter: { group: 'x', rank: { gte: least } },
        sort: { field: 'rank', order: 'desc' },
        offset,
        limit,
      };
      const query = read(given);
      if (query.page.style !== 'offset') throw new Error('no offset');
      const { ordered } = runQuery(items, query, SOURCE);
      const byHand = items.filter(({ group, rank }) => group === 'x' && rank >= least).sort((a, b) => b.rank - a.rank);
      expect(ordered.slice(query.page.offset, query.page.offset + query.page.size)).toEqual(
        byHand.slice(offset, offset + limit),
      );
    }),
  );
});

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
