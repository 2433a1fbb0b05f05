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
}

/** Where opaque tokens are asked about (RFC 7662). */
export interface IntrospectionConfig {
  /** From the issuer's metadata where absent. */
  readonly endpoint?: string;
  readonly clientId: string;
  /** Secret: never log. */
  readonly clientSecret: string;
  /** For how long an answer is used again, in seconds. */
  readonly cacheSeconds: number;
}

/** A claim's values, one of which a token must have, by claim. */
export type ClaimConditions = Readonly<Record<string, readonly (string | number | boolean)[]>>;

/** An authorization server whose tokens are accepted. */
export interface IssuerConfig {
  /** What qualifies its users and clients: `corp:alice`. */
  readonly name: string;
  /** Its identifier: exactly what its tokens have in `iss`. */
  readonly issuer: string;
  /** Where its keys are; from its metadata where absent. */
  readonly jwksUri?: string;
  /** One of these must be in `aud`; the resource, and what lies below it, where empty. */
  readonly audience: readonly string[];
  /** The signatures that are accepted. */
  readonly algorithms: readonly string[];
  /** A token must grant all of these. */
  readonly scopes: readonly string[];
  /** The claim that lists groups: its name, or members inside it, dotted. */
  readonly groupsClaim?: string;
  /** Stands before the names in that claim. */
  readonly groupsPrefix: string;
  /** Groups by what the token's claims must be; all of a group must hold. */
  readonly claims: Readonly<Record<string, ClaimConditions>>;
  /** How far clocks may differ. */
  readonly clockToleranceSeconds: number;
  readonly introspection?: IntrospectionConfig;
  /** What the gateway is there when a person signs in on one of its pages; where absent, it has a metadata document or registers itself. */
  readonly login?: { readonly clientId: string /** Secret: never log. */; readonly clientSecret?: string };
}

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

/** The signatures with a public key that are accepted unless given; never those with a shared secret, and never none. */
export const DEFAULT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
