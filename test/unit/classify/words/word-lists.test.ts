import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EFFECTS, LEXICON } from '../../../../src/classify/words/lexicon.js';
import { wordEntries, wordList } from '../../../../src/classify/words/word-lists.js';

const CLASSIFY = join(import.meta.dirname, '../../../../src/classify');
const DATA = readFileSync(join(CLASSIFY, 'words/words.txt'), 'utf8');
const NAMES = [...DATA.matchAll(/^\[(.*)\]$/gm)].map(([, name = '']) => name);

test('every list of words is read by a rule, and is there once', () => {
  const sources = readdirSync(CLASSIFY, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(CLASSIFY, file), 'utf8'))
    .join('\n');
  expect(NAMES.filter((name) => !sources.includes(`'${name}'`) && !DATA.includes(`@${name}`))).toEqual([]);
  expect(new Set(NAMES).size).toBe(NAMES.length);
});

test('every effect and every kind of noun that the lists of verbs name is known', () => {
  const nounness = new Set(['never', 'often', 'mostly']);
  const effectOf = [
    ...wordEntries('verbs').map(([key]) => key.split(' ')),
    ...wordEntries('other-verbs').map(([key]) => key.split(' ')),
  ];
  expect(effectOf.filter(([kind = '', effect = 'act']) => !nounness.has(kind) || !(effect in EFFECTS))).toEqual([]);
  const senses = wordEntries('senses').map(([key]) => key.split(' '));
  expect(senses.filter(([, effect = '', given = 'given']) => !(effect in EFFECTS) || given !== 'given')).toEqual([]);
});

test('no verb of the lexicon has two effects', () => {
  const verbs = wordEntries('verbs').flatMap(([, words]) => words);
  expect(verbs.filter((verb, index) => verbs.indexOf(verb) !== index)).toEqual([]);
  expect(LEXICON.size).toBe(verbs.length);
});

test('a list that is not there is a fault of the program, and no empty one', () => {
  expect(() => wordList('no-such-list')).toThrow("words.txt has no list 'no-such-list'");
});
