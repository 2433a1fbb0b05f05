import type { PolicyService } from '../policy/policy.js';
import type { UpstreamPool } from '../upstream/upstream-pool.js';
import type { Introductions } from './introductions.js';
import type { LiveCatalog } from './live-catalog.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { Reloader } from './reload.js';
import type { Replicas } from './replicas.js';
import { describeDependencies, describeStatus, type GatewayStatus } from './status.js';

export interface StatusParts {
  readonly policy: Pick<PolicyService, 'audit' | 'storeState'>;
  readonly reloader: Pick<Reloader, 'state'>;
  readonly introductions: Introductions;
  readonly replicas: Pick<Replicas, 'state'> | undefined;
  readonly catalog: Pick<LiveCatalog, 'lacks'>;
}

/** The status of the whole, or of what a view shows. */
export function statusOf(
  snapshot: Snapshot,
  upstreams: ReturnType<UpstreamPool['statuses']>,
  { policy, reloader, introductions, replicas, catalog }: StatusParts,
): GatewayStatus {
  const dependencies = describeDependencies(policy.audit.state(), policy.storeState(), replicas?.state());
  const more = {
    findings: introductions.guard.findings(),
    reload: reloader.state(),
    lacks: (slug: string) => catalog.lacks(slug),
  };
  return describeStatus(snapshot, upstreams, dependencies, more);
}
