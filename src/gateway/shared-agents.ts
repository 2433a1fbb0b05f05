import type { GatewayConfig } from '../config/gateway-config.js';
import { openPolicy } from '../policy/policy.js';
import { Blocks } from '../policy/safety/blocks.js';
import { Challenges } from '../policy/safety/challenges.js';
import { SafetyOperators } from '../policy/safety/operators.js';

/** The agents of gateways that run in other processes. */
export interface SharedAgents {
  readonly operators: Pick<SafetyOperators, 'overview' | 'unblock'>;
  close(): Promise<void>;
}

/**
 * Opens what the running gateways' safety loop has in the store. Resolves with undefined where that is in their memory alone.
 * @throws StoreError when the store cannot be opened
 */
export async function openSharedAgents(config: GatewayConfig): Promise<SharedAgents | undefined> {
  if (config.store.type === 'memory') return undefined;
  const { store, audit, close } = await openPolicy(config, { observe: () => undefined, process: 'agents' });
  const { expiresSeconds } = config.safetyLoop.challenge;
  // Nothing is asked here, so that there is no code to bring to anybody.
  const challenges = new Challenges({ store, expiresSeconds, announce: () => undefined });
  return { operators: new SafetyOperators({ challenges, blocks: new Blocks(store), audit }), close };
}
