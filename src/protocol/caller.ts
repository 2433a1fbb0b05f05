/** What was authenticated of a caller: what rules and quotas may ask. Never what a client says of itself. */
export interface CallerIdentity {
  /** The configured client whose bearer token came with the request; absent where clients need not authenticate. */
  readonly client?: string;
  /** The groups that the caller is in. */
  readonly groups?: readonly string[];
}

/** The caller: one MCP connection (specification, section 2.3), or one client where connections have no sessions. */
export interface Caller extends CallerIdentity {
  /** Made by the gateway; never taken from the client. */
  readonly sessionId: string;
  /** The name that the client sends. A label for logs, never an identity. */
  readonly clientName: string;
  readonly transport: 'http' | 'stdio' | 'cli';
  /** The view that the connection was opened on; absent where it sees the whole. */
  readonly view?: string;
  /** The request that this call came with: one for all items of a batch. In logs, records and the answer's `_meta`. */
  readonly requestId?: string;
}

/** What rules and quotas may ask of a caller. */
export type CallerFacts = CallerIdentity & Pick<Caller, 'view'>;
