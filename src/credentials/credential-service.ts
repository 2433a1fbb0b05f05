import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import type { Observer } from '../observe/observation.js';
import type { UserRights } from '../upstream/user-rights.js';
import { openRights } from './open-rights.js';

/** The rights of users for upstreams. */
export interface CredentialService {
  /** Whose rights the calls of an upstream use; undefined where they are those of its configuration. */
  rightsOf(upstream: UpstreamConfig): UserRights | undefined;
  close(): Promise<void>;
}

interface CredentialDeps {
  readonly observe: Observer;
}

export async function openCredentialService(_config: GatewayConfig, _deps: CredentialDeps): Promise<CredentialService> {
  const deps = { fetch: globalThis.fetch, now: Date.now };
  return {
    rightsOf: (upstream) => openRights(upstream, deps),
    close: async () => undefined,
  };
}
