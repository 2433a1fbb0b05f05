import type { GatewayConfig } from './config/gateway-config.js';
import { type CachedHandler, createCachedHandler } from './handler/create-cached-handler.js';
import { createMergingHandler } from './handler/create-merging-handler.js';
import { findOperation } from './handler/find-operation.js';
import type { Snapshot } from './pipeline/snapshot.js';
import { fromFailedTool } from './pipeline/upstream-words.js';
import type { OperationHandler } from './protocol/handler.js';
import { OperationError } from './protocol/operation-error.js';
import type { UpstreamPool } from './upstream/upstream-pool.js';

/**
 * Upstream tools as handlers, with what curation asks for around them: answers from memory, updates that merge. Reads that
 * belong to a write look past the cache, so the cache is outermost.
 */
export function createUpstreamHandler(
  { cache }: Pick<GatewayConfig, 'cache'>,
  find: UpstreamPool['get'],
  snapshotOf: () => Snapshot,
): CachedHandler {
  const merging = createMergingHandler({
    inner: createCaller(find),
    findOperation: (upstream, name) => findOperation(snapshotOf().catalog, upstream, name),
    explainFailure: fromFailedTool,
  });
  return createCachedHandler({ inner: merging, maxBytes: cache.maxBytes });
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
