import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BearerTokens } from '../../../../src/server/auth/bearer-tokens.js';

const tokens = new BearerTokens([
  { name: 'ci', token: 'first-token' },
  { name: 'desk', token: 'second-token' },
]);

describe('bearer tokens', () => {
  it.each([
    ['Bearer first-token', 'ci'],
    ['Bearer second-token', 'desk'],
    ['bearer first-token', 'ci'],
    ['BEARER   first-token  ', 'ci'],
    ['Bearer first-tokens', undefined],
    ['Bearer first-toke', undefined],
    ['Bearer FIRST-TOKEN', undefined],
    ['Bearer first-token second-token', undefined],
    ['Bearerfirst-token', undefined],
    ['Basic first-token', undefined],
    ['first-token', undefined],
    ['Bearer ', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('identify the sender of %j as %s', (header, name) => {
    expect(tokens.holderOf(header)).toBe(name);
    expect(tokens.holderOf(header)).toBe(name);
  });

  it('are valid only when they are spelled exactly', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!['first-token', 'second-token'].includes(text.trim()));
        expect(tokens.holderOf(`Bearer ${text}`)).toBeUndefined();
      }),
    );
  });
});
