import type { UpstreamConfig } from '../config/gateway-config.js';
import type { UserRights } from '../upstream/user-rights.js';
import { HeaderRights } from './forwarded-headers.js';
import { type ExchangeDeps, ExchangeRights } from './token-exchange.js';

/** The rights of one upstream; undefined where it is called with the fixed ones of its configuration. */
export function openRights(
  { slug, endpoint, credentials }: UpstreamConfig,
  deps: ExchangeDeps,
): UserRights | undefined {
  if (credentials === undefined || endpoint.type === 'stdio') return undefined;
  switch (credentials.type) {
    case 'forwardHeaders':
      return new HeaderRights(slug, credentials);
    case 'exchange':
      return new ExchangeRights({ slug, url: endpoint.url, credentials }, deps);
    default:
      return undefined;
  }
}
