import { createHash } from 'node:crypto';

/** Somebody whom the operator gave a token. */
export interface TokenHolder {
  readonly name: string;
  /** Secret: never log. */
  readonly token: string;
}

/** The scheme in any case, then the token (RFC 6750, section 2.1; RFC 9110, section 11.1). */
const BEARER = /^Bearer +([^ ]+) *$/i;

/** Headers that differ in case or spaces alone are few; the rest of such a flood is looked up the long way. */
const MAX_KNOWN_HEADERS = 1_000;

/** Who holds which bearer token. */
export class BearerTokens {
  // Digests, not tokens: how long a look-up takes then says nothing about a token's first characters.
  readonly #holders: ReadonlyMap<string, string>;
  // Every request of a client carries the same header. Only valid ones are kept, so that nobody can fill the map.
  readonly #known = new Map<string, string>();

  constructor(holders: readonly TokenHolder[]) {
    this.#holders = new Map(holders.map(({ name, token }) => [digest(token), name]));
  }

  /** The name of whoever holds the token in an `Authorization` header; undefined for nobody. */
  holderOf(header: string | undefined): string | undefined {
    if (header === undefined) return undefined;
    return this.#known.get(header) ?? this.#lookUp(header);
  }

  #lookUp(header: string): string | undefined {
    const token = BEARER.exec(header)?.[1];
    const holder = token === undefined ? undefined : this.#holders.get(digest(token));
    if (holder !== undefined && this.#known.size < MAX_KNOWN_HEADERS) this.#known.set(header, holder);
    return holder;
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
