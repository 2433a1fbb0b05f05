import { createIntrospection, type IntrospectionPolicy } from '../builtin/introspect/handler.js';
import { introspectOperation } from '../builtin/introspect/operation.js';
import type { CallOperation } from '../builtin/relationships/edges.js';
import { listRelationSources } from '../builtin/relationships/graph.js';
import { createRelationshipsHandler } from '../builtin/relationships/handler.js';
import { createRelationshipsOperation } from '../builtin/relationships/operation.js';
import { buildGuardedCatalog } from '../catalog/integrity/build-guarded-catalog.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { buildEndpointPlan } from '../endpoint/endpoint-plan.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { HandlerCall, OperationHandler } from '../protocol/call.js';
import { GATEWAY_SOURCE, type Operation } from '../protocol/operation.js';
import type { ToolSet } from '../protocol/tools.js';
import { passResults, type ResultService } from '../results/result-types.js';
import { searchOperations } from '../search/search.js';

interface SnapshotInput {
  readonly config: Pick<GatewayConfig, 'upstreams' | 'pins' | 'endpoint' | 'limits' | 'lock'>;
  readonly toolSets: Iterable<ToolSet>;
  /** What each upstream, by slug, offered first; none where the lists were captured at one moment. */
  readonly firstToolSets?: ReadonlyMap<string, ToolSet>;
  readonly policy: IntrospectionPolicy;
  /** What callers may ask of answers; nothing where absent. */
  readonly results?: Pick<ResultService, 'controlsOf' | 'readStored'>;
  /** Calls operations for an operation of the gateway's own; needed where relations are configured. */
  readonly innerCalls?: (call: HandlerCall) => CallOperation;
  /** Runs an upstream's operation. */
  readonly upstreamHandler: OperationHandler;
  /** Leave the upstreams' hints out of the classification. */
  readonly ignoreAnnotations?: boolean;
}

const NO_TOOL_SETS: ReadonlyMap<string, ToolSet> = new Map();

/** Everything that follows from the upstreams' tool lists, made anew on each change and never altered. */
export function buildSnapshot(input: SnapshotInput): Snapshot {
  const { config, toolSets, policy, upstreamHandler, ignoreAnnotations, firstToolSets = NO_TOOL_SETS } = input;
  const { controlsOf, readStored } = input.results ?? passResults;
  const relations = openRelations(input);
  const catalog = buildGuardedCatalog({
    toolSets: [...toolSets],
    upstreams: config.upstreams,
    builtins: [introspectOperation, ...relations.map(({ operation }) => operation)],
    pins: config.pins,
    lock: config.lock.content,
    firstToolSets,
    ignoreAnnotations: ignoreAnnotations ?? false,
  });
  const plan = buildEndpointPlan(catalog, config.endpoint);
  const introspect = createIntrospection({
    catalog,
    plan,
    limits: config.limits,
    policy,
    controlsOf,
    readStored,
    hasRelations: relations.length > 0,
  });
  const ownHandlers = new Map(relations.map(({ operation, handle }) => [operation.name, handle]));
  return {
    catalog,
    plan,
    search: async (text, limit) => (await searchOperations(catalog, text)).slice(0, limit),
    handlerOf: (operation) =>
      operation.upstream === GATEWAY_SOURCE ? (ownHandlers.get(operation.name) ?? introspect) : upstreamHandler,
  };
}

/** The operation that follows configured relations; none where there are none. */
function openRelations({ config, innerCalls }: SnapshotInput): readonly OwnOperation[] {
  const sources = listRelationSources(config.upstreams);
  const operation = createRelationshipsOperation(sources);
  if (operation === undefined || innerCalls === undefined) return [];
  return [{ operation, handle: createRelationshipsHandler(sources, innerCalls) }];
}

/** An operation of the gateway's own beside `introspect`. */
interface OwnOperation {
  readonly operation: Operation;
  readonly handle: OperationHandler;
}
