import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findVerb } from '../../../../src/classify/words/find-verb.js';
import { LEXICON } from '../../../../src/classify/words/lexicon.js';
import { VERB_SENSES } from '../../../../src/classify/words/verb-senses.js';
import { ACTION_NOUNS, COMPOUND_NOUNS, PHRASAL_VERBS, splitWords } from '../../../../src/classify/words/vocabulary.js';

test('every verb of the word lists is in the lexicon', () => {
  expect([...PHRASAL_VERBS.values()].filter((lemma) => !LEXICON.has(lemma))).toEqual([]);
  expect([...ACTION_NOUNS.values()].filter((lemma) => !LEXICON.has(lemma))).toEqual([]);
  expect(VERB_SENSES.map(({ verb }) => verb).filter((lemma) => !LEXICON.has(lemma))).toEqual([]);
  expect([...COMPOUND_NOUNS.keys()].filter((lemma) => !LEXICON.has(lemma))).toEqual([]);
});

test.each([
  ['creates', 'create', 'third'],
  ['copies', 'copy', 'third'],
  ['patches', 'patch', 'third'],
  ['deleting', 'delete', 'gerund'],
  ['setting', 'set', 'gerund'],
  ['soft-delete', 'delete', 'base'],
  ['cherry-pick', 'cherrypick', 'base'],
])('the word %s is a form of the verb %s', (word, lemma, form) => {
  expect(findVerb(word)).toMatchObject({ lemma, form });
});

test.each(['deleted', 'created', 'parcels', 'the', '-', ''])('%j is not read as a verb', (word) => {
  expect(findVerb(word)).toBeUndefined();
});

test.each([
  ['getPHPInfoV1', ['get', 'php', 'info']],
  ['API-post-search', ['api', 'post', 'search']],
  ['agency-hosting_createANewSiteV1', ['agency', 'hosting', 'create', 'new', 'site']],
  ['roll_back_release', ['rollback', 'release']],
  ['the', []],
  ['删除_list', ['删除', 'list']],
])('the identifier %s splits into %j', (identifier, words) => {
  expect(splitWords(identifier)).toEqual(words);
});

test('any identifier splits into lower-case words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (identifier) => {
      for (const word of splitWords(identifier)) expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
    }),
  );
});
