import { describe, expect, it } from 'vitest';
import { stemWord } from '../../../src/search/words.js';

describe('stemWord', () => {
  it.each([
    ['issues', 'issue'],
    ['deployment', 'deploy'],
    ['notifications', 'notify'],
    ['wrote', 'write'],
    ['indices', 'index'],
  ])('%s is a %s', (word, other) => {
    expect(stemWord(word)).toBe(stemWord(other));
  });

  it.each([
    ['business', 'busy'],
    ['news', 'new'],
    ['customer', 'custom'],
    ['authorize', 'author'],
    ['past', 'paste'],
  ])('%s is not %s', (word, other) => {
    expect(stemWord(word)).not.toBe(stemWord(other));
  });

  it('gives the same stem however many words came between', () => {
    const before = stemWord('releases');
    for (let index = 0; index < 60_000; index += 1) stemWord(`word${index}`);
    expect(stemWord('releases')).toBe(before);
  });
});
