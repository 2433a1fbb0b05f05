import { availableParallelism } from 'node:os';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { ManagedUpstream } from './managed-upstream.js';
import { StartSlots } from './start-slots.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import type { Upstream, UpstreamEvents, UpstreamStatus } from './upstream.js';

/** Every configured upstream, connected in parallel and each by itself: none delays or harms another. */
export interface UpstreamPool {
  /** By slug. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** In the order of the configuration. */
  statuses(): readonly UpstreamStatus[];
  /** Begins to connect; called once. Resolves when every enabled upstream has connected or failed once. Never rejects. */
  connect(events: UpstreamEvents): Promise<void>;
  /** Ends every connection; child processes and what they started are gone when it resolves. Safe to call twice. */
  close(): Promise<void>;
}

/** Child processes that start at once, so that many servers do not starve the gateway and each other. */
const STARTS_PER_CORE = 2;

/** Creates the pool; nothing is connected before `connect`. */
export function createUpstreamPool(configs: readonly UpstreamConfig[], around: TransportSurroundings): UpstreamPool {
  const starts = new StartSlots(STARTS_PER_CORE * availableParallelism());
  const upstreams = new Map(configs.map((config) => [config.slug, new ManagedUpstream({ config, around, starts })]));
  const all = [...upstreams.values()];
  return {
    upstreams,
    statuses: () => all.map((upstream) => upstream.status()),
    async connect(events) {
      await Promise.all(all.map((upstream) => upstream.connect(events)));
    },
    close: async () => {
      await Promise.allSettled(all.map((upstream) => upstream.close()));
      await around.logs?.flushed();
    },
  };
}
