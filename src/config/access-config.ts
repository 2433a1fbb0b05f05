import type { ISSUER, SERVER } from './schema/server-schema.js';
import type { Output } from './schema/setting.js';

export { DEFAULT_ALGORITHMS } from './schema/server-schema.js';

/** One static bearer token of a client. The token itself is not kept. */
export interface ClientKey {
  /** `sha256:` and the hash of the token in hexadecimal digits. */
  readonly hash: string;
  /** From when on it is refused, in milliseconds since the epoch; absent where it does not end. */
  readonly expiresAt?: number;
}

/** An MCP client that authenticates over HTTP with a static token: one of several, so that they can be exchanged. */
export interface ClientConfig {
  readonly name: string;
  readonly keys: readonly ClientKey[];
  readonly groups: readonly string[];
  /** Patterns of names that it adds to calls. */
  readonly ignoreArguments?: readonly string[];
}

type Issuer = Output<typeof ISSUER>;

/** Where opaque tokens are asked about (RFC 7662). */
export type IntrospectionConfig = Pick<NonNullable<Issuer['introspection']>, 'endpoint'> & {
  readonly clientId: string;
  /** Secret: never log. */
  readonly clientSecret: string;
  readonly cacheSeconds: number;
};

/** A claim's values, one of which a token must have, by claim. */
export type ClaimConditions = NonNullable<Issuer['claims']>[string];

/** An authorization server whose tokens are accepted. */
export type IssuerConfig = Omit<Issuer, 'audience' | 'algorithms' | 'claims' | 'introspection' | 'login'> & {
  /** One of these must be in `aud`; the resource, and what lies below it, where empty. */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly claims: Readonly<Record<string, ClaimConditions>>;
  readonly introspection?: IntrospectionConfig;
  readonly login?: { readonly clientId: string /** Secret: never log. */; readonly clientSecret?: string };
};

/** The gateway as an OAuth 2.1 resource server. */
export interface OAuthConfig {
  /** The canonical address of MCP here: what tokens must be meant for. */
  readonly resource: string;
  readonly issuers: readonly IssuerConfig[];
}

/** Files of the certificate chain and its key, in PEM. Absolute. */
export interface TlsConfig {
  readonly cert: string;
  readonly key: string;
}

/**
 * Where the gateway listens, who may reach it, and what its clients may take. Host names are as `URL` writes them, and `publicUrl` has no
 * slash at its end.
 */
export type ServerConfig = Omit<Output<typeof SERVER>, 'oauth' | 'tls'> & {
  /** The authorization servers whose tokens are accepted. */
  readonly oauth?: OAuthConfig;
  readonly tls?: TlsConfig;
};
