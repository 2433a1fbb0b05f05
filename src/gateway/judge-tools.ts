import { buildCatalogInSlices } from '../catalog/build-catalog.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { compilePlacement } from '../endpoint/place-operation.js';
import { mapInSteps, type Sliced } from '../lib/turns.js';
import { GATEWAY_SOURCE, type Operation } from '../protocol/operation.js';
import type { ToolSet } from '../protocol/tools.js';

/** An operation with its family. */
export interface JudgedOperation {
  readonly operation: Operation;
  readonly family: string;
}

/** The operations that tools make under a configuration, whether they are withheld or not. Their bare names need not be those of the whole. */
export function* judgeTools(
  { upstreams, endpoint }: Pick<GatewayConfig, 'upstreams' | 'endpoint'>,
  toolSets: readonly ToolSet[],
): Sliced<readonly JudgedOperation[]> {
  const place = compilePlacement(endpoint.profile);
  const { operations } = yield* buildCatalogInSlices({ toolSets, upstreams, builtins: [], pins: {} });
  const judged = yield* mapInSteps(operations, (operation) => ({ operation, family: place(operation).name }));
  return judged.filter(({ operation }) => operation.upstream !== GATEWAY_SOURCE);
}
