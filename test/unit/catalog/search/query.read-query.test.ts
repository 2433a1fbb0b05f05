import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../../src/catalog/search/query.js';
import { SEARCH_SETTINGS } from '../../../../src/catalog/search/settings.js';
import { Spelling } from '../../../../src/catalog/search/spelling.js';
import { readThesaurus } from '../../../../src/catalog/search/thesaurus.js';

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
