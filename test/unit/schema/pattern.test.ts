import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/schema/pattern.js';

const test = (source: string, text: string): boolean | undefined => compilePattern(source).pattern?.test(text);

describe('compilePattern', () => {
  it.each([
    ['(a)\\1+', 'backreference'],
    ['(?<name>x)\\k<name>', 'backreference'],
    ['^(?=(a+)+$)', 'look-around'],
    ['^(?!.*--)[a-z-]+$', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['^(((a{100}){100}){100})$', 'too many states'],
    ['(a{1000}){1000}', 'too many states'],
    ['(', 'no regular expression'],
    ['(?P<name>a)', 'no regular expression'],
    ['^a\\Z', 'does not know'],
    ['a'.repeat(5_000), 'longer than'],
    ['(?:'.repeat(300) + ')'.repeat(300), 'nested'],
    ['a{1001}', 'linear time'],
  ])('does not check %s, and says why', (source, why) => {
    expect(compilePattern(source).gap).toContain(why);
  });

  it.each([
    ['^[a-z0-9]+(-[a-z0-9]+)*$', 'a-b-c', 'a--b'],
    ['^(?:[A-Za-z0-9_]+\\.)*[a-z]+@(?:[a-z]+\\.)+[a-z]{2,}$', 'a.b@c.de', 'a.b@c'],
    ['^(a|b)*$', 'abab', 'abc'],
    ['^(?<first>foo|bar)+?$', 'foobar', 'fo'],
    ['^#[0-9a-fA-F]{6}$', '#00ff00', '#00ff0'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2024-02-29', '2024-2-29'],
    ['^\\p{Lu}', 'Éa', 'éa'],
    ['^[\\w-\\.]+$', 'a-b.c', 'a b'],
    ['^https?:\\/\\/[^\\/]+$', 'https://a', 'https://a/b'],
    ['^P(\\d+D)?(T(\\d+H)?(\\d+M)?)?$', 'P1DT2H', 'P1H'],
    ['^a$', 'a', 'a\n'],
    ['^.$', '\u0085', '\u2028'],
    ['^\\s$', '\u00a0', '\u200b'],
    ['^[^\\S]$', '\ufeff', 'a'],
    ['^[\\S]$', 'a', '\u3000'],
    ['^\\u00e9\\u{1F600}\\ud83d\\ude00\\x41$', 'é😀😀A', 'é😀A'],
    ['^.$', '😀', 'ab'],
    ['^[\\b]\\0\\cA$', '\b\0\u0001', 'b0A'],
    ['^[^]$', '\n', ''],
    ['a{,3}', 'a{,3}', 'aaa'],
    ['^(a+)+$', 'aaa', `${'a'.repeat(50)}!`],
    ['^(?:a?){30}a{30}$', 'a'.repeat(45), `${'a'.repeat(29)}${'b'.repeat(20)}`],
  ])('checks %s as JavaScript does', (source, good, bad) => {
    expect([test(source, good), test(source, bad)]).toEqual([true, false]);
    const judge = ((): RegExp => {
      try {
        return new RegExp(source, 'u');
      } catch {
        return new RegExp(source);
      }
    })();
    if (bad.length < 40) expect([judge.test(good), judge.test(bad)]).toEqual([true, false]);
  });

  it('counts repetitions that are written out', () => {
    const work = (source: string): number => compilePattern(source).pattern?.testWork(1_000) ?? Number.NaN;
    expect(work('^[a-z]+$')).toBeLessThan(2_000);
    expect(work('^(?:a{0,8}){30}b$')).toBeGreaterThan(500_000);
  });
});

const PIECES = [
  'a',
  'b+',
  '(',
  ')',
  '[a-c]',
  '*',
  '|',
  '\\d',
  '{2,}',
  '?',
  '.',
  '^',
  '$',
  '(?:',
  '[',
  '\\',
  ']',
  '\\s',
  '-',
  '{',
  '\n',
  '😀',
];

it('agrees with JavaScript on whatever it checks', () => {
  const pattern = fc.array(fc.constantFrom(...PIECES), { maxLength: 10 }).map((pieces) => pieces.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', '1', '\n', ' ', '-', '😀', '\u00a0'), { maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (source, letters) => {
      const subject = letters.join('');
      const { pattern: ready } = compilePattern(source);
      if (ready === undefined) return;
      // The flag decides what a character is; where it does not compile, the texts stay within the plane that it shares.
      const judge = ((): RegExp | undefined => {
        try {
          return new RegExp(source, 'u');
        } catch {
          return /[^\0-\uffff]/u.test(source + subject) ? undefined : new RegExp(source);
        }
      })();
      if (judge !== undefined) expect(ready.test(subject)).toBe(judge.test(subject));
    }),
    { numRuns: 1_500 },
  );
});
