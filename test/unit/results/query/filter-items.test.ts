import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTextPattern, findItems, parseTextQuery } from '../../../../src/results/query/filter-items.js';
import type { Condition, Operator, TextQuery } from '../../../../src/results/query/result-types.js';
import { SOURCE } from '../../../support/collection-source.js';

const filterItems = (items: readonly unknown[], filter: readonly Condition[], source: typeof SOURCE) =>
  findItems(items, { filter }, source);
const searchText = (items: readonly unknown[], text: TextQuery) => findItems(items, { filter: [], text }, SOURCE);

/** Whether an item whose field `a` has this value passes. */
function passes(value: unknown, operator: Operator, operand: unknown): boolean {
  const item = value === undefined ? {} : { a: value };
  return filterItems([item], [{ path: ['a'], operator, operand }], SOURCE).length === 1;
}

describe('filter operators', () => {
  it.each<[value: unknown, operator: Operator, operand: unknown, holds: boolean]>([
    ['x', 'equals', 'x', true],
    ['x', 'equals', 'X', false],
    [5, 'equals', 5, true],
    [5, 'equals', '5', true],
    ['5', 'equals', 5, true],
    ['05', 'equals', 5, false],
    ['1.0', 'equals', '1.00', false],
    [true, 'equals', true, true],
    [true, 'equals', 'true', false],
    [false, 'equals', null, false],
    [null, 'equals', null, true],
    [undefined, 'equals', null, true],
    [['x', 'y'], 'equals', 'y', true],
    [['x', 'y'], 'equals', 'z', false],
    [{ b: [1] }, 'equals', { b: [1] }, true],
    [{ b: [1] }, 'equals', { b: [2] }, false],
    ['2026-01-01T00:00:00Z', 'equals', '2026-01-01', true],
    ['2026-01-01T01:00:00+01:00', 'equals', '2026-01-01T00:00:00Z', true],
    ['x', 'in', ['x', 'y'], true],
    ['z', 'in', ['x', 'y'], false],
    ['5', 'in', [4, 5], true],
    [undefined, 'in', ['x', null], true],
    [[1, 2], 'in', [2, 3], true],
    ['x', 'in', [], false],
    [10, 'gt', 9, true],
    ['10', 'gt', 9, true],
    ['10', 'gt', '9', true],
    [9, 'gt', 9, false],
    [9, 'gte', 9, true],
    [8, 'lt', 9, true],
    [9, 'lte', 9, true],
    ['abc', 'gt', 9, false],
    ['abc', 'lt', 9, false],
    ['abc', 'gt', '9', true],
    ['b', 'gt', 'a', true],
    ['B', 'gt', 'a', false],
    [true, 'gt', 0, false],
    [null, 'lt', 9, false],
    [undefined, 'gte', 0, false],
    [{}, 'gt', 0, false],
    [[1, 20], 'gt', 10, true],
    ['2026-03-01', 'gt', '2026-02-28T23:00:00Z', true],
    ['2026-01-01T00:30:00+02:00', 'lt', '2026-01-01', true],
    ['2026-01-31T10:00:00Z', 'lte', '2026-01-31', false],
    ['2026-02-30', 'lt', '2026-03-01', true],
    ['Hello World', 'contains', 'WORLD', true],
    ['Crème brûlée', 'contains', 'creme', true],
    ['Hello', 'contains', 'x', false],
    [12345, 'contains', '234', true],
    [['Admin', 'user'], 'contains', 'admin', true],
    [['administrator'], 'contains', 'admin', false],
    [[1, 2], 'contains', 2, true],
    [null, 'contains', 'null', false],
    ['x', 'exists', true, true],
    [null, 'exists', true, false],
    [undefined, 'exists', true, false],
    [null, 'exists', false, true],
    [undefined, 'exists', false, true],
    [[], 'exists', true, true],
    ['report.PDF', 'pattern', '*.pdf', true],
    ['report.pdf.txt', 'pattern', '*.pdf', false],
    ['a1', 'pattern', 'a?', true],
    ['a', 'pattern', 'a?', false],
    [2026, 'pattern', '20*', true],
    [['x.md', 'y.txt'], 'pattern', '*.md', true],
    [true, 'pattern', '*', false],
    [undefined, 'pattern', '*', false],
  ])('decide on %j %s %j: %s', (value, operator, operand, holds) => {
    expect(passes(value, operator, operand)).toBe(holds);
  });
});

it('match any element of a list within the path', () => {
  const items = [{ labels: [{ name: 'bug' }, { name: 'ui' }] }, { labels: [{ name: 'docs' }] }, { labels: [] }, {}];
  const found = (operator: Operator, operand: unknown): readonly unknown[] =>
    filterItems(items, [{ path: ['labels', 'name'], operator, operand }], SOURCE);
  expect(found('equals', 'ui')).toEqual([items[0]]);
  expect(found('contains', 'oc')).toEqual([items[1]]);
  expect(found('exists', false)).toEqual([items[2], items[3]]);
});

it('keeps items that meet all conditions, in their order', () => {
  const items = [3, 1, 2, 5].map((size) => ({ size, kind: size % 2 === 0 ? 'even' : 'odd' }));
  const conditions = [
    { path: ['size'], operator: 'gte', operand: 2 },
    { path: ['kind'], operator: 'equals', operand: 'odd' },
  ] as const;
  expect(filterItems(items, conditions, SOURCE)).toEqual([items[0], items[3]]);
});

it('filters by computed fields, and filters items that are not objects', () => {
  const items = [{ created_at: '2026-05-31' }, { created_at: '2026-01-01' }, {}];
  expect(filterItems(items, [{ path: ['_computed', 'age_days'], operator: 'gt', operand: 30 }], SOURCE)).toEqual([
    items[1],
  ]);
  expect(filterItems(['b', 'a'], [{ path: ['value'], operator: 'equals', operand: 'a' }], SOURCE)).toEqual(['a']);
});

const ITEMS = [
  { name: 'API gateway', tags: ['proxy'], size: 1200 },
  { name: 'Reviewer', notes: { text: 'reads code,\n  reviews it' } },
  { name: 'Café', nested: [[{ deep: 'treasure' }]] },
  'a plain text about code',
];

describe('searchText', () => {
  it.each<[text: string, found: readonly number[]]>([
    ['api reviewer', [0, 1]],
    ['REVIEW', [1]],
    ['proxy', [0]],
    ['1200', [0]],
    ['cafe', [2]],
    ['CAFÉ', [2]],
    ['treasure', [2]],
    ['code', [1, 3]],
    ['"code, reviews"', [1]],
    ['"reviews code"', []],
    ['name', []],
    ['', [0, 1, 2, 3]],
  ])('finds %j', (text, found) => {
    expect(searchText(ITEMS, parseTextQuery(text))).toEqual(found.map((index) => ITEMS[index]));
  });

  it('bounds the depth of nested items', () => {
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 'word');
    expect(searchText([deep], parseTextQuery('word'))).toEqual([]);
  });
});

it('finds the items with any of the words, in order', () => {
  const word = fc.constantFrom('red', 'green', 'blue', 'rot');
  const item = fc.record({ text: fc.array(word).map((words) => words.join(' ')) });
  fc.assert(
    fc.property(fc.array(item), fc.array(word, { minLength: 1, maxLength: 3 }), (items, words) => {
      const found = searchText(items, parseTextQuery(words.join(' ')));
      expect(found).toEqual(items.filter(({ text }) => words.some((wanted) => text.includes(wanted))));
    }),
  );
});

describe('compileTextPattern', () => {
  it.each<[pattern: string, text: string, matches: boolean]>([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['**', 'abc', true],
    ['abc', 'ABC', true],
    ['abc', 'abcd', false],
    ['a*', 'abc', true],
    ['a*', 'ba', false],
    ['*c', 'abc', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*b*', 'abc', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*ab*b', 'ab', false],
    ['ab*ba', 'aba', false],
    ['*?b?*', 'xaby', true],
    ['*?b?*', 'ab', false],
    ['??', 'ab', true],
    ['[a]', '[a]', true],
    ['a.c', 'abc', false],
    ['é*', 'Evian', true],
    ['*\n*', 'a\nb', true],
  ])('matches %j with %j: %s', (pattern, text, matches) => {
    expect(compileTextPattern(pattern)(text)).toBe(matches);
  });
});

it('matches as the equivalent regular expression does', () => {
  const sign = fc.constantFrom('a', 'b', '?', '*');
  const pattern = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''));
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 10 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(pattern, text, (given, candidate) => {
      const meant = new RegExp(`^${given.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      expect(compileTextPattern(given)(candidate)).toBe(meant.test(candidate));
    }),
    { numRuns: 2000 },
  );
});

it('matches a pattern and a text that are made to be slow', () => {
  const matches = compileTextPattern(`${'*a'.repeat(90)}*b`);
  expect(matches('a'.repeat(200_000))).toBe(false);
});

it('makes one key of each object that conditions compare, however many objects and conditions there are', () => {
  let reads = 0;
  const value = {
    get n() {
      reads += 1;
      return 1;
    },
  };
  const wanted = Array.from({ length: 500 }, (_, n) => ({ n: n + 2 }));
  const conditions = Array.from({ length: 20 }, () => ({ path: ['a'], operator: 'in', operand: wanted }) as const);
  expect(filterItems([{ a: value }], [...conditions, ...conditions], SOURCE)).toEqual([]);
  expect(
    filterItems([{ a: value }], [{ path: ['a'], operator: 'in', operand: [...wanted, { n: 1 }] }], SOURCE),
  ).toHaveLength(1);
  expect(reads).toBeLessThanOrEqual(2);
});
