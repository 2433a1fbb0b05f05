import { LRUCache } from 'lru-cache';
import type { Grants, KeptGrant } from './grants.js';
import type { ClientSettings, OAuthClient, Target } from './oauth-client.js';
import { OAuthFault } from './oauth-fault.js';
import { readScopes } from './scopes.js';
import { TokenRefresh } from './token-refresh.js';

/** A token is refreshed so long before it ends: a request is on its way meanwhile. */
const MARGIN_MS = 30_000;
/** Metadata of authorization servers is read again after so long. */
const METADATA_MS = 600_000;

interface UserTokensDeps {
  readonly grants: Grants;
  readonly client: OAuthClient;
  readonly now: () => number;
  /** Called where a grant is gone because its authorization server does not refresh it any more. */
  readonly onEnded: (owner: string) => void;
  /** Says something to the operator. */
  readonly warn: (message: string) => void;
}

type IsRefused = (owner: string, token: string) => boolean;

interface OwnedResource {
  readonly slug: string;
  readonly url: string;
  readonly settings: ClientSettings;
}

/** The tokens of one upstream's users: found, and refreshed before they end. */
export class UserTokens {
  readonly #upstream: OwnedResource;
  readonly #deps: UserTokensDeps;
  readonly #refresh: TokenRefresh;
  readonly #targets = new LRUCache<string, Target>({ max: 1, ttl: METADATA_MS });

  constructor(upstream: OwnedResource, deps: UserTokensDeps) {
    this.#upstream = upstream;
    this.#deps = deps;
    const { slug, settings } = upstream;
    const find = (owner: string): Promise<KeptGrant | undefined> => this.#find(owner);
    this.#refresh = new TokenRefresh({ ...deps, slug, settings, find, target: () => this.target() });
  }

  /** The authorization server of this upstream. @throws OAuthFault */
  async target(): Promise<Target> {
    const { url, settings } = this.#upstream;
    const known = this.#targets.get(url);
    if (known !== undefined) return known;
    const target = await this.#deps.client.discover(url, settings);
    if (target.isCertain) this.#targets.set(url, target);
    return target;
  }

  /**
   * A token that can be sent now; undefined where the owner has to grant access.
   * @throws OAuthFault where the token has ended, and the authorization server gives none now
   */
  async usable(owner: string): Promise<string | undefined> {
    const { now } = this.#deps;
    const kept = await this.#find(owner);
    if (kept === undefined) return undefined;
    const { accessToken, expiresAt = Number.POSITIVE_INFINITY } = kept.grant.tokens;
    if (now() < expiresAt - MARGIN_MS) return accessToken;
    return this.#refresh.follow(owner, accessToken).catch((cause: unknown) => {
      if (cause instanceof OAuthFault && now() < expiresAt) return accessToken;
      throw cause;
    });
  }

  /**
   * Another token than this one, which was refused; undefined where there is none.
   * @throws OAuthFault where the authorization server gives none now
   */
  async other(owner: string, refused: string): Promise<string | undefined> {
    const kept = await this.#find(owner);
    if (kept === undefined) return undefined;
    const { accessToken } = kept.grant.tokens;
    if (accessToken !== refused) return accessToken;
    // The server may have another authorization server now.
    this.#targets.clear();
    return this.#refresh.follow(owner, accessToken);
  }

  /** Why there was no other token than a refused one; undefined where that has not failed of late. */
  failureOf(owner: string): OAuthFault | undefined {
    return this.#refresh.failureOf(owner);
  }

  /** Keeps what the server demands of a token, so that it is asked for when the owner grants access again. */
  async demand(owner: string, scope: string): Promise<void> {
    const kept = await this.#find(owner);
    // Configured scopes are the most that is ever asked for.
    if (kept === undefined || this.#upstream.settings.scopes.length > 0) return;
    const { grant, refreshingUntil } = kept;
    // Where the server does not say what it lacks, it is what its metadata names.
    const named = scope === '' ? (await this.target()).scopes.join(' ') : scope;
    const asked = new Set(readScopes(grant.scope));
    const all = readScopes(grant.scope, grant.demanded, named);
    const demanded = all.filter((each) => !asked.has(each)).join(' ');
    if (demanded !== grant.demanded) await this.#deps.grants.replace(kept, { ...grant, demanded }, refreshingUntil);
  }

  /** What the server has demanded since the owner was asked. It is empty, too, where it was asked for and not given. */
  async lacking(owner: string): Promise<readonly string[]> {
    return readScopes((await this.#find(owner))?.grant.demanded ?? '');
  }

  /** The authorization server, and what an owner is asked for there: also what they have granted before. */
  async targetFor(owner: string): Promise<Target> {
    const [target, kept] = await Promise.all([this.target(), this.#find(owner)]);
    if (kept?.grant.issuer !== target.issuer) return target;
    const { scope, demanded } = kept.grant;
    return { ...target, scopes: readScopes(scope, demanded, target.scopes.join(' ')) };
  }

  /**
   * The owner who has granted access first, of those who still do.
   * @param isRefused whether the server takes a token of an owner no more
   * @param known who is it as long as this one does
   */
  async firstOwner(isRefused: IsRefused, known: string | undefined): Promise<string | undefined> {
    const { slug, url } = this.#upstream;
    const isTaken = async (owner: string): Promise<boolean> => {
      const kept = await this.#find(owner);
      return kept !== undefined && !isRefused(owner, kept.grant.tokens.accessToken);
    };
    if (known !== undefined && (await isTaken(known))) return known;
    for (const { upstream, resource, owner } of await this.#deps.grants.list())
      if (upstream === slug && resource === url && (await isTaken(owner))) return owner;
    return undefined;
  }

  async #find(owner: string): Promise<KeptGrant | undefined> {
    const { slug, url } = this.#upstream;
    const kept = await this.#deps.grants.find(slug, owner);
    // Another server may have taken the name: it must not get the tokens of its predecessor.
    return kept?.grant.resource === url ? kept : undefined;
  }
}
