import { describe, expect, it } from 'vitest';
import { stemWord } from '../../../../src/catalog/search/words.js';

describe('stemWord', () => {
  it.each([
    ['issues', 'issue'],
    ['deployment', 'deploy'],
    ['notifications', 'notify'],
    ['wrote', 'write'],
    ['indices', 'index'],
  ])('gives %s and %s the same stem', (word, other) => {
    expect(stemWord(word)).toBe(stemWord(other));
  });

  it.each([
    ['business', 'busy'],
    ['news', 'new'],
    ['customer', 'custom'],
    ['authorize', 'author'],
    ['past', 'paste'],
  ])('gives %s and %s different stems', (word, other) => {
    expect(stemWord(word)).not.toBe(stemWord(other));
  });

  it('gives the same stem after its cache was cleared', () => {
    const before = stemWord('releases');
    for (let index = 0; index < 60_000; index += 1) stemWord(`word${index}`);
    expect(stemWord('releases')).toBe(before);
  });
});
