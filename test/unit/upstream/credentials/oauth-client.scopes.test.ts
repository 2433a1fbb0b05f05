import { expect, it } from 'vitest';
import { readScopes } from '../../../../src/upstream/credentials/oauth-client.js';

it('joins scopes, each once, and leaves out what is none', () => {
  expect(readScopes('a:read b', 'b  c"d é', 'e')).toEqual(['a:read', 'b', 'e']);
});

it('bounds how many there are and how long they are together, those first that came first', () => {
  const many = Array.from({ length: 80 }, (_, index) => `scope-${index}`).join(' ');
  expect(readScopes('first', many, 'last')).toEqual(['first', ...many.split(' ').slice(0, 49)]);
  const long = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(190, 'x')).join(' ');
  expect(readScopes(long).join(' ').length).toBeLessThanOrEqual(4_000);
});
