import { availableParallelism } from 'node:os';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { ManagedUpstream } from './managed-upstream.js';
import { StartSlots } from './start-slots.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import type { Upstream, UpstreamEvents, UpstreamStatus } from './upstream.js';

/** Every configured upstream, connected in parallel and each by itself: none delays or harms another. */
export interface UpstreamPool {
  get(slug: string): Upstream | undefined;
  /** In the order of the configuration. */
  statuses(): readonly UpstreamStatus[];
  /** Resolves when every enabled upstream has connected or failed once. Never rejects. */
  readonly settled: Promise<void>;
  /** Ends every connection; child processes and what they started are gone when it resolves. Safe to call twice. */
  close(): Promise<void>;
}

interface UpstreamPoolDependencies extends TransportSurroundings {
  readonly events: UpstreamEvents;
}

/** Child processes that start at once, so that many servers do not starve the gateway and each other. */
const STARTS_PER_CORE = 2;

export function openUpstreamPool(configs: readonly UpstreamConfig[], deps: UpstreamPoolDependencies): UpstreamPool {
  const { events, ...around } = deps;
  const starts = new StartSlots(STARTS_PER_CORE * availableParallelism());
  const upstreams = new Map(
    configs.map((config) => [config.slug, new ManagedUpstream({ config, around, events, starts })]),
  );
  const all = [...upstreams.values()];
  return {
    get: (slug) => upstreams.get(slug),
    statuses: () => all.map((upstream) => upstream.status()),
    settled: Promise.all(all.map(({ settled }) => settled)).then(() => undefined),
    close: async () => {
      await Promise.allSettled(all.map((upstream) => upstream.close()));
      await around.logs?.flushed();
    },
  };
}
