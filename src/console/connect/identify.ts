import type { Observer } from '../../base/observe/observation.js';
import type { CallerIdentity } from '../../base/protocol/caller.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Verdict } from '../../server/auth/access-tokens.js';
import { ClientKeys } from '../../server/auth/client-keys.js';
import type { Way } from './pages.js';

/** How a person can prove who they are, by what lets clients in. */
export function waysOf({ clients, server: { oauth } }: GatewayConfig): readonly Way[] {
  const issuers = (oauth?.issuers ?? []).map(({ name }) => ({ kind: 'issuer', name }) as const);
  const ways: readonly Way[] = [...issuers, ...(clients.length === 0 ? [] : [{ kind: 'token' } as const])];
  // Where nobody is asked who they are there is one person, whose machine it is.
  return ways.length === 0 ? [{ kind: 'local' }] : ways;
}

/** The client of a static token; undefined where it is of none. */
export function identifyByToken({ clients }: GatewayConfig, token: string): CallerIdentity | undefined {
  const found = new ClientKeys(clients).find(token);
  return found !== undefined && Date.now() < found.until ? found.client.identity : undefined;
}

/** Whose an access token for this gateway is. */
export async function identifyByAccessToken(
  config: GatewayConfig,
  token: string,
  observe: Observer,
): Promise<CallerIdentity | undefined> {
  const verdict = await checkAccessToken(config, token, observe);
  return verdict?.kind === 'accepted' ? verdict.client.identity : undefined;
}

/** Checks an access token as when a client brings it; undefined where there is no issuer. */
export async function checkAccessToken(
  { server: { oauth } }: GatewayConfig,
  token: string,
  observe: Observer,
): Promise<Verdict | undefined> {
  if (oauth === undefined) return undefined;
  const { AccessTokens } = await import('../../server/auth/access-tokens.js');
  return new AccessTokens(oauth, { fetch: globalThis.fetch, observe, now: Date.now }).check(token);
}
