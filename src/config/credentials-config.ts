/** Whose rights the calls of a server over HTTP use, where that is not the same for all callers (docs/upstream-credentials.md). */
export type UpstreamCredentials = PerUserCredentials | ExchangedCredentials | ForwardedHeaders;

/** By what the gateway reads what the server offers, before any caller has come: headers beside the server's own `headers`. */
interface Discovery {
  /** May hold secrets: never log. */
  readonly discovery: Readonly<Record<string, string>>;
}

/** The gateway is an OAuth 2.1 client of the server, for each user. */
interface PerUserCredentials extends Discovery {
  readonly type: 'perUser';
  /** The only authorization server that may be used; where absent, the one that the server names (RFC 9728). */
  readonly issuer?: string;
  /** What the gateway is at the authorization server; where absent, it has a metadata document or registers itself. */
  readonly clientId?: string;
  /** Secret: never log. */
  readonly clientSecret?: string;
  /** What is asked for; where empty, what the server says that it needs. */
  readonly scopes: readonly string[];
}

/** The caller's own token is exchanged for one that is meant for the server (RFC 8693). */
export interface ExchangedCredentials extends Discovery {
  readonly type: 'exchange';
  readonly tokenEndpoint: string;
  readonly clientId: string;
  /** Secret: never log. */
  readonly clientSecret?: string;
  /** What the new token is for, by name and by address. */
  readonly audience?: string;
  readonly resource?: string;
  readonly scopes: readonly string[];
}

/** Headers of the caller's request are passed on. */
export interface ForwardedHeaders extends Discovery {
  readonly type: 'forwardHeaders';
  /** In lower case. */
  readonly headers: readonly string[];
}

/** How what users have granted is kept. */
export interface CredentialStorage {
  /** What it is encrypted with; where absent it is in memory alone. Secret: never log. */
  readonly key?: string;
}
