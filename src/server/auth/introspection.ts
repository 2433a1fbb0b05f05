import type { JsonObject } from '../../base/json/json.js';
import { type Fetch, FetchFailure, fetchJson } from '../../base/lib/fetch-json.js';
import type { Observer } from '../../base/observe/observation.js';
import type { IntrospectionConfig, IssuerConfig } from '../../config/access-config.js';
import { Breaker } from './breaker.js';
import { discover } from './issuer-keys.js';

interface IntrospectionDeps {
  readonly fetch: Fetch;
  readonly observe: Observer;
  readonly now: () => number;
}

/** What the issuer answers where the gateway's own credentials are wrong, or it asks too often. */
const OWN_FAULTS: readonly number[] = [401, 403, 404, 429];

/** Asks an issuer about tokens that cannot be read here (RFC 7662). A refusal by the issuer is no failure; its rest is. */
export class Introspection {
  readonly #issuer: IssuerConfig;
  readonly #config: IntrospectionConfig;
  readonly #fetch: Fetch;
  readonly #breaker: Breaker;
  #endpoint: string | undefined;

  constructor(issuer: IssuerConfig, config: IntrospectionConfig, { fetch, observe, now }: IntrospectionDeps) {
    this.#issuer = issuer;
    this.#config = config;
    this.#endpoint = config.endpoint;
    this.#fetch = fetch;
    this.#breaker = new Breaker(now, (reason) => {
      const message = `The issuer '${issuer.name}' (${issuer.issuer}) cannot be asked about tokens: ${reason}.`;
      observe({ kind: 'notice', level: 'warn', message });
    });
  }

  /** What the issuer says of an active token; undefined for any other. @throws Unavailable */
  async ask(token: string): Promise<JsonObject | undefined> {
    const claims = await this.#breaker.run(async () => {
      this.#endpoint ??= (await discover(this.#issuer, this.#fetch)).introspectionEndpoint;
      if (this.#endpoint === undefined) throw new FetchFailure('its metadata has no introspection_endpoint');
      return this.#post(this.#fetch, this.#endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: this.#authorization() },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      });
    });
    return claims['active'] === true ? claims : undefined;
  }

  /** What is wrong with a token alone must not count against the server: anyone can send one. */
  async #post(...[fetch, url, init]: Required<Parameters<typeof fetchJson>>): Promise<JsonObject> {
    try {
      return await fetchJson(fetch, url, init);
    } catch (cause) {
      const status = cause instanceof FetchFailure ? (cause.status ?? 500) : 500;
      if (status >= 400 && status < 500 && !OWN_FAULTS.includes(status)) return { active: false };
      // The metadata may name another address by now.
      this.#endpoint = this.#config.endpoint;
      throw cause;
    }
  }

  /** RFC 6749, section 2.3.1: both are form-encoded first. */
  #authorization(): string {
    const { clientId, clientSecret } = this.#config;
    const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
    return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
  }
}
