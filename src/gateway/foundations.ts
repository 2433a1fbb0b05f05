import { join } from 'node:path';
import type { Observer } from '../base/observe/observation.js';
import type { BeginTrace } from '../base/protocol/call.js';
import { originOf } from '../base/protocol/operation.js';
import { stampConfigFiles } from '../config/config-files.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { openPolicy, type PolicyService } from '../policy/policy.js';
import type { ResultService } from '../results/query/result-types.js';
import { createResultService } from '../results/results.js';
import type { RereadHeaders } from '../upstream/transport/fresh-headers.js';
import { configuredHeaders } from '../upstream/transport/http-headers.js';
import type { TransportSurroundings } from '../upstream/transport/open-transport.js';
import { listBinDirectories } from '../upstream/transport/resolve-command.js';
import { ServerLogs } from '../upstream/transport/server-logs.js';
import { createUpstreamPool, type UpstreamPool } from '../upstream/upstream-pool.js';
import { Credentials } from './credentials.js';
import { openExecutions } from './executions.js';
import {
  type CatalogKeeper,
  combineKnown,
  createCatalogKeeper,
  KEEPS_NOTHING,
  KEPT_CATALOG_FILE,
  type KnownCatalog,
  type NameSettings,
  readKeptCatalog,
  readLockedCatalog,
  SERVER_NAMES,
} from './kept-catalog.js';
import { type LargeAnswers, openLargeAnswers } from './large-answers.js';
import { serverLogDirectory } from './log-review.js';
import { MemoryBudget } from './memory-budget.js';
import { type Module, OpenModules } from './module.js';
import type { Parts } from './parts.js';
import { ResourceLinks } from './primitives/resource-links.js';
import { openReplicas, type Replicas } from './replicas.js';
import type { Safety, SafetyDeps } from './safety.js';

/** What a gateway is opened with beside its configuration. */
export interface GatewayDeps {
  readonly observe: Observer;
  /** Absent where calls are not traced. */
  readonly beginTrace?: BeginTrace | undefined;
  /** The client name and version that the gateway sends to upstreams. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Where the gateway is installed: configurations can name programs of its own dependencies without a path. */
  readonly packageDirectory: string;
  /** What it can do beyond calling; nothing where absent. */
  readonly modules?: readonly Module[];
  /** The name of this process in the audit trail. */
  readonly process: string;
  /** A server's settings where absent. */
  readonly names?: NameSettings | undefined;
  /** Reads and validates the configuration anew; without it nothing can be reloaded. Rejects with a readable message. */
  readonly load?: (() => Promise<GatewayConfig>) | undefined;
  /** Whether one client has this process for its whole life, so that upstreams need not keep callers apart. */
  readonly oneClient?: boolean;
  /** Whether clients connect that upstreams may ask something; false where absent. */
  readonly servesClients?: boolean;
}

/** What the catalog and the calls stand on: the store and what is kept in it, policy, and the servers, which are not connected yet. */
export interface Foundations {
  /** What is in force; a reload replaces it. */
  readonly live: { config: GatewayConfig };
  readonly policy: PolicyService;
  readonly credentials: Credentials;
  readonly memory: CatalogMemory;
  readonly pool: UpstreamPool;
  readonly links: ResourceLinks;
  readonly replicas: Replicas | undefined;
  readonly results: ResultService;
  readonly executions: Awaited<ReturnType<typeof openExecutions>>;
  readonly modules: OpenModules;
  /** Absent where it is disabled. */
  readonly safety: Safety | undefined;
  readonly largeAnswers: LargeAnswers;
}

/** For so long after a failure of the store, what another gateway made may not have reached it. */
const TROUBLED_MS = 60_000;

/** Rejects with a `StoreError` when the store cannot be opened. */
export async function openFoundations(config: GatewayConfig, deps: GatewayDeps, parts: Parts): Promise<Foundations> {
  const { observe } = deps;
  const live = { config };
  const memory = await openCatalogMemory(() => live.config, deps);
  const policy = await openPolicy(config, {
    ...deps,
    keep: (text, { operation, caller }) =>
      results.keep(text, { operation: originOf(operation), owner: caller.sessionId, caller }),
    accountOf: (upstream, caller) => pool.upstreams.get(upstream)?.accountOf(caller),
  });
  const credentials = new Credentials(observe, policy);
  await credentials.prepare(config);
  const pool = createPool(live, deps, credentials);
  const replicas = await openReplicas(policy.store, () => live.config, observe);
  const results = createResultService(config.results, {
    isPrivate: ({ upstream }) => pool.upstreams.get(upstream)?.isIsolated === true,
    replicas: replicas && {
      bytes: replicas.results,
      key: () => replicas.keyFor('cursors'),
      isTroubled: () => policy.storeState().worksForMs < TROUBLED_MS,
    },
  });
  const executions = await openExecutions(config, { ...policy, observe, results, sealer: replicas?.vault });
  const safety = await openSafetyLoop(config, { policy, observe, executions: executions?.registry });
  const budget = new MemoryBudget();
  const modules = new OpenModules(deps.modules ?? [], () => live.config, { policy, observe, budget });
  await modules.follow();
  const links = new ResourceLinks(pool.upstreams);
  const largeAnswers = openLargeAnswers({ settings: () => live.config, results, links, observe, budget });
  // It can fail, and nothing of the change is in force then.
  parts.add('credentials', { apply: ({ config: next }) => credentials.prepare(next) });
  parts.add('configuration', {
    apply({ config: next }) {
      live.config = next;
    },
  });
  parts.add('kept catalog', { close: () => memory.keeper.close() });
  parts.add('policy', { apply: ({ config: next }) => policy.apply(next), close: () => policy.close() });
  parts.add('replicas', { close: () => replicas?.close() });
  parts.add('modules', { apply: () => modules.follow(), close: () => modules.close() });
  parts.add('safety loop', { close: () => safety?.close() });
  parts.add('threads', { close: () => largeAnswers.close() });
  return {
    live,
    policy,
    credentials,
    memory,
    pool,
    links,
    replicas,
    results,
    executions,
    modules,
    safety,
    largeAnswers,
  };
}

/** Opens the safety loop where one is configured. It is loaded then alone, so that it costs no other gateway anything. */
async function openSafetyLoop(config: GatewayConfig, deps: SafetyDeps): Promise<Safety | undefined> {
  if (config.safetyLoop.mode === 'disabled') return undefined;
  const { openSafety } = await import('./safety.js');
  return openSafety(config, deps);
}

/** What earlier processes know of the catalog, and what keeps it for later ones. */
interface CatalogMemory {
  readonly known: KnownCatalog;
  readonly keeper: CatalogKeeper;
}

/** What the lock and the last run say of names, and what keeps them for the next. */
async function openCatalogMemory(
  current: () => GatewayConfig,
  { observe, names = SERVER_NAMES }: GatewayDeps,
): Promise<CatalogMemory> {
  const { dataDir, lock, upstreams } = current();
  const file = join(dataDir, KEPT_CATALOG_FILE);
  const slugs = (): readonly string[] => current().upstreams.map(({ slug }) => slug);
  const kept = await readKeptCatalog(file, observe);
  // An earlier version kept what such a server had listed to its first user.
  const ofUsers = new Set(upstreams.filter(({ credentials }) => credentials !== undefined).map(({ slug }) => slug));
  const tools = new Map([...kept.tools].filter(([slug]) => !ofUsers.has(slug)));
  return {
    known: combineKnown(readLockedCatalog(lock.content, upstreams), { ...kept, tools }),
    keeper: names.keep ? createCatalogKeeper(file, slugs, observe) : KEEPS_NOTHING,
  };
}

function createPool(live: Foundations['live'], deps: GatewayDeps, { rightsOf }: Credentials): UpstreamPool {
  const { config } = live;
  const { load, observe, clientInfo, packageDirectory, oneClient = false, servesClients = false } = deps;
  const binDirectories = listBinDirectories([config.directory, packageDirectory]);
  const logs = new ServerLogs({ directory: serverLogDirectory(config), observe });
  return createUpstreamPool(
    config.upstreams,
    { observe, clientInfo, binDirectories, logs, servesClients, ...(load && { rereadHeaders: readAnew(live, load) }) },
    { oneClient, rightsOf },
  );
}

/** Reads the headers of servers anew, and the files only where one of them has been written since. */
function readAnew(
  live: Foundations['live'],
  load: () => Promise<GatewayConfig>,
): NonNullable<TransportSurroundings['rereadHeaders']> {
  let known = { stamp: '', config: Promise.resolve(live.config) };
  const reread = async (slug: string): ReturnType<RereadHeaders> => {
    const stamp = await stampConfigFiles(live.config);
    if (stamp !== known.stamp) known = { stamp, config: load() };
    const endpoint = (await known.config).upstreams.find((each) => each.slug === slug)?.endpoint;
    return endpoint === undefined || endpoint.type === 'stdio' ? undefined : configuredHeaders(endpoint);
  };
  return (slug) => ((live.config.secretFiles ?? []).length === 0 ? undefined : () => reread(slug));
}
