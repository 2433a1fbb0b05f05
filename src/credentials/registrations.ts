import { createHash } from 'node:crypto';
import type { StateStore } from '../store/state-store.js';
import type { Registrations } from './oauth-client.js';
import { readClient } from './oauth-tokens.js';
import type { Vault } from './vault.js';

const COLLECTION = 'oauth_client';
const LIFE_MS = 90 * 86_400_000;
/** What must not be forgotten. */
const LONG_MS = 40 * 365 * 86_400_000;

/** Keeps what authorization servers have registered the gateway as, encrypted. @param redirectUrl which a registration is for */
export function keepRegistrations(
  store: StateStore,
  vault: Vault,
  { redirectUrl, now }: { readonly redirectUrl: string; readonly now: () => number },
): Registrations {
  const keyOf = (issuer: string): string => digest([issuer, redirectUrl]);
  return {
    async find(issuer) {
      const key = keyOf(issuer);
      const record = await store.get(COLLECTION, key);
      return record === undefined ? undefined : readClient(vault.open(record.value['sealed'], key));
    },
    async keep(issuer, client) {
      const key = keyOf(issuer);
      await store.remove(COLLECTION, key);
      await store.insert(COLLECTION, key, { sealed: vault.seal(client, key) }, { expiresAt: now() + LIFE_MS });
    },
    async forget(issuer) {
      await store.remove(COLLECTION, keyOf(issuer));
    },
    async bind(origin, clientId, issuer) {
      const key = digest(['bound', origin, clientId]);
      if (await store.insert(COLLECTION, key, { issuer }, { expiresAt: now() + LONG_MS })) return issuer;
      return String((await store.get(COLLECTION, key))?.value['issuer'] ?? '');
    },
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
