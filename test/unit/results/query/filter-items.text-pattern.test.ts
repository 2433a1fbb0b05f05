import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTextPattern } from '../../../../src/results/query/filter-items.js';

describe('compileTextPattern', () => {
  it.each<[pattern: string, text: string, matches: boolean]>([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['**', 'abc', true],
    ['abc', 'ABC', true],
    ['abc', 'abcd', false],
    ['a*', 'abc', true],
    ['a*', 'ba', false],
    ['*c', 'abc', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*b*', 'abc', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*ab*b', 'ab', false],
    ['ab*ba', 'aba', false],
    ['*?b?*', 'xaby', true],
    ['*?b?*', 'ab', false],
    ['??', 'ab', true],
    ['[a]', '[a]', true],
    ['a.c', 'abc', false],
    ['é*', 'Evian', true],
    ['*\n*', 'a\nb', true],
  ])('matches %j with %j: %s', (pattern, text, matches) => {
    expect(compileTextPattern(pattern)(text)).toBe(matches);
  });
});

it('matches as the equivalent regular expression does', () => {
  const sign = fc.constantFrom('a', 'b', '?', '*');
  const pattern = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''));
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 10 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(pattern, text, (given, candidate) => {
      const meant = new RegExp(`^${given.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      expect(compileTextPattern(given)(candidate)).toBe(meant.test(candidate));
    }),
    { numRuns: 2000 },
  );
});

it('matches a pattern and a text that are made to be slow', () => {
  const matches = compileTextPattern(`${'*a'.repeat(90)}*b`);
  expect(matches('a'.repeat(200_000))).toBe(false);
});
