import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffWords } from '../../../../src/catalog/integrity/compare-tools.js';

describe('diffWords', () => {
  it.each([
    ['one two three', 'one two three', []],
    ['one two', 'one\n  two', []],
    ['', 'new text', ['{+new text+}']],
    ['old text', '', ['[-old text-]']],
    ['Sends a mail to somebody.', 'Sends a mail to everybody.', ['Sends a mail to [-somebody.-] {+everybody.+}']],
    ['a b c d e f g h i j', 'a b c d e X g h i j', ['... b c d e [-f-] {+X+} g h i j']],
    [
      'a b c d e f g h i j k l m n o p',
      'A b c d e f g h i j k l m n o P',
      ['[-a-] {+A+} b c d e ...', '... l m n o [-p-] {+P+}'],
    ],
    ['a b c d', 'A b C d', ['[-a b c-] {+A b C+} d']],
  ])('describes the change from %j to %j', (before, after, places) => {
    expect(diffWords(before, after)).toEqual(places);
  });

  it('is empty only where the words are the same', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'dd')).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(diffWords(before, after).length === 0).toBe(before === after);
      }),
    );
  });

  it('reports one change for texts that are too long to align', () => {
    const words = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}${index}`).join(' ');
    expect(diffWords(`same ${words('a')} end`, `same ${words('b')} end`)).toHaveLength(1);
  });
});
