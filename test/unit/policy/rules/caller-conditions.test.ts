import { describe, expect, it } from 'vitest';
import type { CallerIdentity } from '../../../../src/base/protocol/caller.js';
import { CALLER_KEYS } from '../../../../src/config/policy-config.js';
import { compileCaller } from '../../../../src/policy/rules/conditions.js';

const ALICE: CallerIdentity = {
  client: 'corp:https://app.example/client.json',
  user: 'corp:DOMAIN\\alice',
  groups: ['staff', '/teams/red'],
  scopes: ['mcp:read'],
};

const matchOf = (match: object, caller: CallerIdentity): readonly string[] =>
  compileCaller(match).map((clause) => clause.match(caller));

describe('a condition on the caller', () => {
  it.each([
    [{ client: ['*'] }, 'yes'],
    [{ client: ['corp:*'] }, 'yes'],
    [{ client: ['corp:https://app.example/client.json'] }, 'yes'],
    [{ client: ['other:*'] }, 'no'],
    [{ user: ['corp:DOMAIN\\\\alice'] }, 'yes'],
    [{ user: ['*'] }, 'yes'],
    [{ user: ['corp:bob'] }, 'no'],
    [{ group: ['red', '/teams/*'] }, 'yes'],
    [{ group: ['staf'] }, 'no'],
    [{ scope: ['mcp:{read,write}'] }, 'yes'],
    [{ scope: ['mcp:write'] }, 'no'],
    [{ issuer: ['cor?'] }, 'yes'],
    [{ issuer: ['corp:*'] }, 'no'],
  ])('such as %j compares whole names, in which * stands for anything: %s', (match, expected) => {
    expect(matchOf(match, ALICE)).toEqual([expected]);
  });

  it('matches no caller without such a name, not even by *', () => {
    const all = { client: ['*'], user: ['*'], issuer: ['*'], group: ['*'], scope: ['*'] };
    expect(matchOf(all, {})).toEqual(['no', 'no', 'no', 'no', 'no']);
    expect(matchOf(all, { client: 'ci' })).toEqual(['yes', 'no', 'no', 'no', 'no']);
  });

  it.each(CALLER_KEYS)('on %s holds for nobody of whom nothing is known', (key) => {
    expect(matchOf({ [key]: ['*'] }, {})).toEqual(['no']);
  });

  it('is explained by what the caller is', () => {
    const [group] = compileCaller({ group: ['admins'] });
    expect([group?.explain(ALICE, 'no'), group?.explain({}, 'no')]).toEqual([
      "group 'staff', '/teams/red' is not 'admins'",
      "the caller is in no group, and would have to be in 'admins'",
    ]);
  });
});
