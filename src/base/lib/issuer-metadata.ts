import type { JsonObject } from '../json/json.js';
import { type Fetch, FetchFailure, fetchJson } from './fetch-json.js';
import { cleanLabel } from './text.js';

/** Whether two spellings name one issuer: servers and operators add and forget the last slash. */
export function isSameIssuer(one: string, other: string): boolean {
  return plainIssuer(one) === plainIssuer(other);
}

function plainIssuer(issuer: string): string {
  return (URL.canParse(issuer) ? new URL(issuer).href : issuer).replace(/\/$/, '');
}

/**
 * The metadata of an issuer, of the first address where they can be had: RFC 8414, OpenID Connect Discovery in both spellings, and where
 * servers put them by mistake.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization (authorization server metadata discovery)
 * @param read what is wanted of them; throws a FetchFailure where they lack it
 * @throws FetchFailure
 */
export function fetchIssuerMetadata<T>(fetch: Fetch, issuer: string, read: (found: JsonObject) => T): Promise<T> {
  return fetchFirst(fetch, addressesOf(issuer), (found) => {
    const { issuer: named } = found;
    if (typeof named !== 'string') throw new FetchFailure("its metadata has no 'issuer'", 200);
    // RFC 8414, section 3.3: otherwise one server could pass itself off as another.
    if (!isSameIssuer(named, issuer))
      throw new FetchFailure(`its metadata names another issuer, '${cleanLabel(named)}'`, 200);
    return read(found);
  });
}

function addressesOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const [oauth, openId] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  return [oauth + path, openId + path, path + openId, path + oauth, oauth].map((each) => origin + each);
}

/**
 * Reads the first of several documents that can be read.
 * @throws FetchFailure of what is wrong with one, rather than of one that is not there
 */
export async function fetchFirst<T>(
  fetch: Fetch,
  addresses: readonly string[],
  read: (document: JsonObject) => T,
): Promise<T> {
  let failure: FetchFailure | undefined;
  for (const address of new Set(addresses)) {
    try {
      return read(await fetchJson(fetch, address));
    } catch (cause) {
      if (!(cause instanceof FetchFailure)) throw cause;
      if (failure === undefined || failure.status === 404) failure = cause;
      // Where it cannot be reached at all, the other addresses say nothing else.
      if (cause.status === undefined) break;
    }
  }
  throw failure ?? new FetchFailure('it has no metadata');
}
