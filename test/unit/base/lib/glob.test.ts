import fc from 'fast-check';
import { minimatch } from 'minimatch';
import { describe, expect, it } from 'vitest';
import { compileGlob, LONGEST_TEXT, type Match, matchGlobs } from '../../../../src/base/lib/glob.js';

function match(pattern: string, text: string): Match {
  return matchGlobs([compileGlob(pattern)], text);
}

describe('a glob pattern', () => {
  it.each<[pattern: string, text: string, match: Match]>([
    ['push_*', 'push_files', 'yes'],
    ['push_*', 'pull_files', 'no'],
    ['*', '', 'no'],
    ['**', '', 'yes'],
    ['/tmp/*', '/tmp/a', 'yes'],
    ['/tmp/*', '/tmp/.a', 'yes'],
    ['/tmp/*', '/tmp/a/b', 'no'],
    ['/tmp/**', '/tmp/a/b', 'yes'],
    ['/tmp/**/b', '/tmp/b', 'yes'],
    ['/tmp/**/c/**/e', '/tmp/b/c/c/d/e', 'yes'],
    ['/tmp/**/c/*', '/tmp/c/c/d/d', 'no'],
    ['?ar', 'bar', 'yes'],
    ['?ar', 'ar', 'no'],
    ['[a-c]ar', 'bar', 'yes'],
    ['[!a-c]ar', 'bar', 'no'],
    ['[^a-c]ar', 'tar', 'yes'],
    ['[]]', ']', 'yes'],
    ['[\\d]', 'd', 'yes'],
    ['[\\d]', '1', 'no'],
    ['[ar', '[ar', 'yes'],
    ['{dev,staging}', 'staging', 'yes'],
    ['{dev,staging}', 'prod', 'no'],
    ['\\*', '*', 'yes'],
    ['\\*', 'a', 'no'],
    ['!prod', 'dev', 'no'],
    ['#1', '#1', 'yes'],
    ['a.c', 'abc', 'no'],
  ])('%j, matched against %j, gives %s', (pattern, text, expected) => {
    expect(match(pattern, text)).toBe(expected);
  });

  it.each<[pattern: string, text: string, match: Match]>([
    ['/prod/**', '//prod//x', 'yes'],
    ['/prod/**', '/a/../prod/x', 'doubt'],
    ['/prod/**', '/prod/../x', 'doubt'],
    ['/prod/**', '/./prod/x', 'doubt'],
    ['/prod/**', '\\prod\\x', 'doubt'],
    ['/prod/**', '/dev\\..\\prod/x', 'doubt'],
    ['/prod/**', '/../prod/x', 'doubt'],
    ['/prod/**', '../../prod/x', 'doubt'],
    ['/prod/**', '.', 'doubt'],
    ['/prod/**', '/prod', 'doubt'],
    ['/prod/**', '/prod/', 'doubt'],
    ['/prod/**', '/production', 'no'],
    ['/**', '/', 'yes'],
    ['**', '/prod/../../x', 'doubt'],
    ['../shared/*', '../shared/x', 'yes'],
    ['https://*.example.com/**', 'https://api.example.com/v1', 'yes'],
  ])('%j, matched against the path %j as written and as resolved, gives %s', (pattern, text, expected) => {
    expect(match(pattern, text)).toBe(expected);
  });

  it.each([
    ['extended globs', '!(dev)'],
    ['named classes', '[[:alpha:]]'],
    ['ranges in the wrong order', '[z-a]'],
    ['braces with too many alternatives', '{1..100}'],
    ['nested braces with too many alternatives', '{a,b}'.repeat(12)],
    ['great length', 'a'.repeat(LONGEST_TEXT + 1)],
    ['long alternatives', `{a,b,c,d,e}${'x'.repeat(LONGEST_TEXT / 4)}`],
  ])('doubts everything under a pattern of %s', (_, pattern) => {
    expect(match(pattern, 'prod')).toBe('doubt');
  });

  it('gives doubt for a text that is too long, and matches one of the longest length', () => {
    expect(match('b*', `a${'b'.repeat(LONGEST_TEXT)}`)).toBe('doubt');
    expect(match('b*', 'b'.repeat(LONGEST_TEXT))).toBe('yes');
    expect(match('a*', 'b'.repeat(LONGEST_TEXT))).toBe('no');
  });

  it('is matched quickly against texts that make backtracking matchers hang', () => {
    expect(match('*a*a*a*a*a*b', 'a'.repeat(LONGEST_TEXT))).toBe('no');
    expect(match('**/a/**/a/**/a/**/b', 'a/'.repeat(LONGEST_TEXT / 2 - 1))).toBe('no');
  });

  it('doubts what takes too many steps, and what is asked with it', () => {
    // Every start is tried with half of the pattern: the product of the two lengths.
    const slow = compileGlob(`*${'a'.repeat(LONGEST_TEXT / 2)}b*`);
    const text = 'a'.repeat(LONGEST_TEXT);
    expect(matchGlobs([slow], text)).toBe('doubt');
    expect(matchGlobs([slow, compileGlob('b')], text)).toBe('doubt');
    expect(matchGlobs([compileGlob('a*'), slow], text)).toBe('yes');
  });

  it('agrees with minimatch', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '/', '**', '[ab]', '[!a]', '{a,b}', '{a/,}', '\\*', '-');
    const pattern = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const segment = fc.string({ unit: fc.constantFrom('a', 'b', '*', '-', '['), minLength: 1, maxLength: 3 });
    const text = fc
      .tuple(fc.boolean(), fc.array(segment, { minLength: 1, maxLength: 5 }))
      .map(([absolute, segments]) => `${absolute ? '/' : ''}${segments.join('/')}`);
    const options = { dot: true, nocomment: true, nonegate: true, noext: true };
    fc.assert(
      fc.property(pattern, text, (pattern, text) => {
        // Minimatch distinguishes a path with a slash at its end; rules do not.
        fc.pre(!/\/(?:,|\}|$)/.test(pattern));
        expect(match(pattern, text) === 'yes').toBe(minimatch(text, pattern, options));
      }),
      { numRuns: 2_000 },
    );
  });
});
