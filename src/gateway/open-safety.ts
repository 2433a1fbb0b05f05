import type { GatewayConfig } from '../config/gateway-config.js';
import type { Safety, SafetyDeps } from './safety.js';

/** Opens the safety loop where one is configured. It is loaded then alone, so that it costs no other gateway anything. */
export async function openConfiguredSafety(config: GatewayConfig, deps: SafetyDeps): Promise<Safety | undefined> {
  if (config.safetyLoop.mode === 'disabled') return undefined;
  const { openSafety } = await import('./safety.js');
  return openSafety(config, deps);
}
