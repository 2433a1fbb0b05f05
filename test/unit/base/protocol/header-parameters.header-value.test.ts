import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue } from '../../../../src/base/protocol/header-parameters.js';

describe('encodeHeaderValue', () => {
  it('can be decoded, and is always a safe field value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const encoded = encodeHeaderValue(value);
        expect(decodeHeaderValue(encoded)).toBe(value);
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

describe('decodeHeaderValue', () => {
  it.each([
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?base64?SGVsbG8=?=', 'Hello'],
    ['=?base64?SGVsbG8?=', undefined],
    ['=?base64?SGVs!!!bG8=?=', undefined],
  ])('reads %j as %j', (field, value) => {
    expect(decodeHeaderValue(field)).toBe(value);
  });
});
