import { buildGuardedCatalog } from './catalog/integrity/build-guarded-catalog.js';
import type { GatewayConfig } from './config/gateway-config.js';
import { buildEndpointPlan } from './endpoint/build-endpoint-plan.js';
import { createIntrospection, type IntrospectionPolicy } from './introspect/create-introspection.js';
import { introspectOperation } from './introspect/introspect-operation.js';
import { searchOperations } from './introspect/search-operations.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { OperationHandler } from './protocol/handler.js';
import { GATEWAY_SOURCE } from './protocol/operation.js';
import type { ToolSet } from './protocol/raw-tool.js';

export interface SnapshotInput {
  readonly config: Pick<GatewayConfig, 'upstreams' | 'pins' | 'endpoint' | 'limits' | 'lock'>;
  readonly toolSets: Iterable<ToolSet>;
  /** What each upstream, by slug, offered first; none where the lists were captured at one moment. */
  readonly firstToolSets?: ReadonlyMap<string, ToolSet>;
  readonly policy: IntrospectionPolicy;
  /** Runs an upstream's operation. */
  readonly upstreamHandler: OperationHandler;
  /** Leave the upstreams' hints out of the classification. */
  readonly ignoreAnnotations?: boolean;
}

const NO_TOOL_SETS: ReadonlyMap<string, ToolSet> = new Map();

/** Everything that follows from the upstreams' tool lists, made anew on each change and never altered. */
export function buildSnapshot(input: SnapshotInput): Snapshot {
  const { config, toolSets, policy, upstreamHandler, ignoreAnnotations, firstToolSets = NO_TOOL_SETS } = input;
  const catalog = buildGuardedCatalog({
    toolSets: [...toolSets],
    upstreams: config.upstreams,
    builtins: [introspectOperation],
    pins: config.pins,
    lock: config.lock.content,
    firstToolSets,
    ignoreAnnotations: ignoreAnnotations ?? false,
  });
  const plan = buildEndpointPlan(catalog, config.endpoint);
  const introspect = createIntrospection({ catalog, plan, limits: config.limits, policy });
  return {
    catalog,
    plan,
    search: async (text, limit) => (await searchOperations(catalog, text)).slice(0, limit),
    handlerOf: (operation) => (operation.upstream === GATEWAY_SOURCE ? introspect : upstreamHandler),
  };
}
