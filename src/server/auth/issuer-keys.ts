import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { IssuerConfig } from '../../config/access-config.js';
import { type Fetch, FetchFailure, fetchJson } from '../../lib/fetch-json.js';
import type { Observer } from '../../observe/observation.js';
import { Breaker, Unavailable } from './breaker.js';
import { discover } from './issuer-metadata.js';

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
