import { buildCatalog } from './catalog/build-catalog.js';
import type { GatewayConfig } from './config/gateway-config.js';
import { buildEndpointPlan } from './endpoint/build-endpoint-plan.js';
import { createIntrospection } from './introspect/create-introspection.js';
import { introspectOperation } from './introspect/introspect-operation.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { OperationHandler } from './protocol/handler.js';
import { GATEWAY_SOURCE } from './protocol/operation.js';
import type { ToolSet } from './protocol/raw-tool.js';

export interface SnapshotInput {
  readonly config: Pick<GatewayConfig, 'upstreams' | 'pins' | 'endpoint' | 'limits'>;
  readonly toolSets: Iterable<ToolSet>;
  /** Runs an upstream's operation. */
  readonly upstreamHandler: OperationHandler;
  /** Leave the upstreams' hints out of the classification. */
  readonly ignoreAnnotations?: boolean;
}

/** Everything that follows from the upstreams' tool lists, made anew on each change and never altered. */
export function buildSnapshot({ config, toolSets, upstreamHandler, ignoreAnnotations }: SnapshotInput): Snapshot {
  const catalog = buildCatalog({
    toolSets: [...toolSets],
    upstreams: config.upstreams,
    builtins: [introspectOperation],
    pins: config.pins,
    ignoreAnnotations: ignoreAnnotations ?? false,
  });
  const plan = buildEndpointPlan(catalog, config.endpoint);
  const introspect = createIntrospection({ catalog, plan, limits: config.limits });
  return {
    catalog,
    plan,
    handlerOf: (operation) => (operation.upstream === GATEWAY_SOURCE ? introspect : upstreamHandler),
  };
}
