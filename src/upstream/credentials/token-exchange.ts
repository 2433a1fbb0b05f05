import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../base/json/json.js';
import { type Fetch, FetchFailure, fetchJson } from '../../base/lib/fetch-json.js';
import { type Caller, ISSUER_SIGN } from '../../base/protocol/caller.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ExchangedCredentials } from '../../config/credentials-config.js';
import { UpstreamFault } from '../transport/fault.js';
import type { Refusal, RequestCredentials, RightsRequest, UserRights } from '../transport/user-rights.js';
import { discoveryWith } from './forwarded-headers.js';
import { ownerOf } from './owner.js';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** A token is exchanged anew so long before it ends: a request is on its way meanwhile. */
const MARGIN_MS = 30_000;
/** Where the authorization server does not say how long a token lasts. */
const UNKNOWN_LIFE_MS = 60_000;
const MAX_OWNERS = 10_000;

interface Exchanged {
  readonly token: string;
  readonly until: number;
}

interface ExchangeDeps {
  readonly fetch: Fetch;
  readonly now: () => number;
}

interface ExchangingUpstream {
  readonly slug: string;
  readonly url: string;
  readonly credentials: ExchangedCredentials;
}

/** The rights of a server whose callers' tokens are exchanged for tokens of its own (RFC 8693). Tokens are in memory alone. */
export class ExchangeRights implements UserRights {
  readonly discovery: RequestCredentials;
  readonly #upstream: ExchangingUpstream;
  readonly #deps: ExchangeDeps;
  /** The token with which each owner came last. */
  readonly #subjects = new LRUCache<string, string>({ max: MAX_OWNERS });
  /** By the digest of the token that was exchanged. */
  readonly #exchanged = new LRUCache<string, Promise<Exchanged>>({ max: MAX_OWNERS });

  constructor(upstream: ExchangingUpstream, deps: ExchangeDeps) {
    this.#upstream = upstream;
    this.#deps = deps;
    const refused = 'it lists nothing to the gateway itself, only to its callers';
    this.discovery = discoveryWith(upstream.credentials.discovery, refused);
  }

  /** The tokens of two clients of one user may grant different things. */
  ownerOf(caller: Caller): string {
    return [ownerOf(caller), caller.client ?? '', ...(caller.scopes ?? []).toSorted()].join(' ');
  }

  async require({ caller }: RightsRequest): Promise<void> {
    const token = subjectOf(caller);
    if (token === undefined)
      throw this.#refuse('it can be called by callers alone who have entered with a token of an authorization server');
    this.#subjects.set(this.ownerOf(caller), token);
    await this.#tokenFor(token);
  }

  async renew(): Promise<boolean> {
    return false;
  }

  credentialsOf(owner: string): RequestCredentials {
    let secrets: readonly string[] = [];
    const current = async (): Promise<string> => {
      const subject = this.#subjects.get(owner);
      if (subject === undefined) throw new UpstreamFault('unavailable', 'its caller has not come for a long time');
      const token = await this.#tokenFor(subject).catch((cause: unknown) => {
        throw new UpstreamFault('unavailable', 'the token of its caller was not exchanged', {
          cause,
          undelivered: true,
        });
      });
      if (!secrets.includes(token)) secrets = [...secrets.slice(-1), token];
      return token;
    };
    return {
      headers: async () => ({ authorization: `Bearer ${await current()}` }),
      refused: async ({ status, sent }: Refusal) => {
        const subject = this.#subjects.get(owner);
        if (status !== 401 || subject === undefined) return false;
        // Another request may have exchanged it anew already.
        if (sent['authorization'] === `Bearer ${await current()}`) this.#exchanged.delete(digest(subject));
        return `Bearer ${await current()}` !== sent['authorization'];
      },
      get secrets() {
        return secrets;
      },
    };
  }

  onChanged(): () => void {
    return () => undefined;
  }

  async #tokenFor(subject: string): Promise<string> {
    const key = digest(subject);
    const known = await this.#exchanged.get(key)?.catch(() => undefined);
    if (known !== undefined && this.#deps.now() < known.until) return known.token;
    const begun = this.#exchange(subject);
    this.#exchanged.set(key, begun);
    try {
      return (await begun).token;
    } catch (cause) {
      this.#exchanged.delete(key);
      throw cause;
    }
  }

  async #exchange(subject: string): Promise<Exchanged> {
    const { credentials, url } = this.#upstream;
    const { tokenEndpoint, clientId, clientSecret, audience, resource, scopes } = credentials;
    const body = new URLSearchParams({
      grant_type: GRANT,
      subject_token: subject,
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      ...(audience === undefined ? {} : { audience }),
      ...(resource === undefined && audience !== undefined ? {} : { resource: resource ?? url }),
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      ...(clientSecret === undefined ? { client_id: clientId } : {}),
    });
    const headers = clientSecret === undefined ? {} : { authorization: basic(clientId, clientSecret) };
    const answer = await fetchJson(this.#deps.fetch, tokenEndpoint, { method: 'POST', body, headers }).catch(
      (cause: unknown) => {
        throw this.#explain(cause);
      },
    );
    return this.#read(answer);
  }

  #read({ access_token: token, token_type: type, expires_in: seconds }: JsonObject): Exchanged {
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || !/^bearer$/i.test(String(type))) {
      throw this.#explain(new FetchFailure('its answer holds no bearer token', 200));
    }
    const life = typeof seconds === 'number' ? Math.max(0, seconds * 1_000 - MARGIN_MS) : UNKNOWN_LIFE_MS;
    return { token, until: this.#deps.now() + life };
  }

  #explain(cause: unknown): OperationError {
    // The authorization server has judged the token, or this gateway as its client.
    if (cause instanceof FetchFailure && cause.status !== undefined && cause.status >= 400 && cause.status < 500) {
      const why = cause.error === undefined ? '' : ` (${cause.error})`;
      return this.#refuse(`the authorization server does not exchange the caller's token for one of it${why}`, cause);
    }
    const message = `The server '${this.#upstream.slug}' cannot be called now: the caller's token could not be exchanged for one of it. The call did not run: send it again later`;
    const details = { upstream: this.#upstream.slug, reason: 'token_exchange', retryable: true, outcome: 'not_run' };
    return new OperationError('INTERNAL_ERROR', message, details, { cause });
  }

  #refuse(why: string, cause?: unknown): OperationError {
    const { slug } = this.#upstream;
    const message = `Permission denied: the server '${slug}' is called with the rights of each user, and ${why}. Sign in again, or ask the operator`;
    return new OperationError(
      'PERMISSION_DENIED',
      message,
      { upstream: slug, reason: 'credentials_required' },
      { cause },
    );
  }
}

/** The token of an authorization server with which the caller has entered. A client's static token is this gateway's own affair. */
function subjectOf({ user, client = '', carried }: Caller): string | undefined {
  const isOfIssuer = user !== undefined || client.includes(ISSUER_SIGN);
  return isOfIssuer ? /^Bearer +([^ ]+) *$/i.exec(carried?.get('authorization') ?? '')?.[1] : undefined;
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** RFC 6749, section 2.3.1. */
function basic(clientId: string, clientSecret: string): string {
  const pair = [clientId, clientSecret].map((part) => encodeURIComponent(part).replaceAll('%20', '+')).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
