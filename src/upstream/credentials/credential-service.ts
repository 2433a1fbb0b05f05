import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json/json.js';
import type { GatewayConfig, UpstreamConfig } from '../../config/gateway-config.js';
import { publicUrlOf } from '../../config/public-url.js';
import { MemoryStore } from '../../store/memory-store.js';
import type { StateStore } from '../../store/state-store.js';
import { createOutboundFetch } from '../transport/outbound-fetch.js';
import type { UserRights } from '../transport/user-rights.js';
import {
  ANSWER_OF_NONE,
  type AuthorizationAnswer,
  type ConnectableUpstream,
  ConnectFlow,
  ConnectRefusal,
  type SignInIssuer,
} from './connect-flow.js';
import { HeaderRights } from './forwarded-headers.js';
import { type GrantSummary, Grants } from './grants.js';
import { readClient, type Tokens } from './oauth-answers.js';
import { type CALLBACK_PATHS, OAuthClient, type Registrations, type Target } from './oauth-client.js';
import { PerUserRights } from './per-user.js';
import { ExchangeRights } from './token-exchange.js';
import { UserTokens } from './user-tokens.js';
import { Vault } from './vault.js';
import { Visits } from './visits.js';

/** The rights of users for upstreams. */
export interface CredentialService {
  /** Whose rights the calls of an upstream use; undefined where they are those of its configuration. */
  rightsOf(upstream: UpstreamConfig): UserRights | undefined;
  readonly connections: Connections;
  /** Takes another configuration: who may sign in, and where. */
  follow(config: GatewayConfig): void;
}

/** How users connect their accounts, for the pages and for operators. */
export interface Connections {
  readonly flow: ConnectFlow;
  /** How operators sign in to the console. */
  readonly signIn: IssuerSignIn;
  /** What describes the gateway to authorization servers. */
  readonly clientDocument: JsonObject;
  /** Where the pages are reached. */
  readonly publicUrl: string;
  /** Whether that is over TLS. */
  readonly isSecure: boolean;
  /** A server to which users connect; undefined where there is none of the name. */
  find(slug: string): ConnectableUpstream | undefined;
  list(): Promise<readonly GrantSummary[]>;
}

interface CredentialDeps {
  /** The gateway's store, which its opener closes. It is used where what users grant can be encrypted. */
  readonly store: StateStore;
  /** Says something to the operator. */
  readonly warn: (message: string) => void;
  /** Records that a user has granted or ended access. */
  readonly record: (action: string, details: JsonObject, owner: string) => void;
}

const IN_MEMORY =
  "what users grant for upstreams is kept in memory alone and asked for anew after a restart; set 'credentials.key' (MCP_AQL_CREDENTIALS_KEY) to keep it encrypted in the store";

const OTHER_KEY =
  "the store holds accounts that users have connected while 'credentials.key' was another one: these users have to connect anew, unless that key is set again";

export function openCredentialService(config: GatewayConfig, deps: CredentialDeps): CredentialService {
  const isKept = config.credentials.key !== undefined;
  const isPerUser = config.upstreams.some(({ credentials }) => credentials?.type === 'perUser');
  if (isPerUser && (!isKept || config.store.type === 'memory')) deps.warn(IN_MEMORY);
  return new Service(config, isKept ? deps.store : new MemoryStore(Date.now), deps);
}

class Service implements CredentialService {
  readonly connections: Connections;
  readonly #deps: CredentialDeps;
  readonly #grants: Grants;
  readonly #client: OAuthClient;
  readonly #flow: ConnectFlow;
  readonly #publicUrl: string;
  readonly #connectable = new Map<string, ConnectableUpstream>();
  readonly #rights = new Map<string, PerUserRights>();
  #oauth: GatewayConfig['server']['oauth'];

  constructor(config: GatewayConfig, store: StateStore, deps: CredentialDeps) {
    this.#deps = deps;
    this.#oauth = config.server.oauth;
    this.#publicUrl = publicUrlOf(config.server);
    const parts = { fetch: globalThis.fetch, now: Date.now, publicUrl: this.#publicUrl };
    const vault = new Vault(config.credentials.key);
    const clientFor = (callback: (typeof CALLBACK_PATHS)[number]): OAuthClient => {
      const redirectUrl = `${this.#publicUrl}${callback}`;
      const registrations = keepRegistrations(store, vault, { redirectUrl, now: Date.now });
      return new OAuthClient({ ...parts, callback, registrations });
    };
    const issuer = (name: string): SignInIssuer | undefined => this.#findIssuer(name);
    let hasWarned = false;
    this.#grants = new Grants(store, vault, Date.now, () => {
      if (!hasWarned) deps.warn(OTHER_KEY);
      hasWarned = true;
    });
    this.#client = clientFor('/connect/callback');
    this.#flow = new ConnectFlow({
      ...parts,
      store,
      vault,
      grants: this.#grants,
      client: this.#client,
      upstream: (slug) => this.#connectable.get(slug),
      issuer,
      onChanged: (slug, owner, hasRights) => this.#noteChange(slug, owner, hasRights),
    });
    this.connections = {
      flow: this.#flow,
      signIn: new IssuerSignIn({ store, vault, now: Date.now, client: clientFor('/ui/callback'), issuer }),
      clientDocument: { ...this.#client.clientDocument },
      publicUrl: this.#publicUrl,
      isSecure: this.#publicUrl.startsWith('https:'),
      find: (slug) => this.#connectable.get(slug),
      list: () => this.#grants.list(),
    };
  }

  rightsOf({ name, slug, endpoint, credentials }: UpstreamConfig): UserRights | undefined {
    if (credentials === undefined || endpoint.type === 'stdio') return undefined;
    const { url } = endpoint;
    if (credentials.type === 'forwardHeaders') return new HeaderRights(slug, credentials);
    if (credentials.type === 'exchange') {
      const fetch = createOutboundFetch(endpoint, [credentials.tokenEndpoint]);
      return new ExchangeRights({ slug, url, credentials }, { fetch, now: Date.now });
    }
    const { discovery, issuer } = credentials;
    const client = this.#client.over(createOutboundFetch(endpoint, issuer === undefined ? [] : [issuer]));
    const onEnded = (owner: string): void => this.#noteChange(slug, owner, false);
    const deps = { grants: this.#grants, client, now: Date.now, onEnded, warn: this.#deps.warn };
    const tokens = new UserTokens({ slug, url, settings: credentials }, deps);
    const page = `${this.#publicUrl}/connect/${slug}`;
    const rights = new PerUserRights({ slug, tokens, flow: this.#flow, discovery, page, now: Date.now });
    this.#connectable.set(slug, { name, slug, url, settings: credentials, tokens, client });
    this.#rights.set(slug, rights);
    return rights;
  }

  follow({ server, upstreams }: GatewayConfig): void {
    this.#oauth = server.oauth;
    const perUser = new Set(
      upstreams.flatMap(({ slug, credentials }) => (credentials?.type === 'perUser' ? [slug] : [])),
    );
    for (const slug of this.#connectable.keys()) if (!perUser.has(slug)) this.#connectable.delete(slug);
  }

  #findIssuer(name: string): SignInIssuer | undefined {
    const found = this.#oauth?.issuers.find((issuer) => issuer.name === name);
    if (found === undefined || this.#oauth === undefined) return undefined;
    const { issuer, login, scopes } = found;
    return { name, issuer, resource: this.#oauth.resource, settings: { issuer, ...login, scopes } };
  }

  #noteChange(upstream: string, owner: string, hasRights: boolean): void {
    this.#deps.record(hasRights ? 'credentials.connected' : 'credentials.ended', { upstream }, owner);
    this.#rights.get(upstream)?.listeners.tell(owner, hasRights);
  }
}

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

interface IssuerSignInDeps {
  readonly store: StateStore;
  readonly vault: Vault;
  readonly now: () => number;
  /** With the console's own way back. */
  readonly client: OAuthClient;
  readonly issuer: (name: string) => SignInIssuer | undefined;
}

/** A person has come back. */
interface SignedIn {
  /** Proves nothing before it was checked as the token of a client is. */
  readonly tokens: Tokens;
  /** By its configured name. */
  readonly issuer: string;
  /** The page that the person wanted. */
  readonly to: string;
}

/** How an operator proves at an issuer of this gateway who they are: the code flow with PKCE, for the browser that has begun it. */
class IssuerSignIn {
  readonly #deps: IssuerSignInDeps;
  readonly #visits: Visits;

  constructor(deps: IssuerSignInDeps) {
    this.#deps = deps;
    this.#visits = new Visits(deps, 'operator');
  }

  /** Where the browser is sent. @throws ConnectRefusal, OAuthFault */
  async begin(issuer: string, browser: string, to: string): Promise<URL> {
    const { target, settings } = await this.#discover(issuer);
    const state = this.#visits.newState();
    const { url, verifier, client } = await this.#deps.client.begin(target, settings, state);
    await this.#visits.keep(state, browser, { issuer, verifier, client, to });
    return url;
  }

  /** Takes the answer of an issuer. @throws ConnectRefusal, OAuthFault */
  async answer({ state, code, iss, browser }: AuthorizationAnswer): Promise<SignedIn> {
    const visit = await this.#visits.take(state, browser);
    const client = readClient(visit?.['client']);
    if (visit === undefined || client === undefined) throw new ConnectRefusal(ANSWER_OF_NONE);
    const issuer = String(visit['issuer']);
    const { target } = await this.#discover(issuer);
    const answer = { code, iss, verifier: String(visit['verifier']) };
    const tokens = await this.#deps.client.redeem(target, client, answer);
    return { tokens, issuer, to: String(visit['to']) };
  }

  async #discover(name: string): Promise<{ readonly target: Target } & Pick<SignInIssuer, 'settings'>> {
    const found = this.#deps.issuer(name);
    if (found === undefined) throw new ConnectRefusal('There is no such way to sign in.');
    const { issuer, resource, settings } = found;
    return { target: await this.#deps.client.discoverIssuer(issuer, resource, settings.scopes), settings };
  }
}
