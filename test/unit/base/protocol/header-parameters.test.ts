import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  findHeaderMismatch,
} from '../../../../src/base/protocol/header-parameters.js';

const PARAMETERS = [
  { path: ['region'], header: 'mcp-param-region' },
  { path: ['nested', 'tenant'], header: 'mcp-param-tenant' },
];

describe('findHeaderMismatch', () => {
  it.each([
    [{ region: 'eu' }, { 'mcp-param-region': ' eu ' }],
    [
      { region: 'ü', nested: { tenant: 7 } },
      { 'mcp-param-region': '=?base64?w7w=?=', 'mcp-param-tenant': '7' },
    ],
    [{ region: null }, {}],
    [undefined, {}],
  ])('accepts %j with %j', (args, headers) => {
    expect(findHeaderMismatch(PARAMETERS, args, headers)).toBeUndefined();
  });

  it.each([
    [{ region: 'eu' }, {}, "the header mcp-param-region is missing: it must carry the value of parameter 'region'"],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }, "the header mcp-param-region differs from the parameter 'region'"],
    [{}, { 'mcp-param-region': 'us' }, "the header mcp-param-region is given, the parameter 'region' is not"],
    [
      { nested: { tenant: 7 } },
      { 'mcp-param-tenant': '=?base64?Nw?=' },
      'the header mcp-param-tenant is marked as Base64 and is not valid Base64',
    ],
  ])('refuses %j with %j and says why', (args, headers, words) => {
    expect(findHeaderMismatch(PARAMETERS, args, headers)).toBe(words);
  });
});

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
