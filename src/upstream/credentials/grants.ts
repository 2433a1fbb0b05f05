import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.js';
import type { StateStore, StoredRecord } from '../../store/state-store.js';
import { type ClientAtIssuer, readClient, readTokens, type Tokens } from './oauth-answers.js';
import type { Vault } from './vault.js';

/** What one owner has granted the gateway for one upstream. */
export interface Grant {
  readonly upstream: string;
  readonly owner: string;
  /** The address that it is for: a grant is not used for another server that has taken the name. */
  readonly resource: string;
  readonly issuer: string;
  /** What was asked for; the authorization server may have given less. */
  readonly scope: string;
  /** What the server has demanded since; it is asked for when the owner grants access again. */
  readonly demanded: string;
  /** In milliseconds since the epoch. */
  readonly grantedAt: number;
  readonly client: ClientAtIssuer;
  readonly tokens: Tokens;
}

/** What stands in the clear beside the tokens. */
type GrantFacts = Pick<Grant, 'upstream' | 'owner' | 'resource' | 'issuer' | 'scope' | 'grantedAt'>;

/** What may be shown of a grant. */
export interface GrantSummary extends GrantFacts {
  /** False where it was kept with another key: it is not used, and its owner has to grant access anew. */
  readonly readable: boolean;
}

/** A grant, and the state of its record. */
export interface KeptGrant {
  readonly grant: Grant;
  readonly version: number;
  /** Until when another request refreshes it, in milliseconds since the epoch. */
  readonly refreshingUntil: number;
}

const COLLECTION = 'grant';
/** A grant that was not renewed for so long is asked for anew. */
const LIFE_MS = 365 * 86_400_000;

/** What users have granted, one grant for each owner and upstream, encrypted. */
export class Grants {
  readonly #store: StateStore;
  readonly #vault: Vault;
  readonly #now: () => number;
  readonly #onUnreadable: () => void;

  /** @param onUnreadable called with each grant that was kept with another key */
  constructor(store: StateStore, vault: Vault, now: () => number, onUnreadable = (): void => undefined) {
    this.#store = store;
    this.#vault = vault;
    this.#now = now;
    this.#onUnreadable = onUnreadable;
  }

  async find(upstream: string, owner: string): Promise<KeptGrant | undefined> {
    const record = await this.#store.get(COLLECTION, keyOf(upstream, owner));
    return record === undefined ? undefined : this.#read(record);
  }

  /** Takes the place of an earlier grant of the same owner. */
  async save(grant: Grant): Promise<void> {
    const key = keyOf(grant.upstream, grant.owner);
    await this.#store.remove(COLLECTION, key);
    await this.#store.insert(COLLECTION, key, this.#write(grant, 0), { expiresAt: this.#now() + LIFE_MS });
  }

  /** Changes a grant that is still as it was seen; false where it is not. */
  replace({ grant, version }: KeptGrant, next: Grant, refreshingUntil = 0): Promise<boolean> {
    const key = keyOf(grant.upstream, grant.owner);
    return this.#store.replace(COLLECTION, key, version, this.#write(next, refreshingUntil));
  }

  remove(upstream: string, owner: string): Promise<boolean> {
    return this.#store.remove(COLLECTION, keyOf(upstream, owner));
  }

  async list(): Promise<readonly GrantSummary[]> {
    const records = await this.#store.list(COLLECTION);
    const summaries = records.map((record) => ({
      ...factsOf(record.value),
      readable: this.#read(record) !== undefined,
    }));
    return summaries.sort((a, b) => a.grantedAt - b.grantedAt);
  }

  /** The fields that say whose it is are readable, so that it can be listed and revoked without the key. */
  #write({ tokens, client, ...summary }: Grant, refreshingUntil: number): JsonObject {
    const sealed = this.#vault.seal({ tokens, client }, keyOf(summary.upstream, summary.owner));
    return { ...summary, refreshingUntil, sealed };
  }

  #read({ key, value, version }: StoredRecord): KeptGrant | undefined {
    const secret = this.#vault.open(value['sealed'], key);
    const tokens = readTokens(secret?.['tokens']);
    const client = readClient(secret?.['client']);
    if (tokens === undefined || client === undefined) {
      this.#onUnreadable();
      return undefined;
    }
    const refreshingUntil = Number(value['refreshingUntil'] ?? 0);
    const demanded = String(value['demanded'] ?? '');
    return { grant: { ...factsOf(value), demanded, tokens, client }, version, refreshingUntil };
  }
}

function factsOf(value: JsonObject): GrantFacts {
  const text = (name: string): string => String(value[name] ?? '');
  return {
    upstream: text('upstream'),
    owner: text('owner'),
    resource: text('resource'),
    issuer: text('issuer'),
    scope: text('scope'),
    grantedAt: Number(value['grantedAt'] ?? 0),
  };
}

function keyOf(upstream: string, owner: string): string {
  return createHash('sha256')
    .update(JSON.stringify([upstream, owner]))
    .digest('base64url');
}
