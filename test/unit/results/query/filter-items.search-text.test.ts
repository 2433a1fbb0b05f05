import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTextQuery, searchText } from '../../../../src/results/query/filter-items.js';

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
