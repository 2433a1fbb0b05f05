import type { IssuerConfig } from '../../config/access-config.js';
import { type Fetch, FetchFailure, fetchJson } from '../../lib/fetch-json.js';
import type { JsonObject } from '../../protocol/json.js';

/** Where an issuer's keys are and where its tokens are asked about; absent where its metadata has none. */
export interface IssuerMetadata {
  readonly jwksUri?: string;
  readonly introspectionEndpoint?: string;
}

/**
 * Reads the metadata of an issuer: RFC 8414 first, then OpenID Connect Discovery in both spellings.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization (authorization server metadata discovery)
 * @throws FetchFailure
 */
export async function discover({ issuer }: IssuerConfig, fetch: Fetch): Promise<IssuerMetadata> {
  let failure: FetchFailure | undefined;
  for (const address of addressesOf(issuer)) {
    try {
      return readMetadata(await fetchJson(fetch, address), issuer);
    } catch (cause) {
      if (!(cause instanceof FetchFailure)) throw cause;
      // What is wrong with a document says more than that there is none at the next address.
      if (failure === undefined || cause.status !== 404) failure = cause;
      // Where it cannot be reached at all, the other addresses say nothing else.
      if (cause.status === undefined) break;
    }
  }
  throw failure ?? new FetchFailure('it has no metadata');
}

function addressesOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(addresses)];
}

function readMetadata(document: JsonObject, issuer: string): IssuerMetadata {
  // RFC 8414, section 3.3: otherwise one server could pass itself off as another.
  if (document['issuer'] !== issuer) {
    throw new FetchFailure(`its metadata names another issuer, '${String(document['issuer']).slice(0, 200)}'`, 200);
  }
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
