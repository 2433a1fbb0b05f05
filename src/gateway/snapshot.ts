import { createIntrospection, type IntrospectionPolicy } from '../builtin/introspect/handler.js';
import { introspectOperation } from '../builtin/introspect/operation.js';
import { handleOf } from '../builtin/introspect/parse-query.js';
import { type Purpose, readSaying } from '../builtin/introspect/server-map.js';
import { Usage } from '../builtin/introspect/usage.js';
import { listRelationSources } from '../builtin/relationships/graph.js';
import { createRelationshipsHandler } from '../builtin/relationships/handler.js';
import { createRelationshipsOperation } from '../builtin/relationships/operation.js';
import { buildGuardedCatalogInSlices } from '../catalog/integrity/build-guarded-catalog.js';
import type { NameHolders } from '../catalog/names.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { buildEndpointPlanInSlices } from '../endpoint/endpoint-plan.js';
import { runAtOnce, type Sliced } from '../lib/turns.js';
import { unknownOperation } from '../pipeline/not-found.js';
import type { Connections, Snapshot } from '../pipeline/snapshot.js';
import type { Primitives } from '../primitives/primitives.js';
import type { OperationHandler } from '../protocol/call.js';
import type { Operation } from '../protocol/operation.js';
import type { Introduction, ToolSet } from '../protocol/tools.js';
import { passResults, type ResultService, type StoredPart } from '../results/result-types.js';
import { readStoredPart } from '../results/stored/read-part.js';
import { searchOperations } from '../search/search.js';
import type { Handlers } from './handlers.js';

interface SnapshotInput {
  readonly config: Pick<GatewayConfig, 'upstreams' | 'pins' | 'endpoint' | 'limits' | 'lock'>;
  readonly toolSets: Iterable<ToolSet>;
  /** The first tool list of each upstream, by slug; absent where the lists were captured at one moment. */
  readonly firstToolSets?: ReadonlyMap<string, ToolSet>;
  readonly policy: IntrospectionPolicy;
  /** The controls of answers; none where absent. */
  readonly results?: Pick<ResultService, 'controlsOf' | 'storedPart' | 'operationOf'>;
  /** Reads a part of a stored result; at once where absent. */
  readonly readPart?: (part: StoredPart) => string | Promise<string>;
  /** What runs operations. */
  readonly handlers: Pick<Handlers, 'over'>;
  /** Who held which bare name before. */
  readonly holders?: NameHolders;
  /** The upstreams, by slug, that new names wait for. */
  readonly awaited?: readonly string[];
  /** What is connected; everything counts as connected where absent. */
  readonly connections?: Connections;
  /** What upstreams have beside tools; nothing where absent. */
  readonly primitives?: Pick<Primitives, 'operations' | 'handlerOf' | 'prepare' | 'narrow' | 'countsOf' | 'readCounts'>;
  /** What is called most; nothing where absent. */
  readonly usage?: Usage;
  /** Classify without the upstreams' annotations. */
  readonly ignoreAnnotations?: boolean;
}

const NO_TOOL_SETS: ReadonlyMap<string, ToolSet> = new Map();

/** Builds the immutable state that follows from the upstreams' tool lists; called on each change. */
export function buildSnapshot(input: SnapshotInput): Snapshot {
  return runAtOnce(buildSnapshotInSlices(input));
}

/** The same, in slices. */
export function* buildSnapshotInSlices(input: SnapshotInput): Sliced<Snapshot> {
  const toolSets = [...input.toolSets];
  const { config, policy, handlers, ignoreAnnotations, firstToolSets = NO_TOOL_SETS } = input;
  const { controlsOf, storedPart, operationOf } = input.results ?? passResults;
  const { connections = ALL_CONNECTED, readPart = readStoredPart } = input;
  const { primitives } = input;
  const relations = openRelations(input);
  const catalog = yield* buildGuardedCatalogInSlices({
    toolSets,
    upstreams: config.upstreams,
    builtins: [
      introspectOperation,
      ...relations.map(({ operation }) => operation),
      ...(primitives?.operations() ?? []),
    ],
    pins: config.pins,
    lock: config.lock.content,
    firstToolSets,
    ...(input.holders === undefined ? {} : { holders: input.holders }),
    ...(input.awaited === undefined ? {} : { awaited: input.awaited }),
    ignoreAnnotations: ignoreAnnotations ?? false,
  });
  const plan = yield* buildEndpointPlanInSlices(catalog, config.endpoint, listEnabled(config.upstreams), toolSets);
  yield;
  const introspect = createIntrospection({
    catalog,
    plan,
    limits: config.limits,
    policy,
    controlsOf,
    readStored: (request, caller) => readPart(storedPart(request, caller)),
    hasRelations: relations.length > 0,
    absenceOf: connections.absenceOf,
    purposeOf: readPurposes(config.upstreams, connections),
    introductionOf: connections.introductionOf,
    definitionOf: ({ upstream, tool }) =>
      toolSets.find((set) => set.upstream === upstream)?.tools.find((each) => each?.['name'] === tool),
    ...(primitives === undefined ? {} : { countsOf: primitives.countsOf, readCounts: primitives.readCounts }),
    usage: input.usage ?? new Usage(),
    explainUnknown: async (name) => (await unknownOperation(name, {}, snapshot)).message,
  });
  yield;
  const ownHandlers = new Map(relations.map(({ operation, handle }) => [operation.name, handle]));
  const snapshot: Snapshot = {
    catalog,
    plan,
    search: async (text, limit) => {
      const answer = await searchOperations(catalog, text);
      return { ...answer, hits: answer.hits.slice(0, limit) };
    },
    handlerOf: handlers.over(
      catalog,
      (operation) => primitives?.handlerOf(operation) ?? ownHandlers.get(operation.name) ?? introspect,
    ),
    partOf({ operation, arguments: args }, caller) {
      if (operation.qualifiedName !== introspectOperation.qualifiedName) return undefined;
      const handle = handleOf(args);
      const name = handle === undefined ? undefined : operationOf(handle, caller);
      return name === undefined ? undefined : catalog.find(name);
    },
    isCallable: (operation) => policy.staticDecision(operation).effect !== 'deny',
    ...(primitives === undefined ? {} : { targets: primitives }),
    connections,
  };
  return snapshot;
}

function listEnabled(upstreams: GatewayConfig['upstreams']): readonly string[] {
  return upstreams.filter(({ disabled }) => !disabled).map(({ slug }) => slug);
}

const ALL_CONNECTED: Connections = {
  absenceOf: () => undefined,
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

/** The operation that follows configured relations; none where no relations are configured. */
function openRelations({ config }: SnapshotInput): readonly OwnOperation[] {
  const sources = listRelationSources(config.upstreams);
  const operation = createRelationshipsOperation(sources);
  if (operation === undefined) return [];
  return [{ operation, handle: createRelationshipsHandler(sources) }];
}

/** A built-in operation besides `introspect`. */
interface OwnOperation {
  readonly operation: Operation;
  readonly handle: OperationHandler;
}
