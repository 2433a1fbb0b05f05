import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashToken } from '../../../../src/config/load/build-access.js';
import { BearerTokens } from '../../../../src/server/auth/bearer-tokens.js';

const END = Date.parse('2027-01-31');

const holders = [
  { name: 'ci', keys: [{ hash: hashToken('first-token') }] },
  { name: 'lab', keys: [{ hash: hashToken('second-token') }, { hash: hashToken('old-token'), expiresAt: END }] },
];
const tokens = new BearerTokens(holders, () => END - 1);

describe('bearer tokens', () => {
  it.each([
    ['Bearer first-token', 'ci'],
    ['Bearer second-token', 'lab'],
    ['Bearer old-token', 'lab'],
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

  it('are good until they expire, also those that have been used', () => {
    let now = END - 1;
    const aging = new BearerTokens(holders, () => now);
    expect(aging.holderOf('Bearer old-token')).toBe('lab');
    now = END;
    expect([aging.holderOf('Bearer old-token'), aging.holderOf('Bearer second-token')]).toEqual([undefined, 'lab']);
  });

  it('are valid only when they are spelled exactly', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!['first-token', 'second-token', 'old-token'].includes(text.trim()));
        expect(tokens.holderOf(`Bearer ${text}`)).toBeUndefined();
      }),
    );
  });
});
