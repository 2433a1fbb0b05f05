import { isJsonObject } from '../base/json/json.js';
import { Pauses } from '../base/pauses/pauses.js';
import type { OperationHandler } from '../base/protocol/call.js';
import { type Operation, type ReadOnlyAccount, readOrigin, splitOrigin } from '../base/protocol/operation.js';
import { whenRuns } from '../base/protocol/policy-decision.js';
import type { Introduction, ToolSet } from '../base/protocol/tools.js';
import { declaredAccount } from '../catalog/account/read-only-account.js';
import { createOperations, nameOperations } from '../catalog/build-catalog.js';
import { draftGuardedCatalog, finishGuardedCatalog } from '../catalog/build-guarded-catalog.js';
import { type Catalog, findOperation, type WholeCatalog } from '../catalog/catalog.js';
import { buildEndpointPlan, type EndpointPlan } from '../catalog/endpoint/endpoint-plan.js';
import { ToolRecords } from '../catalog/integrity/tool-record.js';
import type { NameHolders } from '../catalog/names.js';
import { prepareTool } from '../catalog/prepare-tools.js';
import { OperationSearch } from '../catalog/search/search.js';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import type { KnownOperations } from '../policy/safety/hints.js';
import { handleGone } from '../results/errors.js';
import { passResults, type ResultService, type StoredPart } from '../results/query/result-types.js';
import { readStoredPart } from '../results/stored/read-part.js';
import { EVERYBODY, type Reader } from '../upstream/readers.js';
import { createIntrospection, type IntrospectionPolicy } from './builtin/introspect/handler.js';
import { introspectOperation } from './builtin/introspect/operation.js';
import { handleOf } from './builtin/introspect/parse-query.js';
import { type Purpose, readSaying } from './builtin/introspect/server-map.js';
import { Usage } from './builtin/introspect/usage.js';
import type { Handlers, Runners } from './handlers.js';
import type { OwnOperation, Shown } from './module.js';
import { explainUnknown } from './pipeline/not-found.js';
import { tellNotHere } from './pipeline/not-here.js';
import type { Connections, Snapshot } from './pipeline/snapshot.js';
import { narrowTo } from './primitives/operations.js';
import type { PrimitiveOperations } from './primitives/primitives.js';
import type { Safety } from './safety.js';

/** What a snapshot knows of executions. */
export interface SnapshotExecutions {
  /** The origin of what an execution keeps. */
  originOf(id: string): string | undefined | Promise<string | undefined>;
}

interface SnapshotInput {
  readonly config: Pick<GatewayConfig, 'upstreams' | 'pins' | 'endpoint' | 'limits' | 'lock' | 'safetyLoop'>;
  readonly toolSets: readonly ToolSet[];
  /** The records of their tools, which go on from one snapshot to the next; new ones where absent. */
  readonly records?: ToolRecords;
  /** The first tool list of each upstream, by slug; absent where the lists were captured at one moment. */
  readonly firstToolSets?: ReadonlyMap<string, ToolSet>;
  readonly policy: IntrospectionPolicy;
  /** The controls of answers; none where absent. */
  readonly results?: Pick<ResultService, 'controlsOf' | 'storedPart' | 'originOf' | 'bring'>;
  /** Reads a part of a stored result; at once where absent. */
  readonly readPart?: (part: StoredPart) => string | Promise<string>;
  /** What runs operations. */
  readonly handlers: Pick<Handlers, 'over'>;
  /** Who held which bare name before. */
  readonly holders?: NameHolders;
  /** The upstreams, by slug, that new names wait for. */
  readonly awaited?: readonly string[];
  /** By whose eyes it is seen what is connected, and what upstreams have beside tools; everybody's where absent. */
  readonly reader?: Reader;
  /** What is connected; everything counts as connected where absent. */
  readonly connections?: Connections;
  /** What upstreams have beside tools; nothing where absent. */
  readonly primitives?: SnapshotPrimitives;
  /** Whose executions are; absent where there are none. */
  readonly executions?: SnapshotExecutions | undefined;
  /** The built-in operations that are switched on, besides `introspect`; none where absent. */
  readonly own?: (shown: Shown) => readonly OwnOperation[];
  /** What finds operations by free text, which goes on from one snapshot to the next; a new one where absent. */
  readonly search?: OperationSearch;
  /** What is called most; nothing where absent. */
  readonly usage?: Usage;
  /** The safety loop; absent where it is disabled. */
  readonly safety?: Pick<Safety, 'operations' | 'handlersOver'>;
  /** What is known of the account behind a server's connection; its operator's word where absent. */
  readonly accountOf?: (upstream: UpstreamConfig) => ReadOnlyAccount | undefined;
  /** Classify without the upstreams' annotations. */
  readonly ignoreAnnotations?: boolean;
}

const NO_TOOL_SETS: ReadonlyMap<string, ToolSet> = new Map();

/** A snapshot that is no view of another. */
export interface WholeSnapshot extends Snapshot {
  readonly catalog: WholeCatalog;
  /** By whose eyes it is. */
  readonly reader: Reader;
  /** What it was built from. */
  readonly toolSets: readonly ToolSet[];
  readonly records: ToolRecords;
}

/** Builds the immutable state that follows from the upstreams' tool lists; called on each change. */
export function buildSnapshot(given: SnapshotInput): WholeSnapshot {
  const input = withRecords(given);
  const draft = draftSnapshot(input);
  const catalog = finishGuardedCatalog(draft, nameOperations(draft));
  return finishSnapshot(input, catalog, planOf(input, catalog));
}

/**
 * The same while calls go on: a server may list thousands of tools. There are pauses between the tools, between the operations that are
 * created and judged and between the definitions that are written; what lies between looks those up.
 */
export async function rebuildSnapshot(given: SnapshotInput): Promise<WholeSnapshot> {
  const input = withRecords(given);
  const pauses = new Pauses();
  const { records } = input;
  for (const { upstream, tools } of input.toolSets) {
    const config = input.config.upstreams.find(({ slug }) => slug === upstream);
    for (const tool of tools.filter(isJsonObject)) {
      prepareTool(records.of(tool), config);
      await pauses.due();
    }
  }
  await pauses.now();
  const draft = draftSnapshot(input);
  await pauses.now();
  const named = nameOperations(draft);
  await createOperations(named);
  await pauses.now();
  const catalog = finishGuardedCatalog(draft, named);
  const isRefused = refusedBy(input.policy);
  for (const operation of catalog.operations) {
    isRefused(operation);
    await pauses.due();
  }
  await pauses.now();
  const plan = planOf(input, catalog);
  for (const tool of plan.passthrough) {
    void tool.json;
    await pauses.due();
  }
  return finishSnapshot(input, catalog, plan);
}

/** The same catalog by another reader's eyes. */
export function readBy(
  input: Omit<SnapshotInput, 'toolSets'>,
  { catalog, plan, toolSets, records }: WholeSnapshot,
): WholeSnapshot {
  return finishSnapshot({ ...input, toolSets, records }, catalog, plan);
}

type RecordedInput = SnapshotInput & Required<Pick<SnapshotInput, 'records'>>;

function withRecords(input: SnapshotInput): RecordedInput {
  return { ...input, records: input.records ?? new ToolRecords() };
}

function draftSnapshot(input: RecordedInput): ReturnType<typeof draftGuardedCatalog> {
  const { toolSets, config, records, ignoreAnnotations, firstToolSets = NO_TOOL_SETS, primitives } = input;
  const { accountOf = declaredAccount } = input;
  return draftGuardedCatalog({
    toolSets,
    upstreams: config.upstreams.map((upstream) => ({ ...upstream, account: accountOf(upstream) })),
    builtins: listBuiltins(ownOfAll(input), primitives, input.safety),
    pins: config.pins,
    lock: config.lock.content,
    firstToolSets,
    records,
    holders: input.holders,
    awaited: input.awaited,
    ignoreAnnotations: ignoreAnnotations ?? false,
  });
}

function planOf({ config, toolSets, records, policy }: RecordedInput, catalog: WholeCatalog): EndpointPlan {
  const servers = listEnabled(config.upstreams);
  return buildEndpointPlan(catalog, config.endpoint, { servers, toolSets, records, isRefused: refusedBy(policy) });
}

/** Whether policy refuses an operation whatever its parameters are and whoever calls it. */
export function refusedBy({ staticDecision }: Pick<IntrospectionPolicy, 'staticDecision'>) {
  return (operation: Operation): boolean => {
    const { effect, conditional } = staticDecision(operation);
    return whenRuns(effect) === 'never' && !conditional;
  };
}

function ownOfAll(input: SnapshotInput): readonly OwnOperation[] {
  return input.own?.({ upstreams: input.config.upstreams, has: () => true }) ?? [];
}

function finishSnapshot(input: RecordedInput, catalog: WholeCatalog, plan: EndpointPlan): WholeSnapshot {
  const { toolSets, records, handlers, primitives, reader = EVERYBODY } = input;
  const runnersOver = (handlerOfOwn: OwnHandlers) => handlers.over(catalog, handlerOfOwn);
  const parts = {
    plan,
    own: ownOfAll(input),
    toolSets,
    runnersOver,
    primitives,
  };
  return { ...openSnapshot(input, catalog, parts), catalog, toolSets, records, reader };
}

/** The gateway's own operations. */
export function listBuiltins(
  own: readonly OwnOperation[],
  primitives: Pick<PrimitiveOperations, 'operations'> | undefined,
  safety: Pick<Safety, 'operations'> | undefined,
): readonly Operation[] {
  return [
    introspectOperation,
    ...own.map(({ operation }) => operation),
    ...(safety?.operations ?? []),
    ...(primitives?.operations() ?? []),
  ];
}

type OwnHandlers = (operation: Operation) => OperationHandler;

interface SnapshotParts {
  readonly plan: EndpointPlan;
  /** The gateway's own operations, with what runs them. */
  readonly own: readonly OwnOperation[];
  /** What the catalog was built from. */
  readonly toolSets: readonly ToolSet[];
  readonly primitives?: SnapshotPrimitives | undefined;
  /** What runs operations, with these handlers for the gateway's own. */
  readonly runnersOver: (own: OwnHandlers) => Runners;
}

type SnapshotPrimitives = Pick<
  PrimitiveOperations,
  'operations' | 'handlerOf' | 'prepare' | 'narrow' | 'countsOf' | 'readCounts'
>;

/** What of the input a snapshot needs beside its catalog and plan. */
export type SnapshotServices = Pick<
  SnapshotInput,
  'config' | 'policy' | 'results' | 'readPart' | 'connections' | 'search' | 'usage' | 'executions' | 'own' | 'safety'
>;

/** Opens a catalog as one plan shows it. */
export function openSnapshot(input: SnapshotServices, catalog: Catalog, parts: SnapshotParts): Snapshot {
  const {
    config,
    policy,
    connections = ALL_CONNECTED,
    readPart = readStoredPart,
    search = new OperationSearch(),
  } = input;
  const { controlsOf, storedPart, originOf, bring } = input.results ?? passResults;
  const { plan, own, primitives, runnersOver } = parts;
  const isReachable = (origin: string): boolean =>
    splitOrigin(origin).every((each) => {
      const used = usesOf(each, catalog);
      return used.length > 0 && used.every(snapshot.isCallable);
    });
  const introspect = createIntrospection({
    catalog,
    plan,
    limits: config.limits,
    policy,
    search,
    controlsOf,
    readStored(request, caller) {
      const origin = originOf(request.handle, caller);
      if (origin !== undefined && !isReachable(origin)) throw handleGone(request.handle);
      return readPart(storedPart(request, caller));
    },
    hasRelations: own.some(({ operation }) => operation.relationships !== undefined),
    hasExecutions: input.executions !== undefined,
    safetyMode: config.safetyLoop.mode,
    absenceOf: connections.absenceOf,
    purposeOf: readPurposes(config.upstreams, connections),
    introductionOf: connections.introductionOf,
    definitionOf: ({ upstream, tool }) =>
      parts.toolSets.find((set) => set.upstream === upstream)?.tools.find((each) => each?.['name'] === tool),
    ...(primitives === undefined ? {} : { countsOf: primitives.countsOf, readCounts: primitives.readCounts }),
    usage: input.usage ?? new Usage(),
    tellNotHere: () => tellNotHere(snapshot),
    explainUnknown: (name) => explainUnknown(name, snapshot),
  });
  const known: KnownOperations = {
    find: (name) => catalog.find(name),
    async search(text) {
      const { hits, noFit } = await search.find(catalog, text);
      return noFit === undefined ? hits.map(({ operation }) => operation) : [];
    },
  };
  const ownHandlers = new Map([
    ...own.map(({ operation, handle }): readonly [string, OperationHandler] => [
      operation.name,
      (call) => handle(call, isReachable),
    ]),
    ...(input.safety?.handlersOver(known) ?? []),
  ]);
  const operationsOf = (origin: string | undefined): readonly Operation[] =>
    origin === undefined ? [] : splitOrigin(origin).flatMap((each) => usesOf(each, catalog).slice(0, 1));
  const snapshot: Snapshot = {
    catalog,
    plan,
    search: async (text, limit) => {
      const { hits, noFit } = await search.find(catalog, text);
      return {
        hits: hits.slice(0, limit),
        ...(noFit !== undefined && { noFit: `${noFit} ${tellNotHere(snapshot)}`.trimEnd() }),
      };
    },
    ...runnersOver((operation) => primitives?.handlerOf(operation) ?? ownHandlers.get(operation.name) ?? introspect),
    async partsOf({ operation, arguments: args }, caller) {
      const { execution_id: execution } = args;
      if (typeof execution === 'string') return operationsOf(await input.executions?.originOf(execution));
      const handle = operation.qualifiedName === introspectOperation.qualifiedName ? handleOf(args) : undefined;
      if (handle === undefined) return [];
      await bring(handle, caller);
      return operationsOf(originOf(handle, caller));
    },
    operationsOf,
    isReachable,
    isCallable: (operation) => whenRuns(policy.staticDecision(operation).effect) !== 'never',
    targets: primitives,
    connections,
  };
  return snapshot;
}

/**
 * The operation that gave an answer, as it was used for each upstream whose things are in it, and those that it calls itself; none where
 * one of them is gone.
 */
function usesOf(origin: string, catalog: Catalog): readonly Operation[] {
  const { name, upstreams } = readOrigin(origin);
  const operation = catalog.find(name);
  if (operation === undefined || !upstreams.every((slug) => catalog.upstreams.includes(slug))) return [];
  if (upstreams.length > 0) return upstreams.map((slug) => narrowTo(operation, slug));
  const called = [operation.merge?.read, operation.lifecycle?.poll].filter((each) => each !== undefined);
  const found = called.flatMap((each) => findOperation(catalog, operation.upstream, each) ?? []);
  return found.length === called.length ? [operation, ...found] : [];
}

export function listEnabled(upstreams: GatewayConfig['upstreams']): readonly string[] {
  return upstreams.filter(({ disabled }) => !disabled).map(({ slug }) => slug);
}

const ALL_CONNECTED: Connections = {
  absenceOf: () => undefined,
  unreadOf: () => undefined,
  introductionOf: () => undefined,
  retryNow: () => undefined,
};

/** What each upstream is for: as the operator says, else as the server says itself where it is vouched for. */
function readPurposes(
  upstreams: GatewayConfig['upstreams'],
  { introductionOf }: Connections,
): (slug: string) => Purpose | undefined {
  const bySlug = new Map(upstreams.map((upstream) => [upstream.slug, upstream]));
  const sayings = new Map<Introduction, string | undefined>();
  return (slug) => {
    const upstream = bySlug.get(slug);
    if (upstream?.description !== undefined) return { text: upstream.description, from: 'operator' };
    const introduction = introductionOf(slug);
    if (introduction === undefined) return undefined;
    const { description, instructions, title } = introduction;
    if (!sayings.has(introduction)) sayings.set(introduction, readSaying(slug, description ?? instructions ?? title));
    const saying = sayings.get(introduction);
    return saying === undefined ? undefined : { text: saying, from: 'server' };
  };
}
