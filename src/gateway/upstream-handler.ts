import type { Catalog } from '../catalog/catalog.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { type CacheInterceptor, createCacheInterceptor } from '../interceptor/cache.js';
import { createMergeInterceptor } from '../interceptor/merge-update.js';
import { fromFailedTool } from '../pipeline/shape.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { OperationHandler } from '../protocol/call.js';
import { type Operation, QUALIFIER } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { UpstreamPool } from '../upstream/upstream-pool.js';

/**
 * Upstream tools as handlers, with what curation asks for around them: answers from memory, updates that merge. Reads that
 * belong to a write look past the cache, so the cache is outermost.
 */
export function createUpstreamHandler(
  { cache }: Pick<GatewayConfig, 'cache'>,
  find: UpstreamPool['get'],
  snapshotOf: () => Snapshot,
): CacheInterceptor {
  const merging = createMergeInterceptor({
    inner: createCaller(find),
    findOperation: (upstream, name) => findOperation(snapshotOf().catalog, upstream, name),
    explainFailure: fromFailedTool,
  });
  return createCacheInterceptor({ inner: merging, maxBytes: cache.maxBytes });
}

/** The operation says which upstream and which tool. */
function createCaller(find: UpstreamPool['get']): OperationHandler {
  return async ({ operation, arguments: args, cancellation, onProgress }) => {
    const upstream = find(operation.upstream);
    if (upstream === undefined) {
      const message = `Internal error: 'upstream ${operation.upstream} is not connected'`;
      throw new OperationError('INTERNAL_ERROR', message, { upstream: operation.upstream, retryable: true });
    }
    const toolResult = await upstream.call({
      tool: operation.tool,
      arguments: args,
      retryable: operation.retryable,
      cancellation,
      ...(operation.timeoutMs === undefined ? {} : { timeoutMs: operation.timeoutMs }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    return { toolResult };
  };
}

/**
 * An upstream's operation by the name that a curation gives it: qualified, within the upstream, or its tool's own. Undefined
 * where there is none, and where a tool's name means several parts of it.
 */
export function findOperation({ find, operations }: Catalog, upstream: string, name: string): Operation | undefined {
  const named = [find(name), find(`${upstream}${QUALIFIER}${name}`)].find((found) => found?.upstream === upstream);
  if (named !== undefined) return named;
  const ofTool = operations.filter((operation) => operation.upstream === upstream && operation.tool === name);
  return ofTool.length === 1 ? ofTool[0] : undefined;
}
