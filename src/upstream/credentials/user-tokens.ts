import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { getOrMake } from '../../base/lib/collections.js';
import type { Grant, Grants, KeptGrant } from './grants.js';
import {
  type ClientAtIssuer,
  clientOfToday,
  isEndedGrant,
  isRefusedClient,
  OAuthFault,
  refusedClient,
  type Tokens,
  toFault,
} from './oauth-answers.js';
import { type ClientSettings, type OAuthClient, readScopes, type Target } from './oauth-client.js';

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

  async #find(owner: string): Promise<KeptGrant | undefined> {
    const { slug, url } = this.#upstream;
    const kept = await this.#deps.grants.find(slug, owner);
    // Another server may have taken the name: it must not get the tokens of its predecessor.
    return kept?.grant.resource === url ? kept : undefined;
  }
}

/** How long one refresh may take; then another request, of any replica, may begin one. */
const REFRESH_MS = 15_000;
const POLL_MS = 100;
/** How long an authorization server that has failed is left alone: it may need the whole time allowed for an answer. */
const PAUSE_MS = 5_000;
const WARN_MS = 60_000;
const MAX_OWNERS = 10_000;

interface TokenRefreshDeps {
  readonly slug: string;
  readonly settings: ClientSettings;
  readonly grants: Grants;
  readonly client: OAuthClient;
  readonly now: () => number;
  readonly find: (owner: string) => Promise<KeptGrant | undefined>;
  /** The authorization server of the upstream. */
  readonly target: () => Promise<Target>;
  /** Called where a grant is gone because its authorization server does not refresh it any more. */
  readonly onEnded: (owner: string) => void;
  /** Says something to the operator. */
  readonly warn: (message: string) => void;
}

interface Pause {
  readonly until: number;
  readonly fault: OAuthFault;
}

/** Refreshes the tokens of one upstream's users: one refresh at a time for each over all replicas. */
class TokenRefresh {
  readonly #deps: TokenRefreshDeps;
  readonly #begun = new Map<string, Promise<string | undefined>>();
  readonly #pauses = new LRUCache<string, Pause>({ max: MAX_OWNERS });
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: TokenRefreshDeps) {
    this.#deps = deps;
  }

  /**
   * The token that follows an old one; undefined where the owner has to grant access.
   * @throws OAuthFault where the authorization server gives none now
   */
  follow(owner: string, old: string): Promise<string | undefined> {
    return getOrMake(this.#begun, owner, () => this.#try(owner, old).finally(() => this.#begun.delete(owner)));
  }

  /** Why an owner's token cannot be refreshed now; undefined where that has not failed of late. */
  failureOf(owner: string): OAuthFault | undefined {
    const pause = this.#pauses.get(owner);
    return pause !== undefined && this.#deps.now() < pause.until ? pause.fault : undefined;
  }

  async #try(owner: string, old: string): Promise<string | undefined> {
    const failure = this.failureOf(owner);
    if (failure !== undefined) throw failure;
    try {
      const token = await this.#refresh(owner, old);
      this.#pauses.delete(owner);
      return token;
    } catch (cause) {
      if (!(cause instanceof OAuthFault)) throw cause;
      this.#pauses.set(owner, { until: this.#deps.now() + PAUSE_MS, fault: cause });
      this.#warn(cause);
      throw cause;
    }
  }

  /** A refresh token counts once, so that of two replicas one refreshes and the other waits for what it gets. */
  async #refresh(owner: string, old: string): Promise<string | undefined> {
    const { grants, now } = this.#deps;
    const until = now() + 2 * REFRESH_MS;
    while (now() < until) {
      const kept = await this.#deps.find(owner);
      if (kept === undefined || kept.grant.tokens.accessToken !== old) return kept?.grant.tokens.accessToken;
      // What takes long is read before the refresh is taken.
      const target = kept.refreshingUntil <= now() ? await this.#targetOf(kept.grant) : undefined;
      if (target === 'ended') return this.#end(kept.grant);
      if (target !== undefined && (await grants.replace(kept, kept.grant, now() + REFRESH_MS))) {
        return this.#redeem(kept.grant, target);
      }
      await delay(POLL_MS);
    }
    throw new OAuthFault(
      'its authorization server gives no token: another process of the gateway waits for its answer',
    );
  }

  /** `ended` where there is nothing to refresh with, or the upstream has another authorization server now: it gets nothing of the former. */
  async #targetOf({ issuer, tokens: { refreshToken } }: Grant): Promise<Target | 'ended'> {
    if (refreshToken === undefined) return 'ended';
    const target = await this.#deps.target();
    if (target.issuer === issuer) return target;
    if (target.isCertain) return 'ended';
    throw new OAuthFault('what names its authorization server cannot be read');
  }

  async #redeem(grant: Grant, target: Target): Promise<string | undefined> {
    const { tokens: old } = grant;
    let tokens: Tokens | 'ended';
    try {
      tokens = await this.#ask(grant, target);
    } catch (cause) {
      await this.#change(grant, (current) => current);
      throw cause;
    }
    if (tokens === 'ended') return this.#end(grant);
    const kept = old.refreshToken === undefined ? {} : { refreshToken: old.refreshToken };
    const next = { ...kept, ...tokens };
    return this.#change(grant, (current) => ({ ...current, tokens: next }));
  }

  /** `ended` where the authorization server says that the grant is over. */
  async #ask({ client: granted, tokens: { refreshToken = '' } }: Grant, target: Target): Promise<Tokens | 'ended'> {
    const { client, settings } = this.#deps;
    const own: ClientAtIssuer = clientOfToday(granted, settings);
    try {
      return await client.refresh(target, own, refreshToken);
    } catch (cause) {
      if (isEndedGrant(cause)) return 'ended';
      if (!isRefusedClient(cause)) throw toFault(cause);
      if (own.client_id === settings.clientId) throw refusedClient(cause);
      // The authorization server has forgotten what it had registered.
      await client.forgetRegistration(target.issuer, own);
      return 'ended';
    }
  }

  /**
   * Changes a grant whose tokens are still these, however often other requests change its record meanwhile: new tokens must not be lost.
   * Resolves with the token that there is then.
   */
  async #change(
    { owner, tokens: { accessToken } }: Grant,
    change: (grant: Grant) => Grant,
  ): Promise<string | undefined> {
    for (;;) {
      const current = await this.#deps.find(owner);
      if (current?.grant.tokens.accessToken !== accessToken) return current?.grant.tokens.accessToken;
      const next = change(current.grant);
      if (await this.#deps.grants.replace(current, next)) return next.tokens.accessToken;
    }
  }

  /** Forgets a grant, where it has not been renewed meanwhile. */
  async #end({ upstream, owner, tokens: { accessToken } }: Grant): Promise<string | undefined> {
    const current = await this.#deps.find(owner);
    if (current === undefined || current.grant.tokens.accessToken !== accessToken)
      return current?.grant.tokens.accessToken;
    await this.#deps.grants.remove(upstream, owner);
    this.#deps.onEnded(owner);
    return undefined;
  }

  /** At most once a minute: each user of the upstream meets the same. */
  #warn({ message }: OAuthFault): void {
    const { now, slug, warn } = this.#deps;
    if (now() < this.#warnedAt + WARN_MS) return;
    this.#warnedAt = now();
    warn(`${slug}: the access of its users cannot be renewed: ${message}`);
  }
}
