import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { JsonObject } from '../../base/json/json.js';
import { type Fetch, FetchFailure, fetchJson } from '../../base/lib/fetch-json.js';
import { fetchIssuerMetadata } from '../../base/lib/issuer-metadata.js';
import type { Observer } from '../../base/observe/observation.js';
import type { IssuerConfig } from '../../config/access-config.js';
import { Breaker, Unavailable } from './breaker.js';

/** Keys older than this are fetched again beside the requests. */
const STALE_MS = 600_000;

/** A token with an unknown key makes the keys be fetched again, at most once in this time: anyone can invent names of keys. */
const REFETCH_MS = 30_000;

interface IssuerKeysDeps {
  readonly fetch: Fetch;
  readonly observe: Observer;
  readonly now: () => number;
}

/**
 * The keys of one issuer, fetched when the first token comes. Keys that are known stay in use while the issuer cannot be reached:
 * its rest does not stop clients whose tokens are good.
 */
export class IssuerKeys {
  readonly #config: IssuerConfig;
  readonly #deps: IssuerKeysDeps;
  readonly #breaker: Breaker;
  #find: ReturnType<typeof createLocalJWKSet> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(config: IssuerConfig, deps: IssuerKeysDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#breaker = new Breaker(deps.now, (reason) => {
      const message = `The keys of the issuer '${config.name}' (${config.issuer}) cannot be had: ${reason}.`;
      deps.observe({ kind: 'notice', level: 'warn', message });
    });
  }

  /** The key of a token's header. @throws Unavailable where no keys can be had; errors of jose where none fits */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    const { now } = this.#deps;
    if (this.#find === undefined) await this.#refresh();
    else if (now() - this.#fetchedAt > STALE_MS) this.#refresh().catch(() => undefined);
    try {
      return await this.#known()(header, token);
    } catch (cause) {
      const isNew = cause instanceof errors.JWKSNoMatchingKey && now() - this.#fetchedAt > REFETCH_MS;
      if (!isNew) throw cause;
    }
    await this.#refresh();
    return this.#known()(header, token);
  };

  #known(): ReturnType<typeof createLocalJWKSet> {
    if (this.#find === undefined) throw new Unavailable('it has no keys', 1_000);
    return this.#find;
  }

  /** Fetches the keys; several at a time fetch once. */
  #refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    const { fetch, now } = this.#deps;
    await this.#breaker.run(async () => {
      const address = this.#config.jwksUri ?? (await discover(this.#config, fetch)).jwksUri;
      if (address === undefined) throw new FetchFailure('its metadata has no jwks_uri; set jwksUri');
      this.#find = readKeys(await fetchJson(fetch, address));
      this.#fetchedAt = now();
    });
  }
}

function readKeys(document: object): ReturnType<typeof createLocalJWKSet> {
  try {
    return createLocalJWKSet(document as JSONWebKeySet);
  } catch {
    throw new FetchFailure('its key document is not a JSON Web Key Set');
  }
}

/** Where an issuer's keys are and where its tokens are asked about; absent where its metadata has none. */
interface IssuerMetadata {
  readonly jwksUri?: string;
  readonly introspectionEndpoint?: string;
}

/** Reads the metadata of an issuer. @throws FetchFailure */
export function discover({ issuer }: IssuerConfig, fetch: Fetch): Promise<IssuerMetadata> {
  return fetchIssuerMetadata(fetch, issuer, (document) => readMetadata(document, issuer));
}

function readMetadata(document: JsonObject, issuer: string): IssuerMetadata {
  const jwksUri = readAddress(document, 'jwks_uri', issuer);
  const introspectionEndpoint = readAddress(document, 'introspection_endpoint', issuer);
  return { ...(jwksUri && { jwksUri }), ...(introspectionEndpoint && { introspectionEndpoint }) };
}

function readAddress(document: JsonObject, name: string, issuer: string): string | undefined {
  const value = document[name];
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol } = new URL(value);
  // RFC 8414, section 2: keys could be exchanged on the way, and the gateway's own secret be read there.
  if (protocol === 'http:' && issuer.startsWith('https:')) throw new FetchFailure(`its '${name}' has no TLS`, 200);
  return /^https?:$/.test(protocol) ? value : undefined;
}
