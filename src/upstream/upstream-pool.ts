import { availableParallelism } from 'node:os';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { IsolatedUpstream } from './isolated-upstream.js';
import { ManagedUpstream } from './managed-upstream.js';
import { StartSlots } from './start-slots.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import type { IsolationStatus, Upstream, UpstreamEvents, UpstreamStatus } from './upstream.js';

/** Every configured upstream, connected in parallel and each by itself: none delays or harms another. */
export interface UpstreamPool {
  /** By slug. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** In the order of the configuration. */
  statuses(): readonly UpstreamStatus[];
  /** Begins to connect; called once. Resolves when every enabled upstream has connected or failed once. Never rejects. */
  connect(events: UpstreamEvents): Promise<void>;
  /** Ends the connections that belong to a session alone. */
  endSession(sessionId: string): void;
  /** Ends every connection; child processes and what they started are gone when it resolves. Safe to call twice. */
  close(): Promise<void>;
}

/** Child processes that start at once, so that many servers do not starve the gateway and each other. */
const STARTS_PER_CORE = 2;

const CONFIGURED_SHARED: IsolationStatus = { mode: 'shared', from: 'configuration', evidence: [] };

interface PoolOptions {
  /** Whether one client has the process for its whole life, so that nothing needs to be kept apart. */
  readonly oneClient?: boolean;
}

/** Creates the pool; nothing is connected before `connect`. */
export function createUpstreamPool(
  configs: readonly UpstreamConfig[],
  around: TransportSurroundings,
  { oneClient = false }: PoolOptions = {},
): UpstreamPool {
  const starts = new StartSlots(STARTS_PER_CORE * availableParallelism());
  const upstreams = new Map<string, Upstream>();
  const all = configs.map((config) => {
    const { slug, isolation, disabled } = config;
    if (isolation === 'shared' || oneClient || disabled) return new ManagedUpstream({ config, around, starts });
    // A call of what is shared takes no other way than where the configuration says so.
    const onShared = (upstream: Upstream): void => void upstreams.set(slug, upstream);
    return new IsolatedUpstream({ config, around, starts, onShared });
  });
  for (const upstream of all) upstreams.set(upstream.slug, upstream);
  return {
    upstreams,
    statuses: () =>
      configs.flatMap(({ isolation, disabled }, index) => {
        const status = all[index]?.status();
        if (status === undefined) return [];
        return isolation === 'shared' && !disabled ? { ...status, isolation: CONFIGURED_SHARED } : status;
      }),
    async connect(events) {
      await Promise.all(all.map((upstream) => upstream.connect(events)));
    },
    endSession(sessionId) {
      for (const upstream of all) if (upstream instanceof IsolatedUpstream) upstream.endSession(sessionId);
    },
    close: async () => {
      await Promise.allSettled(all.map((upstream) => upstream.close()));
      await around.logs?.flushed();
    },
  };
}
