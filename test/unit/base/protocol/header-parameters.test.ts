import { describe, expect, it } from 'vitest';
import { findHeaderMismatch } from '../../../../src/base/protocol/header-parameters.js';

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
