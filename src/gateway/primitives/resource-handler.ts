import { exactTextOf, replaceInItems, withExactText } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { OperationHandler } from '../../base/protocol/call.js';
import { extensionOf, SKILLS_EXTENSION } from '../../base/protocol/extensions.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { qualifyUri } from '../../base/protocol/qualified-names.js';
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
    const upstream = upstreams.get(operation.upstream);
    const owner = upstream?.ownerOf(caller);
    const capabilities = upstream?.capabilities(owner);
    const resource = { upstream: operation.upstream, id, owner };
    if (native?.method === 'resources/subscribe') {
      if (!isOn(capabilities?.['resources'], 'subscribe'))
        throw lacking(operation.upstream, 'does not tell of changes of its resources. Read the resource again instead');
      await subscriptions.subscribe(subscriber, resource, asked);
      // Its session may have ended meanwhile.
      if (cancellation.cancelled) await subscriptions.unsubscribe(subscriber, resource);
      return { native: {} };
    }
    if (native?.method === 'resources/unsubscribe') {
      await subscriptions.unsubscribe(subscriber, resource);
      return { native: {} };
    }
    const about = { type: 'resource', id } as const;
    if (native !== undefined && native.method !== 'resources/read') {
      const isDirectory = native.method === 'resources/directory/read';
      if (isDirectory && !isOn(extensionOf(capabilities, SKILLS_EXTENSION), 'directoryRead'))
        throw lacking(operation.upstream, "lists no directories. 'skills/get' names the files of a skill");
      const { cursor } = native.params;
      const params = { uri: id, ...(cursor !== undefined && { cursor }) };
      const answer = await askUpstream(upstreams, call, native.method, params, about);
      return { native: asked === id ? answer : nameResources(answer, operation.upstream) };
    }
    const sent = await askUpstream(upstreams, call, 'resources/read', { uri: id }, about);
    links.noteBlocks(operation.upstream, caller, sent['contents']);
    const result = await withAskedUri(sent, id, asked);
    if (native !== undefined) return { native: result };
    return { toolResult: await handOver(await toResourceResult(result), call) };
  };
}

/** A skill, or an answer with one or with a directory, whose resources are named with their server. */
export function nameResources(value: JsonObject, upstream: string): JsonObject {
  const { uri, skill, resources } = value;
  const name = (each: unknown): unknown => (isJsonObject(each) ? nameResources(each, upstream) : each);
  return {
    ...value,
    ...(typeof uri === 'string' && { uri: qualifyUri({ upstream, id: uri }) }),
    ...(skill !== undefined && { skill: name(skill) }),
    ...(Array.isArray(resources) && { resources: resources.map(name) }),
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

function lacking(upstream: string, words: string): OperationError {
  const details = { param_name: 'uri', constraint: 'a resource whose server can' };
  return new OperationError('VALIDATION_INVALID_VALUE', `The server '${upstream}' ${words}`, details);
}

function isOn(capability: unknown, flag: string): boolean {
  return isJsonObject(capability) && capability[flag] === true;
}
