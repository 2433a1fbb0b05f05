import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../../src/catalog/search/query.js';
import { SEARCH_SETTINGS } from '../../../../src/catalog/search/settings.js';
import { Spelling } from '../../../../src/catalog/search/spelling.js';
import { fieldThesaurus, readThesaurus } from '../../../../src/catalog/search/thesaurus.js';

function strongest(text: string): string | undefined {
  const { intent } = readQuery(text, fieldThesaurus(), SEARCH_SETTINGS, { has: () => true, spelling: new Spelling() });
  return Object.entries(intent).toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

describe('the intent of a request', () => {
  it.each([
    ['which builds failed?', 'READ'],
    ['does the cluster run', 'READ'],
    ['show the last builds', 'READ'],
    ['please create a page', 'CREATE'],
    ['get rid of the old page', 'DELETE'],
    ['rename the page', 'UPDATE'],
    ['restart the machine', 'EXECUTE'],
    ['page titles', 'READ'],
    ['closed issues', 'READ'],
    ['unread emails', 'READ'],
    ['', undefined],
  ])('is read from "%s" as %j', (text, category) => {
    expect(strongest(text)).toBe(category);
  });
});

const THESAURUS = readThesaurus('turn on > enable');

function meaningsOf(text: string): readonly string[] {
  const vocabulary = { has: () => true, spelling: new Spelling() };
  return readQuery(text, THESAURUS, SEARCH_SETTINGS, vocabulary).concepts.flatMap(({ terms }) => [...terms.keys()]);
}

describe('the phrases of a request', () => {
  it.each(['turn on the lamp', 'turn the lamp on', 'turn the old brass lamp on in the hall'])(
    'are found in "%s", also where the object stands between the verb and its particle',
    (text) => {
      expect(meaningsOf(text)).toContain('enabl');
    },
  );

  it.each(['turn the lamp, then go on', 'turn red green blue brass iron steel lamps on'])(
    'are not found in "%s", as the words belong to different things',
    (text) => {
      expect(meaningsOf(text)).not.toContain('enabl');
    },
  );
});
