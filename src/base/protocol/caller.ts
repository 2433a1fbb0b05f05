/**
 * What was authenticated of a caller: what rules and quotas may ask. Never what a client says of itself. Made and frozen once for
 * each token, so that a call costs nothing more.
 */
export interface CallerIdentity {
  /**
   * The configured client whose static token came with the request, or the client that an issuer's token was made for, after the
   * issuer's configured name: `corp:assistant`. Absent where clients need not authenticate.
   */
  readonly client?: string;
  /** The person that a token was issued for, after the issuer's configured name: `corp:alice`. */
  readonly user?: string;
  /** The groups that the issuer's configuration reads from the token's claims. */
  readonly groups?: readonly string[];
  /** The scopes that the token grants. */
  readonly scopes?: readonly string[];
}

/** The caller: one MCP connection (specification, section 2.3), or one client where connections have no sessions. */
export interface Caller extends CallerIdentity {
  /** Made by the gateway; never taken from the client. */
  readonly sessionId: string;
  /** The name that the client sends. A label for logs, never an identity. */
  readonly clientName: string;
  readonly transport: 'http' | 'stdio' | 'cli';
  /** The protocol generation that its client speaks; absent where the gateway itself calls. */
  readonly era?: 'legacy' | 'modern';
  /** The network address that it connects from, where that is known: clients that are not authenticated share what is divided fairly. */
  readonly peer?: string;
  /** The view that the connection was opened on; absent where it sees the whole. */
  readonly view?: string;
  /**
   * The request that this call came with: one for all items of a batch. In logs, records and the answer's `_meta`. Sessions make callers
   * with it undefined: each request copies its caller, and V8 overwrites a member of a copy forty times faster than it adds one.
   */
  readonly requestId?: string | undefined;
  /** The id of the program that makes the call; absent where a client does. */
  readonly program?: string;
  /** What its request carries for upstreams that are called with its rights; absent where no upstream wants any. */
  readonly carried?: CarriedHeaders;
}

/** What rules and quotas may ask of a caller. */
export type CallerFacts = CallerIdentity & Pick<Caller, 'view'>;

/** Stands between an issuer's configured name and the name that its token gives. */
export const ISSUER_SIGN = ':';

/** Who it is in all sessions: the user where there is one, else the client; undefined where nothing was authenticated. */
export function principalOf({ client, user }: CallerIdentity): { kind: 'user' | 'client'; name: string } | undefined {
  if (user !== undefined) return { kind: 'user', name: user };
  return client === undefined ? undefined : { kind: 'client', name: client };
}

/** Whose share of what is divided a caller takes: a user or client has one in all its sessions, and all who are not authenticated at one address share one. */
export function shareOf(caller: Caller): string {
  const principal = principalOf(caller);
  return principal === undefined ? `peer ${caller.peer ?? ''}` : `${principal.kind} ${principal.name}`;
}

/** The caller of one request, with what the request carries; the same object where it carries nothing. */
export function callerOf(caller: Caller, carried: CarriedHeaders | undefined): Caller {
  return carried === undefined ? caller : { ...caller, carried };
}

/**
 * Headers of the request that a call came with, for upstreams that are called with their caller's rights. They may hold secrets: the
 * values are reached by `get` alone, so that no log line, record or copy of the caller has them.
 */
export class CarriedHeaders {
  readonly #values: ReadonlyMap<string, string>;

  /** @param values by names in lower case */
  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  toJSON(): undefined {
    return undefined;
  }
}
