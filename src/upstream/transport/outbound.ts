import type { buildConnector } from 'undici';
import type { HttpEndpoint } from '../../config/gateway-config.js';

/** How undici opens sockets: by itself, with a time-out, or by a function. */
export type SocketOpener = buildConnector.connector | { readonly timeout: number };

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * How sockets to a server are opened: the one place that decides over proxies, certificates and time-outs. What is not needed is
 * not loaded.
 */
export async function socketsTo(endpoint: HttpEndpoint): Promise<SocketOpener> {
  const { url, proxy, tls } = endpoint;
  const target = new URL(url);
  if (proxy === undefined && target.protocol === 'http:') return { timeout: CONNECT_TIMEOUT_MS };
  const { createConnector } = await import('./connector.js');
  return createConnector({ url: target, proxy, tls: tls ?? {}, timeout: CONNECT_TIMEOUT_MS });
}
