import { describe, expect, it } from 'vitest';
import { Spelling } from '../../../../src/catalog/search/spelling.js';

function spellingOf(...words: readonly string[]): Spelling {
  const spelling = new Spelling();
  for (const word of words) spelling.add(word);
  return spelling;
}

describe('Spelling', () => {
  const spelling = spellingOf(
    'delete',
    'delete',
    'delta',
    'search',
    'records',
    'subscription',
    'drop',
    'main',
    'layer',
  );

  it.each([
    ['serach', 'search'],
    ['delte', 'delete'],
    ['recrods', 'records'],
    ['subscripton', 'subscription'],
    ['dorp', 'drop'],
  ])('repairs %s to %s', (written, meant) => {
    expect(spelling.repair(written)).toBe(meant);
  });

  it.each(['mail', 'later', 'xyz', 'penguins', '検索', ''])('leaves %s, which is likely another word', (written) => {
    expect(spelling.repair(written)).toBeUndefined();
  });

  it('knows its words, and those that begin with another one', () => {
    expect(spelling.has('records')).toBe(true);
    expect(spelling.has('record')).toBe(false);
    expect(spelling.completions('subs', 3)).toEqual(['subscription']);
  });

  it('knows the abbreviations of a longer word, but no shorter word with another meaning', () => {
    const names = new Spelling();
    for (const word of ['mod', 'calc', 'res', 'post']) names.add(word);
    expect(names.abbreviations('modulo')).toEqual(['mod']);
    expect(names.abbreviations('calculator')).toEqual(['calc']);
    expect(names.abbreviations('poster')).toEqual([]);
    expect(names.abbreviations('restaurant')).toEqual([]);
  });
});
