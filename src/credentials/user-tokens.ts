import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Grant, Grants, KeptGrant } from './grants.js';
import type { ClientSettings, OAuthClient, Target } from './oauth-client.js';
import { readScopes } from './scopes.js';

/** A token is refreshed so long before it ends: a request is on its way meanwhile. */
const MARGIN_MS = 30_000;
/** How long one refresh may take; then another request, of any replica, may begin one. */
const REFRESH_MS = 15_000;
const POLL_MS = 100;
/** Metadata of authorization servers is read again after so long. */
const METADATA_MS = 600_000;

interface UserTokensDeps {
  readonly grants: Grants;
  readonly client: OAuthClient;
  readonly now: () => number;
  /** Called where a grant is gone because its authorization server does not refresh it any more. */
  readonly onEnded: (owner: string) => void;
}

interface OwnedResource {
  readonly slug: string;
  readonly url: string;
  readonly settings: ClientSettings;
}

/** The tokens of one upstream's users: found, and refreshed before they end, one refresh at a time for each over all replicas. */
export class UserTokens {
  readonly #upstream: OwnedResource;
  readonly #deps: UserTokensDeps;
  readonly #refreshing = new Map<string, Promise<string | undefined>>();
  readonly #targets = new LRUCache<string, Target>({ max: 1, ttl: METADATA_MS });

  constructor(upstream: OwnedResource, deps: UserTokensDeps) {
    this.#upstream = upstream;
    this.#deps = deps;
  }

  /** The authorization server of this upstream. @throws OAuthFault */
  async target(): Promise<Target> {
    const { url, settings } = this.#upstream;
    const known = this.#targets.get(url);
    if (known !== undefined) return known;
    const target = await this.#deps.client.discover(url, settings);
    this.#targets.set(url, target);
    return target;
  }

  /** A token that can be sent now; undefined where the owner has to grant access. */
  async usable(owner: string): Promise<string | undefined> {
    const kept = await this.#find(owner);
    if (kept === undefined) return undefined;
    const { accessToken, expiresAt = Number.POSITIVE_INFINITY } = kept.grant.tokens;
    return this.#deps.now() < expiresAt - MARGIN_MS ? accessToken : this.#refreshOnce(owner, accessToken);
  }

  /** Another token than this one, which was refused; undefined where there is none. */
  async other(owner: string, refused: string): Promise<string | undefined> {
    const kept = await this.#find(owner);
    if (kept === undefined) return undefined;
    const { accessToken } = kept.grant.tokens;
    if (accessToken !== refused) return accessToken;
    // The server may have another authorization server now.
    this.#targets.clear();
    return this.#refreshOnce(owner, accessToken);
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

  /** The owner who has granted access first, of those who still do. */
  async firstOwner(): Promise<string | undefined> {
    const { slug, url } = this.#upstream;
    const grants = await this.#deps.grants.list();
    return grants.find(({ upstream, resource }) => upstream === slug && resource === url)?.owner;
  }

  async #find(owner: string): Promise<KeptGrant | undefined> {
    const { slug, url } = this.#upstream;
    const kept = await this.#deps.grants.find(slug, owner);
    // Another server may have taken the name: it must not get the tokens of its predecessor.
    return kept?.grant.resource === url ? kept : undefined;
  }

  #refreshOnce(owner: string, old: string): Promise<string | undefined> {
    const begun = this.#refreshing.get(owner);
    if (begun !== undefined) return begun;
    const refreshed = this.#refresh(owner, old).finally(() => this.#refreshing.delete(owner));
    this.#refreshing.set(owner, refreshed);
    return refreshed;
  }

  /** A refresh token counts once, so that of two replicas one refreshes and the other waits for what it gets. */
  async #refresh(owner: string, old: string): Promise<string | undefined> {
    const { grants, now } = this.#deps;
    const until = now() + 2 * REFRESH_MS;
    while (now() < until) {
      const kept = await this.#find(owner);
      if (kept === undefined || kept.grant.tokens.accessToken !== old) return kept?.grant.tokens.accessToken;
      const isMine = kept.refreshingUntil <= now() && (await grants.replace(kept, kept.grant, now() + REFRESH_MS));
      if (isMine) return this.#redeem(kept.grant);
      await delay(POLL_MS);
    }
    return undefined;
  }

  async #redeem(grant: Grant): Promise<string | undefined> {
    const { grants, client, now } = this.#deps;
    const { refreshToken, accessToken, expiresAt = 0 } = grant.tokens;
    const tokens = await this.#ask(grant, client);
    const current = await this.#find(grant.owner);
    if (current === undefined || current.grant.tokens.accessToken !== accessToken)
      return current?.grant.tokens.accessToken;
    if (tokens === 'ended') {
      await grants.remove(grant.upstream, grant.owner);
      this.#deps.onEnded(grant.owner);
      return undefined;
    }
    if (tokens === 'unreached') {
      await grants.replace(current, current.grant);
      return now() < expiresAt ? accessToken : undefined;
    }
    const kept = refreshToken === undefined ? {} : { refreshToken };
    await grants.replace(current, { ...current.grant, tokens: { ...kept, ...tokens } });
    return tokens.accessToken;
  }

  /** `ended` where the authorization server says that the grant is over, `unreached` where it says nothing. */
  async #ask({ issuer, client: own, tokens: { refreshToken } }: Grant, client: OAuthClient) {
    if (refreshToken === undefined) return 'ended';
    try {
      const target = await this.target();
      // The upstream names another authorization server now: the refresh token is not for that one.
      if (target.issuer !== issuer) return 'ended';
      return await client.refresh(target, own, refreshToken);
    } catch (cause) {
      return isRefusal(cause) ? 'ended' : 'unreached';
    }
  }
}

const REFUSALS: ReadonlySet<unknown> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** Whether the authorization server has answered that it gives no more tokens for a grant. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && REFUSALS.has(cause.code);
}
