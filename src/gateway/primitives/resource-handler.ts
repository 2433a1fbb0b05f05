import { exactTextOf, replaceInItems, withExactText } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { OperationHandler } from '../../base/protocol/call.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { askUpstream } from './ask-upstream.js';
import { textOf } from './operations.js';
import type { Upstreams } from './primitive-lists.js';
import type { ResourceLinks } from './resource-links.js';
import type { ResourceSubscriptions } from './resource-subscriptions.js';
import { handOver, toResourceResult } from './shape-contents.js';

interface ResourceHandlerDeps {
  readonly upstreams: Upstreams;
  readonly links: Pick<ResourceLinks, 'noteBlocks'>;
  readonly subscriptions: ResourceSubscriptions;
}

/** Reads a resource, subscribes to it and ends a subscription. */
export function createResourceHandler({ upstreams, links, subscriptions }: ResourceHandlerDeps): OperationHandler {
  return async (call) => {
    const { native, operation, caller, cancellation } = call;
    const id = textOf(call.arguments['uri']) ?? '';
    const asked = textOf(native?.params['uri']) ?? id;
    const subscriber = native?.subscriber ?? caller.sessionId;
    const owner = upstreams.get(operation.upstream)?.ownerOf(caller);
    const resource = { upstream: operation.upstream, id, owner };
    if (native?.method === 'resources/subscribe') {
      requireSubscribable(operation.upstream, upstreams.get(operation.upstream)?.capabilities(owner));
      await subscriptions.subscribe(subscriber, resource, asked);
      // Its session may have ended meanwhile.
      if (cancellation.cancelled) await subscriptions.unsubscribe(subscriber, resource);
      return { native: {} };
    }
    if (native?.method === 'resources/unsubscribe') {
      await subscriptions.unsubscribe(subscriber, resource);
      return { native: {} };
    }
    const sent = await askUpstream(upstreams, call, 'resources/read', { uri: id }, { type: 'resource', id });
    links.noteBlocks(operation.upstream, caller, sent['contents']);
    const result = await withAskedUri(sent, id, asked);
    if (native !== undefined) return { native: result };
    return { toolResult: await handOver(await toResourceResult(result), call) };
  };
}

/** The contents under the URI that was asked for, where that is not the upstream's own. */
async function withAskedUri(result: JsonObject, id: string, asked: string): Promise<JsonObject> {
  const { contents } = result;
  if (asked === id || !Array.isArray(contents)) return result;
  const renamed = contents.map((each: unknown) =>
    isJsonObject(each) && each['uri'] === id ? { ...each, uri: asked } : each,
  );
  const exact = exactTextOf(result, 'contents');
  if (exact === undefined) return { ...result, contents: renamed };
  const text = replaceInItems(exact, { name: 'uri', held: id, given: asked });
  return withExactText({ ...result, contents: renamed }, 'contents', text);
}

function requireSubscribable(upstream: string, capabilities: JsonObject | undefined): void {
  const resources = capabilities?.['resources'];
  if (isJsonObject(resources) && resources['subscribe'] === true) return;
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    `The server '${upstream}' does not tell of changes of its resources. Read the resource again instead`,
    { param_name: 'uri', constraint: 'a resource of a server with subscriptions' },
  );
}
