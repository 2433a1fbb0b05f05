import { expect, it } from 'vitest';
import { authenticatedAs } from '../../../../src/server/auth/authenticated.js';

it('gives no client the key of a user, whatever an issuer has named them', () => {
  const user = authenticatedAs({ user: 'corp:alice', client: 'corp:app' });
  const clients = ['corp:alice by corp:app', 'client corp:alice', 'corp:alice by', 'a b', 'a%20b', 'client a%20b'].map(
    (client) => authenticatedAs({ client }),
  );
  const all = [user, ...clients];
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
  expect(new Set(all.map(({ session }) => session)).size).toBe(all.length);
});

it('keeps the keys that earlier versions have signed into session ids', () => {
  expect(authenticatedAs({ client: 'ci' }).key).toBe('ci');
  expect(authenticatedAs({ client: '50%' }).key).toBe('50%');
  expect(authenticatedAs({ user: 'corp:al ice', client: 'corp:app' }).key).toBe('corp:al%20ice by corp:app');
});
