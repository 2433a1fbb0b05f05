import { isJsonObject } from '../base/json/json.js';
import type { Caller, OperationHandler } from '../base/protocol/call.js';
import type { WordsMode } from '../base/protocol/clean-words.js';
import { GATEWAY_SOURCE, type Operation } from '../base/protocol/operation.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { ToolCallResult, Warning } from '../base/protocol/result.js';
import { withContext } from '../base/protocol/trace-context.js';
import { resourceOf } from '../base/protocol/upstream-failure.js';
import { type Catalog, findOperation } from '../catalog/catalog.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { PolicyService } from '../policy/policy.js';
import type { StateLoss, Upstream } from '../upstream/upstream.js';
import { createCacheInterceptor } from './interceptor/cache.js';
import { createMergeInterceptor, type PreviewUpdate } from './interceptor/merge-update.js';
import { createFailureReader } from './pipeline/read-tool-failure.js';
import type { ResourceLinks } from './primitives/resource-links.js';

/** What runs the operations of one catalog. */
export interface Runners {
  handlerOf(operation: Operation): OperationHandler;
  /** Reads what a call would change; undefined for an operation that does not merge. */
  previewOf(operation: Operation): PreviewUpdate | undefined;
}

/** What runs operations. */
export interface Handlers {
  /**
   * What runs each operation of a catalog: its upstream, inside the interceptors that its curation configures.
   * @param own runs the gateway's own operations
   */
  over(catalog: Catalog, own: (operation: Operation) => OperationHandler): Runners;
  /** Drops an upstream's cached answers, and caches none of the reads that run now. */
  invalidate(upstream: string): void;
}

/** By slug. */
type Upstreams = Pick<ReadonlyMap<string, Upstream>, 'get'>;

/** The reads of a merging update must bypass the cache, so the cache is the outermost interceptor. */
export function createHandlers(
  { cache: { maxBytes }, errors }: Pick<GatewayConfig, 'cache' | 'errors'>,
  upstreams: Upstreams,
  { quota }: Pick<PolicyService, 'quota'>,
  links: Pick<ResourceLinks, 'noteBlocks' | 'nameShared'>,
): Handlers {
  const send = createSender({ upstreams, links, quota, words: errors.upstreamWords });
  const ownerOf = (slug: string, caller: Caller): string | undefined => upstreams.get(slug)?.ownerOf(caller);
  const cache = createCacheInterceptor({ maxBytes, ownerOf });
  const merging = createMergeInterceptor({
    inner: send,
    read: ({ operation: { upstream, qualifiedName: name }, arguments: params, ...call }) =>
      call.host.calls.fetch(call, { kind: 'merge', upstream, name, params }),
    explainFailure: createFailureReader(errors.upstreamWords),
  });
  return {
    over(catalog, own) {
      const paths = listResourcePaths(catalog);
      const updates = merging({
        findOperation: (upstream, name) => findOperation(catalog, upstream, name),
        resourcePathOf: ({ qualifiedName }) => paths.get(qualifiedName),
      });
      const intercepted = cache.over(updates.handle);
      return {
        handlerOf(operation) {
          const { upstream, classification, cacheSeconds, qualifiedName, primitive } = operation;
          if (upstream === GATEWAY_SOURCE || primitive !== undefined) return own(operation);
          const isPlainRead = classification.category === 'READ' && cacheSeconds === undefined;
          return isPlainRead && !paths.has(qualifiedName) ? send : intercepted;
        },
        previewOf: updates.previewOf,
      };
    },
    invalidate: cache.invalidate,
  };
}

interface SenderDeps {
  readonly upstreams: Upstreams;
  readonly links: Pick<ResourceLinks, 'noteBlocks' | 'nameShared'>;
  readonly quota: Pick<PolicyService['quota'], 'chargeRepeat'>;
  readonly words: WordsMode;
}

/** Calls the operation's tool on its upstream. */
function createSender({ upstreams, links, quota, words }: SenderDeps): OperationHandler {
  return async ({
    operation,
    arguments: args,
    caller,
    cancellation,
    onProgress,
    onTask,
    ask,
    log,
    meta,
    trace,
    host,
  }) => {
    const upstream = upstreams.get(operation.upstream);
    if (upstream === undefined) {
      const message = `The server '${operation.upstream}' is not connected`;
      throw new OperationError('INTERNAL_ERROR', message, { upstream: operation.upstream, retryable: true });
    }
    const named = (result: ToolCallResult): ToolCallResult => {
      links.noteBlocks(operation.upstream, caller, result.content);
      return links.nameShared(operation.upstream, caller, result, 'content');
    };
    let loss: StateLoss | undefined;
    const traced = trace?.request('tools/call', operation.upstream, operation.tool);
    const sent = traced === undefined ? meta : withContext(meta, traced.context);
    const calling = upstream.call({
      tool: operation.tool,
      arguments: args,
      caller,
      retryable: operation.retryable,
      cancellation,
      beforeSend: () => host.requireCurrent(operation, caller),
      onStateLost: (why) => {
        loss = why;
      },
      mayRepeat: () => quota.chargeRepeat(operation, caller),
      words,
      resource: () => resourceOf(operation, args),
      timeoutMs: operation.timeoutMs,
      onProgress,
      onTask,
      ask,
      log,
      meta: sent,
    });
    const sentBack = await (traced === undefined ? calling : traced.follow(calling));
    const toolResult = 'content' in sentBack && mayLink(sentBack.content) ? named(sentBack) : sentBack;
    return loss === undefined ? { toolResult } : { toolResult, warnings: [stateLostWarning(operation.upstream, loss)] };
  };
}

/** Texts hold no links, and most answers are texts alone. */
function mayLink(content: unknown): boolean {
  return Array.isArray(content) && content.some((block: unknown) => isJsonObject(block) && block['type'] !== 'text');
}

const LOSSES: Readonly<Record<StateLoss, string>> = {
  idle: 'it had no call for too long and was ended',
  made_room: 'it had no call for a while and was ended for another session',
  restarted: 'it has ended, or the connection to it, and was started again',
};

/** The caller finds another state than its last call left, and may not see that in the answer. */
function stateLostWarning(upstream: string, loss: StateLoss): Warning {
  return {
    code: 'SESSION_STATE_LOST_WARNING',
    message: `What earlier calls left open in the server '${upstream}' is gone: ${LOSSES[loss]}. This call found a fresh state`,
    details: { upstream, reason: loss },
    severity: 'high',
  };
}

/** The READs that merging updates name, with the path of the resource; without those for which updates name several paths. */
function listResourcePaths(catalog: Catalog): ReadonlyMap<string, string> {
  const named = catalog.operations.flatMap(({ upstream, merge }) => {
    const read = merge === undefined ? undefined : findOperation(catalog, upstream, merge.read);
    return read === undefined ? [] : [[read.qualifiedName, merge?.path ?? ''] as const];
  });
  return new Map(named.filter(([read, path]) => named.every(([other, its]) => other !== read || its === path)));
}
