import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../../src/base/protocol/wire-answer.js';

const MEGABYTE = 1024 * 1024;

function contentOf(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1));
}

describe('decodeText', () => {
  const sign = fc.constantFrom('\\', '"', '\n', 'é', '€', '😀', '\ud83d', '\u0001', 'u', 'x', '0041');

  it('gives every text back, whatever stands where its parts end', () => {
    fc.assert(
      fc.property(fc.nat(12), fc.array(sign, { maxLength: 24 }), (before, signs) => {
        const text = 'x'.repeat(MEGABYTE - before) + signs.join('');
        expect(decodeText([contentOf(text)]) === text).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('gives a pair of escapes back as one character where a part ends between them', () => {
    const content = Buffer.from(`${'x'.repeat(MEGABYTE - 6)}\\ud83d\\ude00`);
    expect(decodeText([content]).endsWith('x😀')).toBe(true);
  });

  it('reads a text of backslashes alone', () => {
    const text = '\\'.repeat(MEGABYTE + 3);
    expect(decodeText([contentOf(text)]) === text).toBe(true);
  });
});
