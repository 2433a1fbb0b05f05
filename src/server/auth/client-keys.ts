import { createHash } from 'node:crypto';
import type { ClientConfig } from '../../config/access-config.js';
import { type Authenticated, authenticatedAs } from './authenticated.js';

/** A client that is known by a static token, and until when. */
export interface KeyHolder {
  readonly client: Authenticated;
  /** In milliseconds since the epoch; infinite where it does not end. */
  readonly until: number;
}

/** Finds the client of a static token. Kept and looked up by hashes, whose comparison says nothing about a token's characters. */
export class ClientKeys {
  readonly #holders: ReadonlyMap<string, KeyHolder>;

  constructor(clients: readonly ClientConfig[]) {
    this.#holders = new Map(
      clients.flatMap(({ name, keys, groups }) => {
        const client = authenticatedAs({ client: name, ...(groups.length === 0 ? {} : { groups }) });
        return keys.map(
          ({ hash, expiresAt = Number.POSITIVE_INFINITY }) => [hash, { client, until: expiresAt }] as const,
        );
      }),
    );
  }

  find(token: string): KeyHolder | undefined {
    return this.#holders.get(`sha256:${createHash('sha256').update(token).digest('hex')}`);
  }
}
