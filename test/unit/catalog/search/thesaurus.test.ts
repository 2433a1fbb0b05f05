import { describe, expect, it } from 'vitest';
import { fieldThesaurus, openFieldThesaurus, readThesaurus } from '../../../../src/catalog/search/thesaurus.js';
import { stemWord } from '../../../../src/catalog/search/words.js';

const entriesOf = (map: ReadonlyMap<string, ReadonlyMap<string, string>>) =>
  Object.fromEntries(Array.from(map, ([key, synonyms]) => [key, Object.fromEntries(synonyms)]));

describe('readThesaurus', () => {
  it('lets equals stand for each other', () => {
    const { words } = readThesaurus('cat = feline = puss');
    expect(entriesOf(words)).toEqual({
      cat: { felin: 'equal', puss: 'equal' },
      felin: { cat: 'equal', puss: 'equal' },
      puss: { cat: 'equal', felin: 'equal' },
    });
  });

  it('leads from a word to its synonyms but not back, for certain or perhaps', () => {
    const { words } = readThesaurus('pet, beast > cat dog\nbeast ~ lion');
    expect(entriesOf(words)).toEqual({
      pet: { cat: 'toward', dog: 'toward' },
      beast: { cat: 'toward', dog: 'toward', lion: 'loose' },
    });
  });

  it('keeps a phrase whole although it contains function words', () => {
    const thesaurus = readThesaurus('let out of the bag > tell\nlet > allow');
    expect([...thesaurus.phrases.keys()]).toEqual(['let out of the bag']);
    expect([...thesaurus.words.keys()]).toEqual(['let']);
    expect(thesaurus.longestPhrase).toBe(5);
  });

  it('replaces an abbreviation by its words, in their order', () => {
    const { abbreviations, words } = readThesaurus('mkdir, md : create directory');
    expect([...abbreviations]).toEqual([
      ['mkdir', ['create', 'directory']],
      ['md', ['create', 'directory']],
    ]);
    expect(words.size).toBe(0);
  });

  it('uses the closest relation where two lists contain the same pair, in any order', () => {
    for (const lists of [
      ['a1 ~ b1', 'a1 = b1'],
      ['a1 = b1', 'a1 ~ b1'],
    ]) {
      expect(
        readThesaurus(...lists)
          .words.get('a1')
          ?.get('b1'),
      ).toBe('equal');
    }
  });
});

describe('the thesaurus of the field', () => {
  it.each([
    ['ticket', 'issue'],
    ['wipe', 'delete'],
    ['ship', 'deploy'],
    ['teammate', 'user'],
    ['photo', 'image'],
    ['directory', 'folder'],
  ])('leads from %s to %s', (said, meant) => {
    expect([...(fieldThesaurus().words.get(stemWord(said))?.keys() ?? [])]).toContain(stemWord(meant));
  });

  it('has no entry without synonyms', () => {
    const { words, phrases } = fieldThesaurus();
    for (const [key, synonyms] of [...words, ...phrases]) expect(synonyms.size, key).toBeGreaterThan(0);
  });
});

describe('openFieldThesaurus', () => {
  it('reads in slices what is read at once', async () => {
    expect(await openFieldThesaurus()).toEqual(fieldThesaurus());
  });
});
