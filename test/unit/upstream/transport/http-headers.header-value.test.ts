import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHeaderValue } from '../../../../src/upstream/transport/http-headers.js';

function decode(value: string): string {
  const encoded = /^=\?base64\?(?<data>.*)\?=$/.exec(value)?.groups?.['data'];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}

describe('encodeHeaderValue', () => {
  it('can be decoded, and is always a safe field value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const encoded = encodeHeaderValue(value);
        expect(decode(encoded)).toBe(value);
        expect(encoded).toMatch(/^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/);
      }),
    );
  });

  it.each([
    ['get_issue', 'get_issue'],
    ['with inner space', 'with inner space'],
    ['', '=?base64??='],
    [' led', '=?base64?IGxlZA==?='],
    ['naïve', '=?base64?bmHDr3Zl?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
  ])('writes %j as %j', (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded);
  });
});
