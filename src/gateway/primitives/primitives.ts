import { setTimeout as delay } from 'node:timers/promises';
import { exactTextOf, replaceInItems, withExactText } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName, quoteValues } from '../../base/lib/text.js';
import type { Caller, HandlerCall, HandlerOutcome, OperationHandler } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation, type Primitive } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Warning } from '../../base/protocol/result.js';
import type { ToolSet } from '../../base/protocol/tools.js';
import { withContext } from '../../base/protocol/trace-context.js';
import { inTime, mapInSteps, runInSlices } from '../../base/turns/turns.js';
import {
  type DefinitionGuard,
  type DefinitionKind,
  definePrompt,
  defineTemplate,
} from '../../catalog/integrity/definition-guard.js';
import type { ListKind } from '../../upstream/upstream.js';
import { type ListedEntry, takePage } from './list-page.js';
import {
  complete,
  getPrompt,
  listPrimitiveOperations,
  listPrompts,
  listResources,
  narrowTo,
  readResource,
} from './operations.js';
import { Owners } from './owners.js';
import {
  type KnownLists,
  keyOf,
  LIST_NAMES,
  type ListName,
  listsOf,
  memberOf,
  PrimitiveLists,
  type Upstreams,
} from './primitive-lists.js';
import type { Owned } from './qualified-names.js';
import { MOST_BLOCKS, type ResourceLinks } from './resource-links.js';
import { ResourceSubscriptions, type UpdateListener } from './resource-subscriptions.js';
import { handOver, toPromptResult, toResourceResult } from './shape-contents.js';

interface PrimitivesDeps {
  /** By slug, in the order of the configuration. */
  readonly upstreams: Upstreams;
  /** Whether policy lets this call run without a question. */
  readonly isAllowed: (operation: Operation, args: JsonObject, caller: Caller) => boolean;
  readonly onDiagnostic: (upstream: string, message: string) => void;
  readonly onListChanged: (kind: ListKind, upstream: string) => void;
  /** The links that upstreams have given; takes those of resources and prompts. */
  readonly links: Pick<ResourceLinks, 'linkersOf' | 'noteBlocks'>;
  readonly onResourceUpdated: UpdateListener;
  /** Compares definitions with what was accepted. */
  readonly guard: Pick<DefinitionGuard, 'checkInSlices' | 'quarantines'>;
  /** What is listed for the map; nothing of the others. */
  readonly isCounted: (upstream: string) => boolean;
}

/** Resources, prompts and completions of upstreams: the gateway's operations for them, and what runs these. */
export interface PrimitiveOperations {
  /** The operations of what some upstream has. */
  operations(): readonly Operation[];
  handlerOf(operation: Operation): OperationHandler | undefined;
  /** Whether some upstream declares a capability, or a switch of it. */
  offers(capability: Primitive, flag?: string): boolean;
  /** Gets what `narrow` needs to know of a call; undefined where nothing has to be waited for. */
  prepare(operation: Operation, params: JsonObject): Promise<void> | undefined;
  /**
   * The operation with the upstream that the call is about, and the arguments with the URI or name as that upstream has it. Throws an
   * `OperationError` where the upstream is not clear.
   */
  narrow(
    operation: Operation,
    args: JsonObject,
    caller: Caller,
  ): { readonly operation: Operation; readonly arguments: JsonObject };
  /** How many of each an upstream has, as far as its lists are known; absent where none. */
  countsOf(upstream: string): { readonly resources?: number; readonly templates?: number; readonly prompts?: number };
  /** Reads the lists that are counted, waiting for a second at most; undefined where they are known. */
  readCounts(): Promise<void> | undefined;
}

/** The same of all upstreams. */
export interface Primitives extends PrimitiveOperations {
  /** The same of some upstreams, as if there were no others. URIs and names are as in the whole. */
  within(has: (upstream: string) => boolean): PrimitiveOperations;
  /** The prompts and templates of all upstreams, in the form in which the lock has them; several sets of one upstream. */
  definitions(): Promise<readonly ToolSet[]>;
  /** The kinds of definitions of an upstream that could not be read. */
  unreadKinds(upstream: string): readonly DefinitionKind[];
  /** An upstream has connected, or says that a list has changed. */
  noteChange(upstream: string, kind?: ListKind): void;
  /** An upstream is not configured any more. */
  forget(upstream: string): void;
  /** @param owner whose resource it is, where callers have resources of their own */
  noteUpdate(upstream: string, uri: string, owner: string | undefined): void;
  /** A session or a stream of subscriptions has ended. */
  endSubscriber(subscriber: string): void;
}

export function createPrimitives(deps: PrimitivesDeps): Primitives {
  const { upstreams, links, guard } = deps;
  const lists = new PrimitiveLists({
    upstreams,
    guard,
    onDiagnostic: deps.onDiagnostic,
    onChanged: deps.onListChanged,
  });
  const configured = (): readonly string[] => [...upstreams.keys()];
  const linkersOf = (uri: string, caller: Caller): readonly string[] => links.linkersOf(uri, caller);
  const owners = new Owners({ lists, configured, linkersOf });
  const subscriptions = new ResourceSubscriptions(upstreams, deps.onResourceUpdated);
  const show = (list: ListName, owned: Owned): string => owners.show(list, owned);
  return {
    ...createOperations({ ...deps, lists, owners, show, subscriptions }),
    within(has) {
      const own = listsOf(lists, has);
      const known = {
        lists: own,
        configured: () => configured().filter(has),
        linkersOf: (uri: string, caller: Caller) => linkersOf(uri, caller).filter(has),
      };
      return createOperations({ ...deps, lists: own, owners: new Owners(known), show, subscriptions });
    },
    async definitions() {
      await Promise.all([lists.ready('prompts'), lists.ready('templates')]);
      const defined = [
        ...lists.known('prompts').map(({ upstream, entries }) => [upstream, entries, definePrompt] as const),
        ...lists.known('templates').map(({ upstream, entries }) => [upstream, entries, defineTemplate] as const),
      ];
      return defined.map(([upstream, entries, define]) => ({
        upstream,
        tools: entries.map(({ value }) => define(value)),
      }));
    },
    unreadKinds: (upstream) => [
      ...(lists.isUnread('prompts', upstream) ? (['prompt'] as const) : []),
      ...(lists.isUnread('templates', upstream) ? (['template'] as const) : []),
    ],
    noteChange: (upstream, kind) => lists.noteChange(upstream, kind),
    forget: (upstream) => lists.forget(upstream),
    noteUpdate: (upstream, uri, owner) => subscriptions.updated({ upstream, id: uri, owner }),
    endSubscriber: (subscriber) => subscriptions.end(subscriber),
  };
}

interface OperationsDeps extends Pick<PrimitivesDeps, 'upstreams' | 'isAllowed' | 'links' | 'guard' | 'isCounted'> {
  readonly lists: KnownLists;
  readonly owners: Owners;
  /** How callers see what an upstream's list holds. */
  readonly show: (list: ListName, owned: Owned) => string;
  readonly subscriptions: ResourceSubscriptions;
}

function createOperations(deps: OperationsDeps): PrimitiveOperations {
  const { upstreams, isAllowed, links, guard, isCounted, lists, owners, show, subscriptions } = deps;

  const ownerOf = (operation: Operation, args: JsonObject, caller: Caller): Owned | undefined => {
    const upstream = textOf(args['upstream']);
    const [uri, name] = [textOf(args['uri']), textOf(args['name'])];
    const [template, prompt] = [textOf(args['template']), textOf(args['prompt'])];
    if (operation.name === readResource.name && uri !== undefined) return owners.ofResource(uri, upstream, caller);
    if (operation.name === getPrompt.name && name !== undefined) return owners.ofPrompt(name, upstream);
    if (operation.name === complete.name) {
      if ((prompt === undefined) === (template === undefined)) throw onePlease();
      return prompt === undefined ? owners.ofTemplate(template ?? '', upstream) : owners.ofPrompt(prompt, upstream);
    }
    const capability = operation.primitive;
    if (upstream === undefined || capability === undefined) return undefined;
    return { upstream: owners.requireUpstream(upstream, capability), id: '' };
  };

  /** What is asked of the upstream that the call is about. The operation names it: policy has judged that one. */
  const send = (call: HandlerCall, method: string, params: JsonObject, about?: { type: string; id: string }) => {
    const upstream = upstreams.get(call.operation.upstream);
    if (upstream === undefined) throw new Error(`there is no upstream '${call.operation.upstream}'`);
    const { caller, cancellation, onProgress, ask, log, trace } = call;
    const traced = trace?.request(method, call.operation.upstream);
    const meta = traced === undefined ? call.meta : withContext(call.meta, traced.context);
    const asking = upstream.request({
      method,
      params,
      caller,
      cancellation,
      ...(about === undefined ? {} : { resource: { resource_type: about.type, resource_id: about.id.slice(0, 300) } }),
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(meta === undefined ? {} : { meta }),
      ...(ask === undefined ? {} : { ask }),
      ...(log === undefined ? {} : { log }),
    });
    return traced === undefined ? asking : traced.follow(asking);
  };
  /** The entries of the lists that the caller may see, and the upstreams whose entries it may not. */
  const collect = async (call: HandlerCall, list: ListName) => {
    const reading = lists.ready(list);
    if (reading !== undefined) await reading;
    const { operation, caller, arguments: args } = call;
    let listed: readonly ListedEntry[] = [];
    const denied: string[] = [];
    for (const { upstream, entries } of lists.known(list)) {
      const isAsked = operation.upstream === GATEWAY_SOURCE || operation.upstream === upstream;
      if (!isAsked) continue;
      const isVisible = operation.upstream === upstream || isAllowed(narrowTo(operation, upstream), args, caller);
      if (!isVisible) {
        denied.push(upstream);
        continue;
      }
      const found = mapInSteps(entries, ({ id, value }): ListedEntry => ({ upstream, id, value }));
      listed = listed.concat(await runInSlices(inTime(found)));
    }
    return { listed, denied };
  };
  const showEntry = (list: ListName, { upstream, id, value }: ListedEntry): JsonObject =>
    withShown(value, list, show(list, { upstream, id }));
  const listHandler =
    (listOf: (args: JsonObject) => ListName): OperationHandler =>
    async (call) => {
      const { native, operation } = call;
      const list = native === undefined ? listOf(call.arguments) : listOfMethod(native.method);
      const { listed, denied } = await collect(call, list);
      if (native !== undefined) {
        const { page, nextCursor } = await runInSlices(inTime(takePage(listed, native.params['cursor'])));
        const shown = page.map((entry) => showEntry(list, entry));
        return { native: { [memberOf(list)]: shown, ...(nextCursor === undefined ? {} : { nextCursor }) } };
      }
      const away = lists
        .declaring(operation.primitive ?? '')
        .filter((slug) => operation.upstream === GATEWAY_SOURCE || operation.upstream === slug)
        .filter((slug) => upstreams.get(slug)?.absence() !== undefined);
      const showing = mapInSteps(listed, (entry) => forModels(showEntry(list, entry), entry.upstream));
      const structuredContent = await runInSlices(inTime(showing));
      return { toolResult: await handOver({ structuredContent }, call), warnings: warnOf(denied, away) };
    };

  const read: OperationHandler = async (call) => {
    const { native, operation, caller, cancellation } = call;
    const id = textOf(call.arguments['uri']) ?? '';
    const asked = textOf(native?.params['uri']) ?? id;
    const subscriber = native?.subscriber ?? caller.sessionId;
    const owner = upstreams.get(operation.upstream)?.ownerOf(caller);
    const resource = { upstream: operation.upstream, id, owner };
    if (native?.method === 'resources/subscribe') {
      requireSubscribable(operation.upstream, upstreams.get(operation.upstream)?.capabilities());
      await subscriptions.subscribe(subscriber, resource, asked);
      // Its session may have ended meanwhile.
      if (cancellation.cancelled) await subscriptions.unsubscribe(subscriber, resource);
      return { native: {} };
    }
    if (native?.method === 'resources/unsubscribe') {
      await subscriptions.unsubscribe(subscriber, resource);
      return { native: {} };
    }
    const sent = await send(call, 'resources/read', { uri: id }, { type: 'resource', id });
    links.noteBlocks(operation.upstream, caller, sent['contents']);
    const result = await withAskedUri(sent, id, asked);
    if (native !== undefined) return { native: result };
    return { toolResult: await handOver(await runInSlices(inTime(toResourceResult(result))), call) };
  };

  /** Before a prompt is used whose definition nobody has accepted. */
  const requireAccepted = async (upstream: string, name: string): Promise<void> => {
    if (!guard.quarantines(upstream)) return;
    await lists.ready('prompts');
    if (!lists.shows('prompts', upstream, name)) throw quarantinedPrompt(upstream, name);
  };

  /** A prompt whose server does not list its arguments may take any. */
  const requireListed = (upstream: string, name: string, values: JsonObject): void => {
    const listed = lists.known('prompts').find((known) => known.upstream === upstream);
    const taken = listed?.entries.find(({ id }) => id === name)?.value['arguments'];
    if (!Array.isArray(taken)) return;
    const names = taken.flatMap((each: unknown) => (isJsonObject(each) ? (textOf(each['name']) ?? []) : []));
    const known = new Set(names);
    const unknown = Object.keys(values).find((each) => !known.has(each));
    if (unknown !== undefined) throw unknownArgument(name, unknown, names);
  };

  const get: OperationHandler = async (call) => {
    const id = textOf(call.arguments['name']) ?? '';
    await requireAccepted(call.operation.upstream, id);
    const { arguments: values } = call.arguments;
    if (isJsonObject(values)) requireListed(call.operation.upstream, id, values);
    const params = { name: id, ...(isJsonObject(values) ? { arguments: toTexts(values) } : {}) };
    const result = await send(call, 'prompts/get', params, { type: 'prompt', id });
    const { messages } = result;
    if (Array.isArray(messages)) {
      // More blocks of one answer are not looked at.
      const first = messages.slice(0, MOST_BLOCKS);
      const blocks = first.flatMap((message: unknown) => (isJsonObject(message) ? message['content'] : []));
      links.noteBlocks(call.operation.upstream, call.caller, blocks);
    }
    if (call.native !== undefined) return { native: result };
    return { toolResult: await handOver(await runInSlices(inTime(toPromptResult(result))), call) };
  };

  const completeValue: OperationHandler = async (call): Promise<HandlerOutcome> => {
    const { prompt, template, argument, value, context } = call.arguments;
    if (typeof prompt === 'string') await requireAccepted(call.operation.upstream, prompt);
    const result = await send(call, 'completion/complete', {
      ref: prompt === undefined ? { type: 'ref/resource', uri: template } : { type: 'ref/prompt', name: prompt },
      argument: { name: argument, value: value ?? '' },
      ...(isJsonObject(context) ? { context: { arguments: toTexts(context) } } : {}),
    });
    if (call.native !== undefined) return { native: result };
    return { toolResult: await handOver({ structuredContent: result['completion'] ?? { values: [] } }, call) };
  };

  const handlers: ReadonlyMap<string, OperationHandler> = new Map([
    [listResources.name, listHandler(({ templates }) => (templates === true ? 'templates' : 'resources'))],
    [listPrompts.name, listHandler(() => 'prompts')],
    [readResource.name, read],
    [getPrompt.name, get],
    [complete.name, completeValue],
  ]);

  return {
    operations: () => listPrimitiveOperations((capability) => lists.declaring(capability).length > 0),
    handlerOf: ({ name, primitive }) => (primitive === undefined ? undefined : handlers.get(name)),
    offers: (capability, flag) =>
      lists.declaring(capability).some((slug) => {
        const declared = upstreams.get(slug)?.capabilities()?.[capability];
        return flag === undefined || (isJsonObject(declared) && declared[flag] === true);
      }),
    prepare({ name, primitive }, params) {
      if (primitive === undefined || params['upstream'] !== undefined) return undefined;
      const prompt = textOf(
        name === complete.name ? params['prompt'] : name === getPrompt.name ? params['name'] : null,
      );
      if (prompt !== undefined) return owners.ready('prompts', prompt);
      const uri = textOf(name === complete.name ? params['template'] : params['uri']);
      return uri === undefined ? undefined : owners.ready('resources', uri);
    },
    narrow(operation, args, caller) {
      const owner = ownerOf(operation, args, caller);
      if (owner === undefined) return { operation, arguments: args };
      const key = NAMING.find((name) => textOf(args[name]) !== undefined);
      return {
        operation: narrowTo(operation, owner.upstream),
        arguments: key === undefined ? args : { ...args, [key]: owner.id },
      };
    },
    countsOf(upstream) {
      const counts = LIST_NAMES.map((list) => {
        const known = lists.known(list).find((each) => each.upstream === upstream);
        return [list, isCounted(upstream) ? (known?.entries.length ?? 0) : 0] as const;
      });
      return Object.fromEntries(counts.filter(([, count]) => count > 0));
    },
    readCounts() {
      const due = LIST_NAMES.flatMap((list) => lists.readyOnce(list) ?? []);
      if (due.length === 0) return undefined;
      return Promise.race([Promise.all(due), delay(COUNT_MS, undefined, { ref: false })]).then(() => undefined);
    },
  };
}

/** So long a map waits for lists that have not been read; what is read later is counted the next time. */
const COUNT_MS = 1_000;

function quarantinedPrompt(upstream: string, name: string): OperationError {
  const message = `Permission denied: 'the prompt '${name.slice(0, 100)}' of '${upstream}' is quarantined: its definition is new or has changed'. An operator reviews it with 'mcp-aql-gateway lock'`;
  return new OperationError('PERMISSION_DENIED', message, { upstream, reason: 'quarantined' });
}

function unknownArgument(prompt: string, argument: string, names: readonly string[]): OperationError {
  const takes = names.length === 0 ? 'It takes none' : `It takes ${quoteValues(names)}`;
  return new OperationError(
    'VALIDATION_UNKNOWN_PARAM',
    `The prompt '${echoName(prompt)}' has no argument '${echoName(argument)}'. ${takes}`,
    { param_name: `arguments.${echoName(argument)}`, operation: getPrompt.name },
  );
}

/** The parameters that name what a call is about. */
const NAMING = ['uri', 'name', 'prompt', 'template'] as const;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function listOfMethod(method: string): ListName {
  if (method === 'prompts/list') return 'prompts';
  return method === 'resources/templates/list' ? 'templates' : 'resources';
}

function withShown(value: JsonObject, list: ListName, shown: string): JsonObject {
  const key = keyOf(list);
  return value[key] === shown ? value : { ...value, [key]: shown };
}

/** What a model needs of an entry: pictures and what programs say to each other cost tokens and tell it nothing. */
function forModels({ icons: _icons, _meta, ...value }: JsonObject, upstream: string): JsonObject {
  return { ...value, upstream };
}

/** The contents under the URI that was asked for, where that is not the upstream's own. */
async function withAskedUri(result: JsonObject, id: string, asked: string): Promise<JsonObject> {
  const { contents } = result;
  if (asked === id || !Array.isArray(contents)) return result;
  const renaming = mapInSteps(contents, (each: unknown) =>
    isJsonObject(each) && each['uri'] === id ? { ...each, uri: asked } : each,
  );
  const renamed = await runInSlices(inTime(renaming));
  const exact = exactTextOf(result, 'contents');
  if (exact === undefined) return { ...result, contents: renamed };
  const text = await runInSlices(replaceInItems(exact, { name: 'uri', held: id, given: asked }));
  return withExactText({ ...result, contents: renamed }, 'contents', text);
}

/** MCP's arguments of prompts are texts. */
function toTexts(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function warnOf(denied: readonly string[], away: readonly string[]): readonly Warning[] {
  const names = (slugs: readonly string[]): string => slugs.map((slug) => `'${slug}'`).join(', ');
  return [
    ...(denied.length === 0
      ? []
      : [
          {
            code: 'LIST_INCOMPLETE_WARNING',
            message: `Those of ${names(denied)} are left out, as policy does not let you list them without a question`,
            severity: 'low' as const,
          },
        ]),
    ...(away.length === 0
      ? []
      : [
          {
            code: 'LIST_STALE_WARNING',
            message: `Not connected now: ${names(away)}. Their last known lists are shown, and reading may fail`,
            severity: 'low' as const,
          },
        ]),
  ];
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

function onePlease(): OperationError {
  return new OperationError(
    'VALIDATION_MISSING_PARAM',
    "Give either 'prompt', the name of a prompt, or 'template', a URI template",
    { param_name: 'prompt', operation: complete.name },
  );
}
