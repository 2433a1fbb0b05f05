import { describe, expect, it } from 'vitest';
import { SEARCH_FIELDS, type SearchField } from '../../../../src/catalog/search/settings.js';
import { type SearchDocument, TermIndex } from '../../../../src/catalog/search/term-index.js';

type Fields = Partial<Record<SearchField, string>>;

const ofEach = <T>(create: (field: SearchField) => T) =>
  Object.fromEntries(SEARCH_FIELDS.map((field) => [field, create(field)])) as Record<SearchField, T>;
const documentOf = (fields: Fields): SearchDocument => ofEach((field) => fields[field] ?? '');

function indexOf(documents: readonly Fields[], weights: Partial<Record<SearchField, number>> = {}): TermIndex {
  const index = new TermIndex(ofEach((field) => weights[field] ?? 1));
  for (const fields of documents) index.add(documentOf(fields));
  return index;
}

describe('an index of terms', () => {
  it('finds the documents that have a stem in any field, and knows in which', () => {
    const index = indexOf([{ name: 'list issu' }, { summary: 'open issu' }, { name: 'list file' }]);
    expect([...index.score('issu').keys()]).toEqual([0, 1]);
    expect(index.placesIn('name', 'issu')).toEqual([0]);
    expect(index.placesIn('name', 'quux')).toEqual([]);
    expect([index.has('file'), index.has('quux'), index.has('')]).toEqual([true, false, false]);
    expect(index.score('quux').size).toBe(0);
  });

  it('scores by BM25+: rarity, times what occurrences add in a field of this length', () => {
    const index = indexOf([{ name: 'a b' }, { name: 'a a c d' }]);
    const length = (stems: number) => 1.2 * (0.3 + (0.7 * stems) / 2.5);
    const rarity = Math.log(1 + 0.5 / 2.5);
    const scores = index.score('a');
    expect(scores.get(0)).toBeCloseTo(rarity * (0.5 + 2.2 / (1 + length(2))), 12);
    expect(scores.get(1)).toBeCloseTo(rarity * (0.5 + (2 * 2.2) / (2 + length(3))), 12);
  });

  it('adds the scores of the fields by their weights', () => {
    const documents = [{ name: 'a' }, { name: 'b', summary: 'a' }, { name: 'a', summary: 'a' }];
    const scores = indexOf(documents, { name: 3, summary: 2 }).score('a');
    const [name, summary, both] = [0, 1, 2].map((place) => scores.get(place) ?? 0);
    expect(both).toBeCloseTo((name ?? 0) + (summary ?? 0), 12);
    expect(name).toBeGreaterThan(summary ?? 0);
  });
});
