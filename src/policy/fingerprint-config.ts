import type { GatewayConfig } from '../config/gateway-config.js';
import { digest } from '../protocol/canonical-json.js';

/**
 * What a question was put under. A token is good under the same configuration alone: who changes a rule, a trust level, a
 * curation or what stands behind a name takes back every yes that was given before. Gateways that share a store have equal
 * fingerprints, so nothing of one machine belongs in it.
 */
export function fingerprintConfig({ policy, upstreams, pins, lock }: GatewayConfig): string {
  const { readOnly, rules, confirmation } = policy;
  const behind = upstreams.map(({ slug, endpoint, trust, strict, group, curation, disabled }) => ({
    slug,
    endpoint,
    trust,
    strict,
    group: group ?? null,
    curation,
    disabled,
  }));
  return digest({ readOnly, rules, confirmation, upstreams: behind, pins, lock: lock.content ?? null });
}
