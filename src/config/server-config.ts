import type { OAuthConfig, TlsConfig } from './access-config.js';

/** Where the gateway listens, who may reach it, and what its clients may take. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Host names a request may address, without port; beside the loopback names and `host` itself. */
  readonly allowedHosts: readonly string[];
  /** Host names a browser's Origin may carry; beside the loopback names. */
  readonly allowedOrigins: readonly string[];
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  /** Of one authenticated client; of one network address where there are no clients. */
  readonly maxSessionsPerClient: number;
  /** Calls in flight at once, over all upstreams and built-in operations; more wait. */
  readonly maxCalls: number;
  /** Calls in flight at once of one client; more wait. */
  readonly maxCallsPerClient: number;
  /** Calls that wait for their turn; of those beyond, the newest of the client that has most is refused. */
  readonly maxWaitingCalls: number;
  /** How long a connection has to agree on keys, its headers to come, and a request to come whole, in milliseconds. */
  readonly handshakeTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a connection without a request is kept, in milliseconds. */
  readonly keepAliveMs: number;
  /** How long a client may read nothing of what waits for it, in milliseconds. */
  readonly unreadTimeoutMs: number;
  /** Bytes that wait for all clients together. */
  readonly maxUnreadBytes: number;
  /** Network connections at once. */
  readonly maxConnections: number;
  /** How long a stopping gateway still accepts requests, while `/readyz` says 503, in milliseconds. */
  readonly lameDuckMs: number;
  /** How long calls in flight may go on once the gateway accepts no more, in milliseconds. */
  readonly drainMs: number;
  /** How long a client has to answer a server's question, in milliseconds: a person reads it, or a model writes a text. */
  readonly questionTimeoutMs: number;
  /** Whether the gateway may listen beyond this machine without `clients`. */
  readonly allowUnauthenticated: boolean;
  /** The view that `/mcp` serves; the whole where absent. */
  readonly defaultView?: string;
  /** Where clients and people reach this gateway, without a slash at its end. */
  readonly publicUrl?: string;
  /** The authorization servers whose tokens are accepted. */
  readonly oauth?: OAuthConfig;
  readonly tls?: TlsConfig;
  /** Addresses and networks of proxies whose word about the client is believed. */
  readonly trustedProxies: readonly string[];
  /** Whether operators may add servers that run a command over the admin API. */
  readonly allowRemoteCommands: boolean;
}
