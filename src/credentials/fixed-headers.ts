import type { RequestCredentials } from '../upstream/user-rights.js';

/** Credentials that stay as they are for as long as a connection lives. */
export function fixedHeaders(headers: Readonly<Record<string, string>>): RequestCredentials {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const secrets = Object.values(lower).flatMap((value) => [value, value.replace(/^\w+ +/, '')]);
  return { headers: async () => lower, refused: async () => false, secrets };
}
