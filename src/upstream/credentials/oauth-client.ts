import { randomBytes } from 'node:crypto';
import {
  type AuthorizationServerMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type OAuthClientMetadata,
  type OAuthTokens,
  refreshAuthorization,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { type Fetch, FetchFailure, fetchBounded, fetchJson, isMissing } from '../../base/lib/fetch-json.js';
import { fetchFirst, fetchIssuerMetadata, isSameIssuer } from '../../base/lib/issuer-metadata.js';
import { isOwnMachine } from '../../config/own-machine.js';
import {
  type ClientAtIssuer,
  isRefusedClient,
  OAuthFault,
  refusedClient,
  type Tokens,
  toFault,
  whyOf,
} from './oauth-answers.js';
import {
  assumeMetadata,
  type ResourceDescription,
  readMetadata,
  readRegistration,
  readResource,
  readTokenAnswer,
} from './oauth-documents.js';

/** A protected resource, and the authorization server that issues its tokens. */
export interface Target {
  /** As its metadata spells it. */
  readonly resource: string;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** What the resource says that it needs. */
  readonly scopes: readonly string[];
  /** Whether the resource was heard on which authorization server it has; false where its metadata could not be had for now. */
  readonly isCertain: boolean;
}

/** What the gateway is configured to be at the authorization servers of one resource. */
export interface ClientSettings {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
}

/** Where registrations are kept: registering at each start would fill the authorization server. */
export interface Registrations {
  find(issuer: string): Promise<ClientAtIssuer | undefined>;
  keep(issuer: string, client: ClientAtIssuer): Promise<void>;
  forget(issuer: string): Promise<void>;
  /** The issuer at which a configured client was used first for servers of an origin: this one, where it is the first. */
  bind(origin: string, clientId: string, issuer: string): Promise<string>;
}

/** What an authorization server has answered with, and what proves that it was asked from here. */
interface CodeAnswer {
  readonly code: string;
  readonly iss: string | undefined;
  readonly verifier: string;
}

interface OAuthClientDeps {
  readonly fetch: Fetch;
  readonly now: () => number;
  /** Where this gateway is reached. */
  readonly publicUrl: string;
  /** Where answers come back to; where users connect an account unless given. */
  readonly callback?: (typeof CALLBACK_PATHS)[number];
  /** Registrations at authorization servers, by issuer. */
  readonly registrations: Registrations;
}

/** A request that opens no session where it is answered. */
const PROBE = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PROBE_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** For how long the metadata of a configured issuer are used again. */
const KEPT_MS = 60_000;

/** With what the pages for people answer a client that they do not know; others may mean the gateway's address, or a limit. */
const UNKNOWN_CLIENT: readonly unknown[] = [400, 401, 404, 410, 422];

const CLIENT_DOCUMENT_PATH = '/connect/client.json';
/** Where authorization servers send browsers back to: those of users who connect an account, and those of operators. */
export const CALLBACK_PATHS = ['/connect/callback', '/ui/callback'] as const;

/** The gateway as an OAuth 2.1 client: discovery, PKCE, resource indicators, `iss`. The SDK makes the requests, within bounds. */
export class OAuthClient {
  readonly #deps: OAuthClientDeps;
  /** What the configured issuers have said of themselves, so that many sign-ins cost them few requests. */
  readonly #discovered = new Map<string, { readonly until: number; readonly metadata: AuthorizationServerMetadata }>();

  constructor(deps: OAuthClientDeps) {
    this.#deps = deps;
  }

  /** A server that fails says nothing of the grant, whatever stands in its answer. */
  readonly #fetchTokens: Fetch = async (url, init) => {
    const { response, text } = await fetchBounded(this.#deps.fetch, String(url), { ...init });
    if (response.status >= 500) throw new FetchFailure(`it answered ${response.status}`, response.status);
    const { status, body } = readTokenAnswer(response.status, text);
    return Response.json(body, { status });
  };

  /** The same client, whose requests go another way. */
  over(fetch: Fetch): OAuthClient {
    return new OAuthClient({ ...this.#deps, fetch });
  }

  get redirectUrl(): string {
    return `${this.#deps.publicUrl}${this.#deps.callback ?? CALLBACK_PATHS[0]}`;
  }

  /** The document that describes the gateway to authorization servers; its address is the client id. */
  get clientDocument(): OAuthClientMetadata & { readonly client_id: string } {
    const { publicUrl } = this.#deps;
    const redirect_uris = CALLBACK_PATHS.map((path) => `${publicUrl}${path}`);
    return { client_id: `${publicUrl}${CLIENT_DOCUMENT_PATH}`, ...this.#metadata('none'), redirect_uris };
  }

  /** Finds the authorization server of a resource (RFC 9728, RFC 8414). @throws OAuthFault */
  async discover(address: string, { issuer: wanted }: Pick<ClientSettings, 'issuer'>): Promise<Target> {
    const mayBeLocal = isOwnMachine(new URL(address).hostname);
    const { resourceMetadataUrl, scope } = await this.#challengeOf(address);
    if (resourceMetadataUrl !== undefined) requireSafe(String(resourceMetadataUrl), mayBeLocal);
    let hasFailed = false;
    const described = await this.#describe(address, resourceMetadataUrl).catch((cause: unknown) => {
      hasFailed = !(cause instanceof FetchFailure) || cause.status === undefined || cause.status >= 500;
      return undefined;
    });
    const resource = described?.resource ?? address;
    if (!isPartOf(address, resource)) throw new OAuthFault('its metadata is of another resource');
    // Servers of older revisions are their own authorization servers.
    const { origin } = new URL(address);
    const isOwn = described === undefined || described.issuers.length === 0;
    const named = isOwn ? [origin] : described.issuers;
    const issuer = wanted ?? named[0] ?? '';
    if (wanted !== undefined && described !== undefined && !named.some((each) => isSameIssuer(each, wanted))) {
      throw new OAuthFault(`it takes tokens of '${named.join("', '").slice(0, 200)}', not of the configured issuer`);
    }
    const mayLack = isOwn && !hasFailed && isSameIssuer(issuer, origin);
    const metadata = await this.#discoverIssuer(issuer, mayBeLocal, mayLack ? assumeMetadata(origin) : undefined);
    const scopes = readScopes(scope ?? described?.scopes.join(' ') ?? '');
    const isCertain = described !== undefined || wanted !== undefined || !hasFailed;
    return { resource, issuer: metadata.issuer, metadata, scopes, isCertain };
  }

  /** What a server says of itself, where its challenge names it or where RFC 9728 puts it. @throws FetchFailure */
  #describe(address: string, named: URL | undefined): Promise<ResourceDescription> {
    const { origin, pathname, search } = new URL(address);
    const place = `${origin}/.well-known/oauth-protected-resource`;
    const places = [...(named === undefined ? [] : [named.href]), place + pathname.replace(/\/$/, '') + search, place];
    return fetchFirst(this.#deps.fetch, places, readResource);
  }

  /** What a server says to a request without a token: where its metadata is, and what a token has to be good for. */
  async #challengeOf(address: string): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
    const init = { method: 'POST', headers: PROBE_HEADERS, body: PROBE };
    const answer = await fetchBounded(this.#deps.fetch, address, init).catch(() => undefined);
    return answer?.response.status === 401 ? extractWWWAuthenticateParams(answer.response) : {};
  }

  /** The same for an issuer that is configured, and what its tokens are for. @throws OAuthFault */
  async discoverIssuer(issuer: string, resource: string, scopes: readonly string[]): Promise<Target> {
    const metadata = await this.#recallIssuer(issuer);
    return { resource, issuer: metadata.issuer, metadata, scopes, isCertain: true };
  }

  async #recallIssuer(issuer: string): Promise<AuthorizationServerMetadata> {
    const now = this.#deps.now();
    const known = this.#discovered.get(issuer);
    if (known !== undefined && now < known.until) return known.metadata;
    const metadata = await this.#discoverIssuer(issuer, true);
    this.#discovered.set(issuer, { until: now + KEPT_MS, metadata });
    return metadata;
  }

  /** @param assumed what holds where there is no metadata; without it that is a fault */
  async #discoverIssuer(
    issuer: string,
    mayBeLocal: boolean,
    assumed?: AuthorizationServerMetadata,
  ): Promise<AuthorizationServerMetadata> {
    requireSafe(issuer, mayBeLocal);
    const metadata = await fetchIssuerMetadata(this.#deps.fetch, issuer, readMetadata).catch((cause: unknown) => {
      if (assumed !== undefined && isMissing(cause)) return assumed;
      throw new OAuthFault(`its authorization server cannot be used: ${whyOf(cause)}`, { cause });
    });
    for (const endpoint of [metadata.authorization_endpoint, metadata.token_endpoint])
      requireSafe(endpoint, mayBeLocal);
    if (metadata.registration_endpoint !== undefined) requireSafe(metadata.registration_endpoint, mayBeLocal);
    return metadata;
  }

  /** Where a browser is sent, and what the answer is redeemed with. @throws OAuthFault */
  async begin(
    target: Target,
    settings: ClientSettings,
    state: string,
  ): Promise<{
    readonly url: URL;
    readonly verifier: string;
    readonly client: ClientAtIssuer;
    readonly scope: string;
  }> {
    const { metadata, scopes } = target;
    const client = await this.#clientAt(target, settings);
    const wanted = settings.scopes.length > 0 ? settings.scopes : scopes;
    const lasting = metadata.scopes_supported?.includes('offline_access') === true ? ['offline_access'] : [];
    const scope = [...new Set([...wanted, ...lasting])].join(' ');
    const asked = scope === '' ? { state } : { state, scope };
    const { authorizationUrl, codeVerifier } = await this.#addressFor(target, client, asked);
    return { url: authorizationUrl, verifier: codeVerifier, client, scope };
  }

  /** The page for people of an authorization server, and what proves later that it was asked for here. @throws OAuthFault */
  #addressFor(
    { issuer, metadata, resource }: Target,
    client: ClientAtIssuer,
    asked: { readonly state: string; readonly scope?: string },
  ): ReturnType<typeof startAuthorization> {
    const options = { ...asked, metadata, clientInformation: client, redirectUrl: this.redirectUrl, resource };
    return startAuthorization(issuer, options).catch((cause: unknown) => {
      throw new OAuthFault('its authorization server does not offer what OAuth 2.1 demands', { cause });
    });
  }

  /** Redeems an authorization code, after the issuer in the answer was checked (RFC 9207). @throws OAuthFault */
  async redeem(target: Target, client: ClientAtIssuer, answer: CodeAnswer): Promise<Tokens> {
    try {
      return await this.#exchange(target, client, answer);
    } catch (cause) {
      if (!isRefusedClient(cause)) throw toFault(cause);
      if (!(await this.forgetRegistration(target.issuer, client))) throw refusedClient(cause);
      throw new OAuthFault(
        'its authorization server did not know this gateway any more, which registers anew with the next attempt',
        { cause },
      );
    }
  }

  async #exchange({ issuer, metadata, resource }: Target, client: ClientAtIssuer, answer: CodeAnswer): Promise<Tokens> {
    const tokens = await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: answer.code,
      codeVerifier: answer.verifier,
      redirectUri: this.redirectUrl,
      resource,
      fetchFn: this.#fetchTokens,
      // Compared letter for letter (RFC 9207, section 2.4), although metadata are not.
      ...(answer.iss === undefined ? {} : { iss: answer.iss }),
    });
    return this.#toTokens(tokens);
  }

  async refresh({ issuer, metadata, resource }: Target, client: ClientAtIssuer, refreshToken: string): Promise<Tokens> {
    const options = { metadata, clientInformation: client, refreshToken, resource, fetchFn: this.#fetchTokens };
    return this.#toTokens(await refreshAuthorization(issuer, options));
  }

  /** Tells the authorization server that a grant is over (RFC 7009), where it wants to know. Never rejects. */
  async revoke({ metadata }: Target, client: ClientAtIssuer, tokens: Tokens): Promise<void> {
    const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
    if (typeof endpoint !== 'string' || !endpoint.startsWith(new URL(metadata.token_endpoint).origin)) return;
    const body = new URLSearchParams({ token: tokens.refreshToken ?? tokens.accessToken, client_id: client.client_id });
    if (client.client_secret !== undefined) body.set('client_secret', client.client_secret);
    await fetchBounded(this.#deps.fetch, endpoint, { method: 'POST', body }).catch(() => undefined);
  }

  /** An authorization server does not know what it had registered: the next user is sent there as another client. Resolves with whether it was registered. */
  async forgetRegistration(issuer: string, { client_id }: ClientAtIssuer): Promise<boolean> {
    const { registrations } = this.#deps;
    if ((await registrations.find(issuer))?.client_id !== client_id) return false;
    await registrations.forget(issuer);
    return true;
  }

  async #clientAt(target: Target, settings: ClientSettings): Promise<ClientAtIssuer> {
    const { issuer, metadata, resource } = target;
    const { clientId, clientSecret } = settings;
    if (clientId !== undefined) {
      if (settings.issuer === undefined) await this.#requireSameIssuer(resource, clientId, issuer);
      return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
    }
    // An authorization server can only read a document at a public address.
    const isPublic = this.#deps.publicUrl.startsWith('https:');
    if (metadata.client_id_metadata_document_supported === true && isPublic) {
      return { client_id: this.clientDocument.client_id };
    }
    const { registrations } = this.#deps;
    for (let kept = await registrations.find(issuer); kept !== undefined; kept = await registrations.find(issuer)) {
      if (await this.#isKnown(target, kept)) return kept;
      await this.forgetRegistration(issuer, kept);
    }
    if (metadata.registration_endpoint === undefined) {
      throw new OAuthFault("its authorization server lets no client register itself: configure 'clientId'");
    }
    const client = await this.#register(metadata);
    await registrations.keep(issuer, client);
    return client;
  }

  /**
   * Whether an authorization server still knows what it has registered. One that has forgotten it sends nobody back whom it gets: some tell
   * it of a made-up code, others on the page for people alone. Whatever else they say is no reason to register anew.
   */
  async #isKnown(target: Target, client: ClientAtIssuer): Promise<boolean> {
    const madeUp = randomBytes(32).toString('base64url');
    const url = await this.#addressFor(target, client, { state: madeUp });
    const [refusal, status] = await Promise.all([
      this.#exchange(target, client, { code: madeUp, iss: target.issuer, verifier: madeUp }).catch((cause) => cause),
      fetchBounded(this.#deps.fetch, url.authorizationUrl).then(
        ({ response }) => response.status,
        () => 0,
      ),
    ]);
    return !isRefusedClient(refusal) && !UNKNOWN_CLIENT.includes(status);
  }

  /** A server chooses its authorization server, and must not get the configured secret sent to another one by that. */
  async #requireSameIssuer(resource: string, clientId: string, issuer: string): Promise<void> {
    const first = await this.#deps.registrations.bind(new URL(resource).origin, clientId, issuer);
    if (first === issuer) return;
    const message = "its authorization server is not the one at which the configured 'clientId' was used before";
    throw new OAuthFault(`${message}: configure 'issuer' and, where it is another, 'clientId'`);
  }

  async #register(metadata: AuthorizationServerMetadata): Promise<ClientAtIssuer> {
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const body = JSON.stringify(this.#metadata(methods.includes('none') ? 'none' : 'client_secret_basic'));
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    try {
      return readRegistration(await fetchJson(this.#deps.fetch, metadata.registration_endpoint ?? '', init));
    } catch (cause) {
      const why = `its authorization server does not register this gateway: ${whyOf(cause)}. Configure 'clientId'`;
      throw new OAuthFault(why, { cause });
    }
  }

  #metadata(method: 'none' | 'client_secret_basic'): OAuthClientMetadata {
    return {
      client_name: 'MCP-AQL gateway',
      client_uri: this.#deps.publicUrl,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      application_type: isOwnMachine(new URL(this.redirectUrl).hostname) ? 'native' : 'web',
    };
  }

  #toTokens({ access_token, refresh_token, expires_in }: OAuthTokens): Tokens {
    return {
      accessToken: access_token,
      ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
      ...(expires_in === undefined ? {} : { expiresAt: this.#deps.now() + Number(expires_in) * 1_000 }),
    };
  }
}

/** Whether a resource covers an address: the same origin, and the same path or one above it. */
function isPartOf(address: string, resource: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [inner, outer] = [new URL(address), new URL(resource)];
  const [path, above] = [`${inner.pathname}/`.replace(/\/+$/, '/'), `${outer.pathname}/`.replace(/\/+$/, '/')];
  return inner.origin === outer.origin && path.startsWith(above);
}

/** A server elsewhere must not send the gateway to addresses of its own machine. */
function requireSafe(address: string, mayBeLocal: boolean): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === 'https:' || (mayBeLocal && url?.protocol === 'http:' && isOwnMachine(url.hostname));
  if (!isSafe) throw new OAuthFault('its authorization server, or what describes it, is not reached over https');
}

/** More scopes than that are never asked for: a server that demands another one at each call must come to an end. */
const MAX_SCOPES = 50;
/** They are sent in an address, which may not be longer than browsers and servers take. */
const MAX_LENGTH = 4_000;
/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** The scopes of a text, each once; what is no scope, and what exceeds the bound, is left out. */
export function readScopes(...texts: readonly string[]): readonly string[] {
  const named = texts.flatMap((text) => text.slice(0, 4 * MAX_LENGTH).split(' ')).filter((each) => SCOPE.test(each));
  const scopes = [...new Set(named)].slice(0, MAX_SCOPES);
  let length = 0;
  return scopes.filter((scope) => {
    length += scope.length + 1;
    return length <= MAX_LENGTH;
  });
}
