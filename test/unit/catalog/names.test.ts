import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignUniqueNames } from '../../../src/catalog/names.js';

describe('assignUniqueNames', () => {
  it('numbers claims of the same name by rank and then by key', () => {
    const names = assignUniqueNames([
      { key: 'getUser', base: 'get_user', rank: 1 },
      { key: 'get-user', base: 'get_user', rank: 1 },
      { key: 'get_user', base: 'get_user', rank: 0 },
    ]);
    expect(Object.fromEntries(names)).toEqual({
      get_user: 'get_user',
      'get-user': 'get_user_2',
      getUser: 'get_user_3',
    });
  });

  it('never gives a numbered name that another claim asks for', () => {
    const names = assignUniqueNames([
      { key: 'aB', base: 'a_b', rank: 1 },
      { key: 'a-b', base: 'a_b', rank: 1 },
      { key: 'a_b_2', base: 'a_b_2', rank: 0 },
    ]);
    expect(names.get('a_b_2')).toBe('a_b_2');
    expect(names.get('aB')).toBe('a_b_3');
  });

  it('gives every claim a different name, the same for every order', () => {
    const claim = fc.record({ key: fc.string(), base: fc.constantFrom('a', 'a_2', 'b', 'a_3'), rank: fc.nat(2) });
    fc.assert(
      fc.property(fc.uniqueArray(claim, { selector: ({ key }) => key }), (claims) => {
        const names = assignUniqueNames(claims);
        expect(new Set(names.values()).size).toBe(claims.length);
        expect(assignUniqueNames(claims.toReversed())).toEqual(names);
      }),
    );
  });
});
