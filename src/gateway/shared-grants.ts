import type { GatewayConfig } from '../config/gateway-config.js';
import type { Connections } from '../credentials/credential-service.js';
import { openPolicy } from '../policy/policy.js';
import { Credentials } from './credentials.js';

/** What users have granted, in the store that running gateways share. */
export interface SharedGrants {
  readonly list: Connections['list'];
  /** Ends what an owner has granted for a server; false where there is nothing. Running gateways find that out with their next request. */
  revoke(upstream: string, owner: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Opens the grants of running gateways. Resolves with undefined where they are in the memory of those alone.
 * @throws StoreError when the store cannot be opened
 */
export async function openSharedGrants(config: GatewayConfig): Promise<SharedGrants | undefined> {
  if (config.store.type === 'memory' || config.credentials.key === undefined) return undefined;
  const policy = await openPolicy(config, { observe: () => undefined, process: 'credentials' });
  const credentials = new Credentials(() => undefined, policy);
  // What was granted for servers that have been removed since can be ended, too.
  const service = await credentials.open(config);
  const { connections } = service;
  for (const upstream of config.upstreams) service.rightsOf(upstream);
  return {
    list: connections.list,
    revoke: (slug, owner) => connections.flow.revoke(slug, owner),
    close: policy.close,
  };
}
