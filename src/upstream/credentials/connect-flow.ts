import { createHash, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { CallerIdentity } from '../../base/protocol/caller.js';
import type { StateStore } from '../../store/state-store.js';
import type { Grants } from './grants.js';
import { type ClientAtIssuer, clientOfToday, OAuthFault, readClient } from './oauth-answers.js';
import type { ClientSettings, OAuthClient, Target } from './oauth-client.js';
import { describeOwner, ownerOf } from './owner.js';
import type { UserTokens } from './user-tokens.js';
import type { Vault } from './vault.js';
import { VISIT_MS, Visits } from './visits.js';

/** An upstream to which users connect their accounts. */
export interface ConnectableUpstream {
  readonly name: string;
  readonly slug: string;
  readonly url: string;
  readonly settings: ClientSettings;
  readonly tokens: UserTokens;
  /** What asks its authorization server, on the way to this upstream. */
  readonly client: OAuthClient;
}

/** An authorization server of the gateway itself, whose users prove by it who they are. */
export interface SignInIssuer {
  readonly name: string;
  readonly issuer: string;
  /** What its tokens are for: this gateway. */
  readonly resource: string;
  readonly settings: ClientSettings;
}

interface ConnectFlowDeps {
  readonly store: StateStore;
  readonly vault: Vault;
  readonly grants: Grants;
  /** For the issuers of this gateway. */
  readonly client: OAuthClient;
  readonly publicUrl: string;
  readonly now: () => number;
  readonly upstream: (slug: string) => ConnectableUpstream | undefined;
  readonly issuer: (name: string) => SignInIssuer | undefined;
  readonly onChanged: (upstream: string, owner: string, hasRights: boolean) => void;
}

/** A page for the user of one call. */
export interface ConnectLink {
  readonly url: string;
  readonly expiresAt: number;
}

/** What a person wants on the page. */
type Intent = 'connect' | 'disconnect';

/** What a person has been asked to do. */
interface ConnectRequest {
  readonly upstream: string;
  /** Of the link; absent where the person has come without one. */
  readonly code: string | undefined;
  readonly intent: Intent;
  /** What tells the person's browser from all others. */
  readonly browser: string;
}

/** How an authorization server's answer comes. */
export interface AuthorizationAnswer {
  readonly state: string;
  readonly code: string;
  readonly iss: string | undefined;
  readonly browser: string;
}

/** How it comes where nothing was granted (RFC 6749, section 4.1.2.1). */
interface AuthorizationRefusal extends Pick<AuthorizationAnswer, 'state' | 'browser'> {
  readonly error: string;
}

/** What an answer means: the person has signed in here, or has granted access there. */
type Answered =
  | { readonly kind: 'signed-in'; readonly request: ConnectRequest; readonly accessToken: string }
  | { readonly kind: 'connected'; readonly upstream: ConnectableUpstream };

/** What the page says instead of going on. */
export class ConnectRefusal extends Error {
  override readonly name = 'ConnectRefusal';
}

const COLLECTION = 'connect_link';

/** What a person reads where nothing is known of the answer's state. */
export const ANSWER_OF_NONE = 'This answer belongs to no request of this browser, or has been used. Begin again.';

const DENIED = 'Access was not granted. Open the page of the server again where that was not intended.';

/**
 * How a user grants the gateway access to an upstream. What passes between the pages is in the store, so that any replica may answer; each
 * part of it counts once, and for one browser.
 */
export class ConnectFlow {
  readonly #deps: ConnectFlowDeps;
  readonly #visits: Visits;

  constructor(deps: ConnectFlowDeps) {
    this.#deps = deps;
    this.#visits = new Visits(deps, 'visit');
  }

  /** Makes a page for the user of a call. The code in its address says whose call it was, and proves nothing else. */
  async link(upstream: string, owner: string): Promise<ConnectLink> {
    const code = randomBytes(24).toString('base64url');
    const expiresAt = this.#deps.now() + VISIT_MS;
    await this.#deps.store.insert(COLLECTION, linkKey(code), { upstream, owner }, { expiresAt });
    return { url: `${this.#deps.publicUrl}/connect/${upstream}?code=${code}`, expiresAt };
  }

  /** Whether a link still counts. */
  async isOpen({ url }: ConnectLink): Promise<boolean> {
    const code = new URL(url).searchParams.get('code') ?? '';
    return (await this.#deps.store.get(COLLECTION, linkKey(code))) !== undefined;
  }

  /** Whose call a link is of; undefined where it does not count any more. */
  async ownerOf(upstream: string, code: string): Promise<string | undefined> {
    const record = await this.#deps.store.get(COLLECTION, linkKey(code));
    return record?.value['upstream'] === upstream ? String(record.value['owner']) : undefined;
  }

  /** Where a browser is sent whose person proves at an issuer of this gateway who they are. */
  async signIn(request: ConnectRequest, issuerName: string): Promise<URL> {
    const issuer = this.#deps.issuer(issuerName);
    if (issuer === undefined) throw new ConnectRefusal('There is no such way to sign in.');
    const { client } = this.#deps;
    return named(issuerName, async () => {
      const target = await client.discoverIssuer(issuer.issuer, issuer.resource, issuer.settings.scopes);
      const at = { client, target, settings: issuer.settings };
      return this.#begin(at, request.browser, { ...describe(request), issuer: issuerName });
    });
  }

  /** Where a browser is sent whose person, as has been proven, is this one. */
  async authorize(request: ConnectRequest, identity: CallerIdentity): Promise<URL> {
    const upstream = this.#require(request.upstream);
    const owner = ownerOf(identity);
    await this.#consume(request, owner);
    return named(upstream.slug, async () => {
      const target = await upstream.tokens.targetFor(owner);
      const visit = { ...describe(request), owner, resource: upstream.url };
      return this.#begin({ ...upstream, target }, request.browser, visit);
    });
  }

  /** Ends what a person has granted. Resolves with whether there was a grant. */
  async disconnect(request: ConnectRequest, identity: CallerIdentity): Promise<boolean> {
    const owner = ownerOf(identity);
    await this.#consume(request, owner);
    return this.revoke(request.upstream, owner);
  }

  /** Forgets a grant, and tells its authorization server. Resolves with whether there was one. */
  async revoke(slug: string, owner: string): Promise<boolean> {
    const { grants, onChanged } = this.#deps;
    const upstream = this.#deps.upstream(slug);
    const kept = await grants.find(slug, owner);
    const isGone = await grants.remove(slug, owner);
    onChanged(slug, owner, false);
    const target = await upstream?.tokens.target().catch(() => undefined);
    if (kept !== undefined && upstream !== undefined && target?.issuer === kept.grant.issuer) {
      const client = clientOfToday(kept.grant.client, upstream.settings);
      await upstream.client.revoke(target, client, kept.grant.tokens);
    }
    return isGone;
  }

  /** Takes the answer of an authorization server. @throws ConnectRefusal, OAuthFault */
  async answer(answer: AuthorizationAnswer): Promise<Answered> {
    const visit = await this.#takeVisit(answer);
    return named(nameOf(visit), () => this.#redeem(answer, visit));
  }

  async #redeem(answer: AuthorizationAnswer, visit: Visit): Promise<Answered> {
    const { client } = this.#deps;
    const redeemed = { code: answer.code, iss: answer.iss, verifier: visit.verifier };
    const request = { ...visit.request, browser: answer.browser };
    if (visit.owner === undefined) {
      const issuer = this.#deps.issuer(visit.issuer);
      if (issuer === undefined) throw new ConnectRefusal('This way to sign in is not configured any more.');
      const target = await client.discoverIssuer(issuer.issuer, issuer.resource, issuer.settings.scopes);
      const { accessToken } = await client.redeem(target, visit.client, redeemed);
      return { kind: 'signed-in', request, accessToken };
    }
    const upstream = this.#require(request.upstream);
    if (upstream.url !== visit.resource) throw new ConnectRefusal('The server has another address now. Begin again.');
    const target = await upstream.tokens.target();
    if (target.issuer !== visit.issuer) throw new ConnectRefusal('The server has another authorization server now.');
    const tokens = await upstream.client.redeem(target, visit.client, redeemed);
    const { owner, scope } = visit;
    const grantedAt = this.#deps.now();
    const { slug, url: resource } = upstream;
    const grant = { upstream: slug, owner, resource, issuer: target.issuer, scope, demanded: '', grantedAt };
    await this.#deps.grants.save({ ...grant, client: visit.client, tokens });
    this.#deps.onChanged(slug, owner, true);
    return { kind: 'connected', upstream };
  }

  /** Takes the answer of an authorization server that gives nothing. @throws ConnectRefusal, OAuthFault */
  async takeRefusal({ state, browser, error }: AuthorizationRefusal): Promise<never> {
    const visit = await this.#takeVisit({ state, browser });
    if (error === 'access_denied') throw new ConnectRefusal(DENIED);
    throw new OAuthFault(
      `${nameOf(visit)}: its authorization server has granted nothing: it answered ${quoteCode(error)}`,
    );
  }

  async #begin({ client, target, settings }: VisitedServer, browser: string, visit: JsonObject): Promise<URL> {
    const state = this.#visits.newState();
    const { url, verifier, client: own, scope } = await client.begin(target, settings, state);
    await this.#visits.keep(state, browser, { issuer: target.issuer, ...visit, verifier, client: own, scope });
    return url;
  }

  async #takeVisit({ state, browser }: Pick<AuthorizationAnswer, 'state' | 'browser'>): Promise<Visit> {
    const visit = readVisit(await this.#visits.take(state, browser));
    if (visit === undefined) throw new ConnectRefusal(ANSWER_OF_NONE);
    return visit;
  }

  /** A link counts once, and for the person whose call it is of. */
  async #consume({ upstream, code }: ConnectRequest, owner: string): Promise<void> {
    if (code === undefined) return;
    const meant = await this.ownerOf(upstream, code);
    if (meant === undefined)
      throw new ConnectRefusal('This link has been used or has expired. Call again for a new one.');
    if (meant !== owner) {
      const who = `${describeOwner(meant)}, and you are ${describeOwner(owner)}`;
      throw new ConnectRefusal(`This link is for ${who}. If somebody has sent it to you, do not go on.`);
    }
    await this.#deps.store.remove(COLLECTION, linkKey(code));
  }

  #require(slug: string): ConnectableUpstream {
    const upstream = this.#deps.upstream(slug);
    if (upstream === undefined) throw new ConnectRefusal('There is no such server.');
    return upstream;
  }
}

/** Where a browser is sent, and as which client. */
interface VisitedServer {
  readonly client: OAuthClient;
  readonly target: Target;
  readonly settings: ClientSettings;
}

/** What is known of a browser that is at an authorization server. */
interface Visit {
  readonly request: Omit<ConnectRequest, 'browser'>;
  /** Who grants access; undefined where the person is signing in. */
  readonly owner: string | undefined;
  /** The address of the server to which access is granted; undefined where the person is signing in. */
  readonly resource: string | undefined;
  /** The authorization server; where the person is signing in, its configured name. */
  readonly issuer: string;
  readonly verifier: string;
  readonly client: ClientAtIssuer;
  readonly scope: string;
}

function readVisit(value: JsonObject | undefined): Visit | undefined {
  if (!isJsonObject(value)) return undefined;
  const client = readClient(value['client']);
  if (client === undefined) return undefined;
  const text = (name: string): string => String(value[name] ?? '');
  const optional = (name: string): string | undefined => (value[name] === undefined ? undefined : text(name));
  const intent: Intent = value['intent'] === 'disconnect' ? 'disconnect' : 'connect';
  return {
    request: { upstream: text('upstream'), code: optional('code'), intent },
    owner: optional('owner'),
    resource: optional('resource'),
    issuer: text('issuer'),
    verifier: text('verifier'),
    client,
    scope: text('scope'),
  };
}

function describe({ upstream, code, intent }: ConnectRequest): JsonObject {
  return { upstream, intent, ...(code === undefined ? {} : { code }) };
}

/** The server of a visit, or the configured name of an issuer of this gateway. */
function nameOf({ owner, issuer, request }: Visit): string {
  return owner === undefined ? issuer : request.upstream;
}

/** Says in a fault whose authorization server it is of. */
async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof OAuthFault ? new OAuthFault(`${name}: ${cause.message}`, { cause }) : cause;
  }
}

function quoteCode(error: string): string {
  return /^[\w.-]{1,100}$/.test(error) ? `'${error}'` : 'with an error';
}

function linkKey(code: string): string {
  return `link ${digest(code)}`;
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
