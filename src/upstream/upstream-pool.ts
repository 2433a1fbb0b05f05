import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { UpstreamConfig } from '../config/gateway-config.js';
import { IsolatedUpstream } from './isolated-upstream.js';
import { ManagedUpstream } from './managed-upstream.js';
import { StartSlots } from './start-slots.js';
import type { TransportSurroundings } from './transport/open-transport.js';
import type { UserRights } from './transport/user-rights.js';
import type { IsolationStatus, Upstream, UpstreamEvents, UpstreamStatus } from './upstream.js';

/** Every configured upstream, connected in parallel and each by itself: none delays or harms another. */
export interface UpstreamPool {
  /** By slug. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** In the order of the configuration. */
  statuses(): readonly UpstreamStatus[];
  /** Begins to connect; called once. Resolves when every enabled upstream has connected or failed once. Never rejects. */
  connect(events: UpstreamEvents): Promise<void>;
  /**
   * Takes another configuration: what is new is connected, what is gone or described otherwise is closed after its calls, and
   * what is described as before is not touched. Later calls find the new upstreams at once, and wait for them to connect.
   * Resolves when each new one has connected or failed once. Never rejects.
   */
  reconfigure(configs: readonly UpstreamConfig[]): Promise<void>;
  /** Starts or connects the upstream of this name anew. Returns whether there is one that is not disabled. */
  restart(name: string): boolean;
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
  /** Whose rights the calls of an upstream with `credentials` use. */
  readonly rightsOf?: (config: UpstreamConfig) => UserRights | undefined;
}

type PooledUpstream = ManagedUpstream | IsolatedUpstream;

/** The settings of an upstream that its connection is made with; all others can change while it is connected. */
const OF_CONNECTION = [
  'name',
  'endpoint',
  'disabled',
  'problem',
  'timeoutMs',
  'maxCallMs',
  'connectTimeoutMs',
  'maxConcurrency',
  'queue',
  'restarts',
  'circuit',
  'pings',
  'protocol',
  'isolation',
  'credentials',
  'instances',
  'maxAnswerBytes',
  'asks',
] as const satisfies readonly (keyof UpstreamConfig)[];

/** Whether one connection serves both configurations. */
export function isSameConnection(a: UpstreamConfig, b: UpstreamConfig): boolean {
  return OF_CONNECTION.every((key) => isDeepStrictEqual(a[key], b[key]));
}

/**
 * Whether what the one connection has said may stand for the other until that one has said more: what it shows is of the same account, and
 * is shown to the same callers.
 */
export function hasSameRights(a: UpstreamConfig, b: UpstreamConfig): boolean {
  const rightsOf = ({ credentials, isolation, endpoint }: UpstreamConfig) =>
    credentials === undefined ? { isolation } : { credentials, isolation, endpoint };
  return isDeepStrictEqual(rightsOf(a), rightsOf(b));
}

/** Creates the pool; nothing is connected before `connect`. */
export function createUpstreamPool(
  configs: readonly UpstreamConfig[],
  around: TransportSurroundings,
  options: PoolOptions = {},
): UpstreamPool {
  return new Pool(configs, around, options);
}

/** A configured upstream, and what keeps it connected. */
interface Member {
  readonly config: UpstreamConfig;
  readonly upstream: PooledUpstream;
}

class Pool implements UpstreamPool {
  readonly upstreams = new Map<string, Upstream>();
  readonly #around: TransportSurroundings;
  readonly #oneClient: boolean;
  readonly #rightsOf: PoolOptions['rightsOf'];
  readonly #starts = new StartSlots(STARTS_PER_CORE * availableParallelism());
  /** In the order of the configuration. */
  #members: readonly Member[];
  /** Those that end after their calls. */
  readonly #retired = new Set<PooledUpstream>();
  #events: UpstreamEvents | undefined;
  #isClosed = false;

  constructor(
    configs: readonly UpstreamConfig[],
    around: TransportSurroundings,
    { oneClient = false, rightsOf }: PoolOptions,
  ) {
    this.#around = around;
    this.#rightsOf = rightsOf;
    this.#oneClient = oneClient;
    this.#members = configs.map((config) => ({ config, upstream: this.#create(config) }));
    this.#index();
  }

  statuses(): readonly UpstreamStatus[] {
    return this.#members.map(({ config: { isolation, disabled, required }, upstream }) => {
      const status: UpstreamStatus = { ...upstream.status(), ...(required ? { required } : {}) };
      return isolation === 'shared' && !disabled ? { ...status, isolation: CONFIGURED_SHARED } : status;
    });
  }

  async connect(events: UpstreamEvents): Promise<void> {
    this.#events = events;
    await Promise.all(this.#members.map(({ upstream }) => upstream.connect(this.#eventsOf(upstream, events))));
  }

  async reconfigure(configs: readonly UpstreamConfig[]): Promise<void> {
    if (this.#isClosed) return;
    const before = new Map(this.#members.map((member) => [member.config.slug, member]));
    const members = configs.map((config): Member => {
      const known = before.get(config.slug);
      const isKept = known !== undefined && isSameConnection(known.config, config);
      return { config, upstream: isKept ? known.upstream : this.#create(config, known) };
    });
    const kept = new Set(members.map(({ upstream }) => upstream));
    this.#members = members;
    this.#index();
    for (const { config, upstream } of before.values()) if (!kept.has(upstream)) this.#retire(upstream, config);
    const old = new Set([...before.values()].map(({ upstream }) => upstream));
    const started = members
      .filter(({ upstream }) => !old.has(upstream))
      .map(({ config, upstream }) => this.#start(upstream, before.get(config.slug)?.upstream));
    await Promise.all(started);
  }

  restart(name: string): boolean {
    const member = this.#members.find(
      ({ config }) => !config.disabled && (config.name === name || config.slug === name),
    );
    member?.upstream.restart();
    return member !== undefined;
  }

  endSession(sessionId: string): void {
    const all = [...this.#members.map(({ upstream }) => upstream), ...this.#retired];
    for (const upstream of all) if (upstream instanceof IsolatedUpstream) upstream.endSession(sessionId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#members.map(({ upstream }) => upstream), ...this.#retired];
    await Promise.allSettled(all.map((upstream) => upstream.close()));
    await this.#around.logs?.flushed();
  }

  /** @param before has the name until now: what it declared counts until the server has said more, as its lists do */
  #create(config: UpstreamConfig, before?: Member): PooledUpstream {
    const { slug, isolation, disabled, credentials } = config;
    const isSame = before !== undefined && hasSameRights(before.config, config);
    const capabilities = isSame ? before.upstream.capabilities(undefined) : undefined;
    const parts = { config, around: this.#around, starts: this.#starts, capabilities };
    const rights = credentials === undefined || disabled ? undefined : this.#rightsOf?.(config);
    if (rights === undefined && (isolation === 'shared' || this.#oneClient || disabled)) {
      const shared = new ManagedUpstream(parts);
      if (this.#oneClient) shared.logTo(undefined);
      return shared;
    }
    const isolated: IsolatedUpstream = new IsolatedUpstream({
      ...parts,
      rights,
      // A call of what is shared takes no other way than where the configuration says so.
      onShared: (upstream) => {
        if (this.#isMember(isolated)) this.upstreams.set(slug, upstream);
      },
    });
    return isolated;
  }

  /** Makes the map say what the members are; what is shared by evidence stays as it was found. */
  #index(): void {
    const known = new Map(this.upstreams);
    this.upstreams.clear();
    for (const { upstream } of this.#members) {
      const { slug } = upstream;
      const direct = known.get(slug);
      const isFound = direct !== undefined && upstream instanceof IsolatedUpstream && upstream.sharesBy(direct);
      this.upstreams.set(slug, isFound ? direct : upstream);
    }
  }

  #start(upstream: PooledUpstream, before: PooledUpstream | undefined): Promise<void> {
    if (this.#events === undefined) return Promise.resolve();
    const started = upstream.connect(this.#eventsOf(upstream, this.#events));
    for (const { uri, owner } of before?.watched ?? []) upstream.watchResource(uri, true, owner).catch(() => undefined);
    return started;
  }

  /** Every call ends within the longest time of a call. */
  #retire(upstream: PooledUpstream, { maxCallMs, disabled }: UpstreamConfig): void {
    if (disabled) return;
    this.#retired.add(upstream);
    const longest = delay(maxCallMs, undefined, { ref: false });
    void Promise.race([upstream.whenIdle(), longest])
      .then(() => upstream.close())
      .catch((cause: unknown) => this.#around.observe({ kind: 'defect', where: 'closing an upstream', cause }))
      .finally(() => this.#retired.delete(upstream));
  }

  #isMember(upstream: PooledUpstream): boolean {
    return this.#members.some((member) => member.upstream === upstream);
  }

  /** What one that is not configured any more says of its lists is no news. */
  #eventsOf(upstream: PooledUpstream, events: UpstreamEvents): UpstreamEvents {
    const current =
      <Arguments extends readonly unknown[]>(listener: ((...args: Arguments) => void) | undefined) =>
      (...args: Arguments): void => {
        if (this.#isMember(upstream)) listener?.(...args);
      };
    return {
      ...events,
      onTools: current(events.onTools),
      onStateLost: current(events.onStateLost),
      onConnected: current(events.onConnected),
      onRightsChanged: current(events.onRightsChanged),
      onListChanged: current(events.onListChanged),
      onResourceUpdated: current(events.onResourceUpdated),
      onFirstStart: current(events.onFirstStart),
      onCannotStart: current(events.onCannotStart),
    };
  }
}
