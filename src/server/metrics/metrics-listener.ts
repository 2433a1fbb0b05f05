import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../../config/observability-config.js';

/** A listener that serves nothing but metrics. */
export interface MetricsListener {
  readonly url: string;
  close(): void;
}

/** Collectors are few; more connections at once are refused. */
const MOST_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 10_000;

/** Rejects with a readable message when it cannot listen. */
export async function openMetricsListener(
  { host, port }: ListenAddress,
  listener: RequestListener,
): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, insecureHTTPParser: false }, listener);
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    const message = `The metrics cannot be served at ${host}:${port} (${why}). Choose another address with metrics.listen.`;
    throw new Error(message, { cause });
  }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
