import type { GatewayConfig } from './gateway-config.js';

/** Where people and authorization servers reach the gateway, without a slash at its end. */
export function publicUrlOf({ publicUrl, host, port, tls }: GatewayConfig['server']): string {
  if (publicUrl !== undefined) return publicUrl;
  // A link cannot lead to a wildcard address, so `localhost` replaces it.
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const scheme = tls === undefined ? 'http' : 'https';
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
