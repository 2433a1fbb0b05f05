import type { Catalog } from '../catalog/catalog.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import { type CacheInterceptor, createCacheInterceptor } from '../interceptor/cache.js';
import { createMergeInterceptor } from '../interceptor/merge-update.js';
import { createFailureReader } from '../pipeline/shape.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { PolicyService } from '../policy/policy.js';
import type { OperationHandler } from '../protocol/call.js';
import type { WordsMode } from '../protocol/clean-words.js';
import { type Operation, QUALIFIER } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { resourceOf } from '../protocol/upstream-failure.js';
import type { UpstreamPool } from '../upstream/upstream-pool.js';
import { createGovernedRead } from './governed-read.js';

/**
 * Upstream tools as handlers inside the interceptors that curation configures: a cache, and updates that merge. The reads of
 * a merging update must bypass the cache, so the cache is the outermost interceptor.
 */
export function createUpstreamHandler(
  { cache, errors }: Pick<GatewayConfig, 'cache' | 'errors'>,
  find: UpstreamPool['get'],
  snapshotOf: () => Snapshot,
  policy: Pick<PolicyService, 'gatekeeper' | 'quota' | 'recordCall'>,
  requireCurrent: (operation: Operation) => void,
): CacheInterceptor {
  const inner = createCaller(find, requireCurrent, policy.quota, errors.upstreamWords);
  const merging = createMergeInterceptor({
    inner,
    read: createGovernedRead(inner, policy),
    findOperation: (upstream, name) => findOperation(snapshotOf().catalog, upstream, name),
    resourcePathOf: (read) => resourcePathsOf(snapshotOf().catalog).get(read.qualifiedName),
    explainFailure: createFailureReader(errors.upstreamWords),
  });
  return createCacheInterceptor({ inner: merging, maxBytes: cache.maxBytes });
}

/**
 * Calls the operation's tool on its upstream. A call may have waited for a person, its turn or the connection, so the
 * definition is compared again before it is sent.
 */
function createCaller(
  find: UpstreamPool['get'],
  requireCurrent: (operation: Operation) => void,
  quota: Pick<PolicyService['quota'], 'chargeRepeat'>,
  words: WordsMode,
): OperationHandler {
  return async ({ operation, arguments: args, caller, cancellation, onProgress }) => {
    const upstream = find(operation.upstream);
    if (upstream === undefined) {
      const message = `The server '${operation.upstream}' is not connected`;
      throw new OperationError('INTERNAL_ERROR', message, { upstream: operation.upstream, retryable: true });
    }
    const toolResult = await upstream.call({
      tool: operation.tool,
      arguments: args,
      retryable: operation.retryable,
      cancellation,
      beforeSend: () => requireCurrent(operation),
      mayRepeat: () => quota.chargeRepeat(operation, caller),
      words,
      resource: resourceOf(operation, args),
      ...(operation.timeoutMs === undefined ? {} : { timeoutMs: operation.timeoutMs }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    return { toolResult };
  };
}

/**
 * An upstream's operation by a name from the configuration: its qualified name, its name within the upstream, or the name of
 * its tool. Undefined where there is none, and where the tool is offered in several parts.
 */
export function findOperation({ find, operations }: Catalog, upstream: string, name: string): Operation | undefined {
  const named = [find(name), find(`${upstream}${QUALIFIER}${name}`)].find((found) => found?.upstream === upstream);
  if (named !== undefined) return named;
  const ofTool = operations.filter((operation) => operation.upstream === upstream && operation.tool === name);
  return ofTool.length === 1 ? ofTool[0] : undefined;
}

/** Catalogs never change. */
const resourcePaths = new WeakMap<Catalog, ReadonlyMap<string, string>>();

/** The READs that merging updates name, with the path of the resource; without those for which updates name several paths. */
function resourcePathsOf(catalog: Catalog): ReadonlyMap<string, string> {
  const known = resourcePaths.get(catalog);
  if (known !== undefined) return known;
  const named = catalog.operations.flatMap(({ upstream, merge }) => {
    const read = merge === undefined ? undefined : findOperation(catalog, upstream, merge.read);
    return read === undefined ? [] : [[read.qualifiedName, merge?.path ?? ''] as const];
  });
  const paths = new Map(named.filter(([read, path]) => named.every(([other, its]) => other !== read || its === path)));
  resourcePaths.set(catalog, paths);
  return paths;
}
