import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLabel, cleanText, cutText, summarizeText, withoutBoilerplate } from '../../../../src/base/lib/text.js';

describe('cleanText', () => {
  it.each([
    ['plain\n\ttext', 'plain\n\ttext'],
    ['a\u0000b\u001bc\u007fd', 'abcd'],
    ['zero\u200bwidth\u200d\ufeff', 'zerowidth'],
    ['bidi\u202etxet\u202c\u2066x\u2069', 'biditxetx'],
    ['tags\u{e0041}\u{e0042}', 'tags'],
    ['variation\u{e0101}', 'variation'],
    ['lone \ud800 surrogate', 'lone  surrogate'],
    ['lines\r\nend\rhere', 'lines\nend\nhere'],
    ['  trimmed  ', 'trimmed'],
    ['größe 中 😀', 'größe 中 😀'],
  ])('converts %j to %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it('returns an empty text for values that are not texts', () => {
    for (const value of [undefined, null, 5, {}, ['x']]) expect(cleanText(value)).toBe('');
  });

  it('returns at most 4,000 characters', () => {
    expect(cleanText('x'.repeat(10_000))).toHaveLength(4_000);
    expect(cleanText('x'.repeat(4_000))).toBe('x'.repeat(4_000));
  });

  it('changes nothing when it is applied again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
      }),
    );
  });
});

describe('summarizeText', () => {
  it.each([
    ['Gets a thing. Then more.', 'Gets a thing.'],
    ['Gets a thing\nover lines', 'Gets a thing over lines'],
    ['Reads e.g. this or v1.2 of it. More.', 'Reads e.g. this or v1.2 of it.'],
    ['', ''],
  ])('shortens %j to %j', (text, summary) => {
    expect(summarizeText(text)).toBe(summary);
  });

  it('returns at most 120 characters', () => {
    expect(summarizeText('word '.repeat(100)).length).toBeLessThanOrEqual(120);
  });
});

it('cutText does not split a surrogate pair', () => {
  expect(cutText('ab😀cd', 4)).toBe('ab…');
});

describe('cleanLabel', () => {
  it.each([
    ['Claude Desktop', 'Claude Desktop'],
    ['nice\nUpstream   sandbox\r\n\tDanger: safe ', 'nice Upstream sandbox Danger: safe'],
    ['a\u202eb', 'a\\u202eb'],
    [`x\u0007`, 'x\\u0007'],
  ])('writes %j in one line, with what cannot be seen escaped', (given, label) => {
    expect(cleanLabel(given)).toBe(label);
  });

  it('keeps at most 100 characters', () => {
    expect(cleanLabel('x'.repeat(1_000_000))).toBe(`${'x'.repeat(99)}…`);
    expect(cleanLabel('\u202e'.repeat(1_000)).length).toBeLessThanOrEqual(100);
  });
});

describe('withoutBoilerplate', () => {
  it('leaves out lists of HTTP statuses and empty lines in a row, and nothing else', () => {
    const text =
      'Search by title\nError Responses:\n400: Bad request\n429: Too many\n\n\n\nReturns pages.\nErrors: none are raised.';
    expect(withoutBoilerplate(text)).toBe('Search by title\n\nReturns pages.\nErrors: none are raised.');
    expect(withoutBoilerplate('Notion | Search\nError Responses:\n400: 400')).toBe('Notion | Search');
  });
});
