import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Fetch } from '../../base/lib/fetch-json.js';
import { isSameIssuer } from '../../base/lib/issuer-metadata.js';
import type { Observer } from '../../base/observe/observation.js';
import { type CallerIdentity, ISSUER_SIGN } from '../../base/protocol/caller.js';
import type { ClaimConditions, IssuerConfig, OAuthConfig } from '../../config/access-config.js';
import { type Authenticated, authenticatedAs } from './authenticated.js';
import { Unavailable } from './breaker.js';
import { Introspection } from './introspection.js';
import { IssuerKeys } from './issuer-keys.js';

/** What became of a token. */
export type Verdict =
  | {
      readonly kind: 'accepted';
      readonly client: Authenticated;
      /** For how long nothing need be checked again, in milliseconds since the epoch. */
      readonly until: number;
      /** When its life is over, in milliseconds since the epoch; infinite where the issuer does not say. */
      readonly expiresAt: number;
    }
  /** `why` continues "the access token was refused: ". Says nothing that its holder could not read in it. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** It is good, and grants too little. */
  | { readonly kind: 'insufficient'; readonly scopes: readonly string[] }
  | { readonly kind: 'unavailable'; readonly issuer: string; readonly retryAfterSeconds: number };

/** RFC 9068 calls them `at+jwt`; many authorization servers `JWT`, or nothing. ID and logout tokens have other names or audiences. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];

/** What ID tokens have alone. */
const ID_CLAIMS = ['nonce', 'at_hash', 'c_hash'] as const;

/** A token is checked again after so long, because its key may have been withdrawn. */
const RECHECK_MS = 300_000;

/** RFC 6750, section 2.1. A token beyond this length is none of an authorization server's. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{1,16384}=*$/;

interface AccessTokensDeps {
  readonly fetch: Fetch;
  readonly observe: Observer;
  readonly now: () => number;
}

/** An issuer, and what answers for its tokens. */
interface Issuer {
  readonly config: IssuerConfig;
  readonly keys: IssuerKeys;
  readonly introspection: Introspection | undefined;
}

/** Checks access tokens of the configured authorization servers. Keeps their keys, and no tokens. */
export class AccessTokens {
  readonly #resource: string;
  readonly #issuers: readonly Issuer[];
  readonly #deps: AccessTokensDeps;

  constructor({ resource, issuers }: OAuthConfig, deps: AccessTokensDeps) {
    this.#resource = resource;
    this.#deps = deps;
    this.#issuers = issuers.map((config) => ({
      config,
      keys: new IssuerKeys(config, deps),
      introspection: config.introspection && new Introspection(config, config.introspection, deps),
    }));
  }

  async check(token: string): Promise<Verdict> {
    if (!TOKEN.test(token)) return invalid('it is not written as a bearer token');
    const claims = readUnproven(token);
    const issuer = claims && this.#issuers.find(({ config }) => isSameIssuer(config.issuer, claims.iss ?? ''));
    if (claims !== undefined && issuer !== undefined) return this.#checkJwt(token, claims, issuer);
    // A token that names its issuer is no business of another.
    if (claims?.iss !== undefined) return invalid('its issuer is none that this gateway accepts');
    const asked = this.#issuers.filter(({ introspection }) => introspection !== undefined);
    if (asked.length > 0) return this.#askAbout(token, asked);
    return invalid('it is no JSON Web Token of an issuer, and none is configured that could be asked about it');
  }

  async #checkJwt(token: string, unproven: JWTPayload, { config, keys }: Issuer): Promise<Verdict> {
    // What can be refused without a key costs none; everything is checked again with the key.
    const fault = findHeaderFault(token, config) ?? this.#findFault(unproven, config);
    if (fault !== undefined) return invalid(fault);
    try {
      const { payload } = await this.#verify(token, { ...config, issuer: unproven.iss ?? config.issuer }, keys);
      const expiresAt = ((payload.exp ?? 0) + config.clockToleranceSeconds) * 1_000;
      return this.#accept(payload as JsonObject, config, { expiresAt, againMs: RECHECK_MS });
    } catch (cause) {
      return this.#explain(cause, config);
    }
  }

  async #verify(token: string, config: IssuerConfig, { get }: IssuerKeys): Promise<JWTVerifyResult> {
    const options = {
      issuer: config.issuer,
      algorithms: [...config.algorithms],
      clockTolerance: config.clockToleranceSeconds,
      requiredClaims: ['exp'],
      currentDate: new Date(this.#deps.now()),
    };
    try {
      return await jwtVerify(token, get, options);
    } catch (cause) {
      if (!(cause instanceof errors.JWKSMultipleMatchingKeys)) throw cause;
      // A token without the name of its key is held against each that fits.
      for await (const key of cause) {
        try {
          return await jwtVerify(token, key, options);
        } catch (inner) {
          if (!(inner instanceof errors.JWSSignatureVerificationFailed) && !isOfKey(inner)) throw inner;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  /** An opaque token does not say whose it is: the issuers are asked in their order. */
  async #askAbout(token: string, issuers: readonly Issuer[]): Promise<Verdict> {
    let unavailable: Verdict | undefined;
    for (const { config, introspection } of issuers) {
      try {
        const claims = await introspection?.ask(token);
        if (claims === undefined) continue;
        if (claims['iss'] !== undefined && !isSameIssuer(String(claims['iss']), config.issuer))
          return invalid('its issuer is another');
        const fault = this.#findFault(claims, config);
        if (fault !== undefined) return invalid(fault);
        const expiresAt = typeof claims['exp'] === 'number' ? claims['exp'] * 1_000 : Number.POSITIVE_INFINITY;
        const againMs = (config.introspection?.cacheSeconds ?? 0) * 1_000;
        return this.#accept(claims, config, { expiresAt, againMs });
      } catch (cause) {
        unavailable = this.#explain(cause, config);
      }
    }
    return unavailable ?? invalid('its issuer does not know it, or it has expired or been revoked');
  }

  /** With when a token's life is over, and after how long it is checked again. */
  #accept(
    claims: JsonObject,
    config: IssuerConfig,
    { expiresAt, againMs }: { readonly expiresAt: number; readonly againMs: number },
  ): Verdict {
    const granted = readScopes(claims);
    if (!config.scopes.every((scope) => granted.includes(scope))) {
      return { kind: 'insufficient', scopes: config.scopes };
    }
    const identity = readIdentity(claims, config);
    if (identity === undefined) return invalid("it names neither a user ('sub') nor a client ('client_id', 'azp')");
    const until = Math.min(expiresAt, this.#deps.now() + againMs);
    const client = authenticatedAs(identity, this.#viewsOf(claims, config));
    return { kind: 'accepted', client, until, expiresAt };
  }

  /**
   * The views for whose addresses alone a token was issued: its person has consented to those, and not to the whole (RFC 8707).
   * Undefined where it is for the whole.
   */
  #viewsOf({ aud }: JsonObject, { audience }: IssuerConfig): readonly string[] | undefined {
    const meant = [aud].flat().filter((each) => typeof each === 'string' && this.#isMeant(each, audience)) as string[];
    const views = meant.map((each) => this.#viewIn(each));
    return views.includes('') ? undefined : views;
  }

  /** What an audience names behind the gateway's own address; empty where it is the whole's. */
  #viewIn(audience: string): string {
    if (!audience.startsWith(`${this.#resource}/`)) return '';
    return audience.slice(this.#resource.length + 1).replace(/\/$/, '');
  }

  /** Why a token with these claims cannot be meant for this gateway and moment. */
  #findFault(
    claims: Readonly<Record<string, unknown>>,
    { audience, clockToleranceSeconds }: IssuerConfig,
  ): string | undefined {
    const now = this.#deps.now() / 1_000;
    const { exp, nbf, aud, cnf } = claims;
    if (typeof exp === 'number' && exp + clockToleranceSeconds <= now) return 'it has expired';
    if (typeof nbf === 'number' && nbf - clockToleranceSeconds > now) return 'it is not valid yet';
    // OpenID Connect Core, section 2. Where the audience is the client's id, nothing else tells an ID token.
    if (ID_CLAIMS.some((claim) => claims[claim] !== undefined)) return 'it is an ID token and no access token';
    // RFC 9449, section 7.1: whoever has stolen such a token has not stolen its key.
    if (cnf !== undefined) return 'it is bound to a key (DPoP or mutual TLS), which this gateway cannot check';
    const meant = [aud].flat().filter((each) => typeof each === 'string');
    if (meant.some((each) => this.#isMeant(each, audience))) return undefined;
    const expected = audience.length === 0 ? [this.#resource] : audience;
    return `it is not issued for this gateway: its audience must be '${expected.join("' or '")}'`;
  }

  #isMeant(meant: string, audience: readonly string[]): boolean {
    if (audience.length > 0) return audience.includes(meant);
    return meant === this.#resource || meant.startsWith(`${this.#resource}/`);
  }

  #explain(cause: unknown, { name }: IssuerConfig): Verdict {
    if (cause instanceof Unavailable) {
      return { kind: 'unavailable', issuer: name, retryAfterSeconds: cause.retryAfterSeconds };
    }
    if (cause instanceof errors.JWTExpired) return invalid('it has expired');
    if (cause instanceof errors.JWTClaimValidationFailed)
      return invalid(`its claim '${cause.claim}' is not acceptable`);
    if (cause instanceof errors.JOSEError) return invalid('its signature is not one of its issuer');
    if (isOfKey(cause)) return invalid('its issuer has published a key for it that cannot be used');
    this.#deps.observe({ kind: 'defect', where: 'checking an access token', cause });
    return { kind: 'unavailable', issuer: name, retryAfterSeconds: 1 };
  }
}

function invalid(why: string): Verdict {
  return { kind: 'invalid', why };
}

/** Whether a published key is malformed or too short: the errors of WebCrypto and of jose's own checks, which are none of jose's classes. */
function isOfKey(cause: unknown): boolean {
  return cause instanceof DOMException || cause instanceof TypeError;
}

/** The claims of a JSON Web Token, of which nothing is proven; undefined where it is none. */
function readUnproven(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token);
  } catch {
    // It is opaque.
    return undefined;
  }
}

function findHeaderFault(token: string, { algorithms }: IssuerConfig): string | undefined {
  try {
    const { alg = '', typ } = decodeProtectedHeader(token);
    if (!algorithms.includes(alg)) return 'it is signed in a way that this gateway does not accept';
    return TYPES.includes(typ?.toLowerCase()) ? undefined : 'it is of another kind than an access token';
  } catch {
    // A payload that can be read may stand behind a header that cannot.
    return 'its header cannot be read';
  }
}

/** Names are shown in one line of logs, records and questions. */
const NAME = /^[^\p{Cc}\u2028\u2029]{1,500}$/u;

/** Groups and scopes of one token that are read. */
const MAX_NAMES = 500;

/** Who a token's claims say that the caller is; undefined where they name neither a user nor a client. */
function readIdentity(claims: JsonObject, issuer: IssuerConfig): CallerIdentity | undefined {
  const { sub } = claims;
  const client = [claims['client_id'], claims['azp'], claims['cid']].find(isName);
  // RFC 9068, section 2.2: of a client that acts for itself the subject is the client.
  const user = isName(sub) && sub !== client ? sub : undefined;
  if (client === undefined && user === undefined) return undefined;
  const qualify = (name: string): string => `${issuer.name}${ISSUER_SIGN}${name}`;
  return {
    ...(client === undefined ? {} : { client: qualify(client) }),
    ...(user === undefined ? {} : { user: qualify(user) }),
    groups: Object.freeze(readGroups(claims, issuer)),
    scopes: Object.freeze(readScopes(claims)),
  };
}

/** `scope` is one text (RFC 6749) or, as some servers write it, a list; others call it `scp`. */
function readScopes(claims: JsonObject): readonly string[] {
  const { scope = claims['scp'] } = claims;
  return namesIn(typeof scope === 'string' ? scope.split(' ') : scope);
}

function readGroups(
  claims: JsonObject,
  { groupsClaim, groupsPrefix, claims: conditions }: IssuerConfig,
): readonly string[] {
  const listed = groupsClaim === undefined ? [] : namesIn(claimAt(claims, groupsClaim));
  const derived = Object.entries(conditions).flatMap(([group, all]) => (holds(all, claims) ? [group] : []));
  return [...new Set([...listed.map((name) => `${groupsPrefix}${name}`), ...derived])];
}

function holds(conditions: ClaimConditions, claims: JsonObject): boolean {
  return Object.entries(conditions).every(([claim, allowed]) => {
    const value = claimAt(claims, claim);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.some((each) => allowed.some((one) => one === each));
  });
}

/** A claim by its whole name, which may hold dots and slashes, else a member inside one, dotted. */
function claimAt(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const step of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

function namesIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.slice(0, MAX_NAMES).filter(isName);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}
