/** Who is asking: one MCP connection (specification, section 2.3), or one client where connections have no sessions. */
export interface Caller {
  /** Made by the gateway; never taken from the client. */
  readonly sessionId: string;
  /** What the client calls itself. A label for logs, never an identity. */
  readonly clientName: string;
  /** The configured client whose bearer token came with the request; absent where clients need not authenticate. */
  readonly client?: string;
  readonly transport: 'http' | 'stdio' | 'cli';
}
