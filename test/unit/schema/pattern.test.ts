import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, readPattern } from '../../../src/schema/pattern.js';

describe('compilePattern', () => {
  it.each([
    '(a+)+$',
    '^(a|a)*$',
    '^(a|ab)*$',
    '^(a*)*$',
    '^(.*)*$',
    '(x+x+)+y',
    '^(\\w+\\s?)*$',
    '^([a-z]|[a-m])+$',
    '^(?:a?){30}a{30}$',
    '^((ab?)*a)*$',
    '(a)\\1+',
    '^(?=(a+)+$)',
    '(?<name>x)\\k<name>',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(((a{100}){100}){100})$',
    '(',
    '(?P<name>a)',
    'a'.repeat(5_000),
  ])('skips %s, which could hang or is not JavaScript', (pattern) => {
    const test = compilePattern(pattern);
    expect(test.skipped).toBe(true);
    expect(test.test(`${'a'.repeat(5_000)}!`)).toBe(true);
  });

  it.each([
    ['^[a-z0-9]+(-[a-z0-9]+)*$', 'a-b-c', 'a--b'],
    ['^(?:[A-Za-z0-9_]+\\.)*[a-z]+@(?:[a-z]+\\.)+[a-z]{2,}$', 'a.b@c.de', 'a.b@c'],
    ['^[^,]+(,[^,]+)*$', 'a,b', ',a'],
    ['^(a|b)*$', 'abab', 'abc'],
    ['^((ab?)*c)*$', 'abac', 'ab'],
    ['^(foo|bar)+$', 'foobar', 'fo'],
    ['^#[0-9a-fA-F]{6}$', '#00ff00', '#00ff0'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2024-02-29', '2024-2-29'],
    ['^(?!.*--)[a-z-]+$', 'a-b', 'a--b'],
    ['^\\p{Lu}', 'Éa', 'éa'],
    ['^[\\w-\\.]+$', 'a-b.c', 'a b'],
    ['^P(\\d+D)?(T(\\d+H)?(\\d+M)?)?$', 'P1DT2H', 'P1H'],
  ])('checks %s', (pattern, good, bad) => {
    const test = compilePattern(pattern);
    expect([test.skipped, test.test(good), test.test(bad)]).toEqual([false, true, false]);
  });

  it('checks no text that is too long for its pattern', () => {
    const test = compilePattern('^.*a.*b.*c$');
    expect(test.test('x'.repeat(400))).toBe(false);
    expect(test.test('x'.repeat(100_000))).toBe(true);
    expect(compilePattern('^[a-z]+$').test('A'.repeat(100_000))).toBe(false);
  });

  it('tells different patterns apart', () => {
    expect(String(compilePattern('^a$'))).not.toBe(String(compilePattern('^b$')));
    expect(String(compilePattern('(a+)+'))).not.toBe(String(compilePattern('(b+)+')));
  });
});

it('readPattern reads whatever it is given', () => {
  const piece = fc.constantFrom(
    'a',
    'b+',
    '(',
    ')',
    '[a-z]',
    '*',
    '|',
    '\\d',
    '{2,}',
    '?',
    '.',
    '^',
    '$',
    '(?:',
    '(?=',
    '[',
    '\\',
    ']',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(readPattern(pieces.join('')).degree).toBeGreaterThanOrEqual(0);
    }),
  );
});

it('whatever is not skipped is quick on the texts that patterns stumble over', () => {
  const piece = fc.constantFrom(
    'a',
    'a+',
    'a*',
    '(a|b)',
    '(a+b)',
    '(ab?)',
    '(a|b+)',
    '[ab]+',
    '.*',
    'b',
    '?',
    '*',
    '+',
    '{2,}',
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
      const test = compilePattern(`^(${pieces.join('')})*$`);
      // Exponential patterns would not come back from forty letters in the time that a test has.
      expect(typeof test.test(`${'ab'.repeat(10)}${'a'.repeat(40)}!`)).toBe('boolean');
    }),
    { numRuns: 500 },
  );
});
