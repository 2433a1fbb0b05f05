import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Whose } from '../../base/lib/owned-map.js';
import type { Caller, OperationHandler } from '../../base/protocol/call.js';
import type { Operation, Primitive } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Owned } from '../../base/protocol/qualified-names.js';
import type { ToolSet } from '../../base/protocol/tools.js';
import {
  type DefinitionGuard,
  type DefinitionKind,
  definePrompt,
  defineTemplate,
} from '../../catalog/integrity/definition-guard.js';
import { EVERYBODY, type Reader, type Readers } from '../../upstream/readers.js';
import type { ListKind } from '../../upstream/upstream.js';
import { createExtensionHandler, type ExtensionKind, Extensions } from './extensions.js';
import { createListHandler } from './list-handler.js';
import {
  callExtension,
  complete,
  getPrompt,
  listPrimitiveOperations,
  listPrompts,
  listResources,
  madeFrom,
  narrowTo,
  readResource,
  textOf,
} from './operations.js';
import { Owners } from './owners.js';
import { COUNTED_LISTS, type ListName, PrimitiveLists, type Upstreams } from './primitive-lists.js';
import { createPromptHandlers } from './prompt-handlers.js';
import { type KnownLists, listsOf, ReaderLists } from './reader-lists.js';
import { createResourceHandler } from './resource-handler.js';
import type { ResourceLinks } from './resource-links.js';
import { ResourceSubscriptions, type UpdateListener } from './resource-subscriptions.js';

interface PrimitivesDeps {
  /** By slug, in the order of the configuration. */
  readonly upstreams: Upstreams;
  /** Whether policy lets this call run without a question. */
  readonly isAllowed: (operation: Operation, args: JsonObject, caller: Caller) => boolean;
  /** Whether the operator has a server told that its clients have an extension or an experimental capability. */
  readonly isTold: (upstream: string, kind: ExtensionKind, name: string) => boolean;
  readonly onDiagnostic: (upstream: string, message: string) => void;
  readonly onListChanged: (kind: ListKind, whose: Whose) => void;
  readonly readers: Readers;
  /** The links that upstreams have given; takes those of resources and prompts. */
  readonly links: Pick<ResourceLinks, 'linkersOf' | 'noteBlocks' | 'nameShared' | 'knowLists'>;
  readonly onResourceUpdated: UpdateListener;
  /** Compares definitions with what was accepted. */
  readonly guard: Pick<DefinitionGuard, 'check' | 'quarantines'>;
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
  /** The extensions of MCP, or the experimental capabilities, of upstreams that are carried for a caller. */
  inForce(kind: ExtensionKind, caller: Caller): JsonObject;
  /** Why a method of an extension has no answer; undefined where some upstream has it. */
  notCarried(method: string): OperationError | undefined;
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

/** The same of everybody, and what changes of it. */
export interface Primitives {
  /**
   * What one reader sees: of all upstreams or, with URIs and names as in the whole, of some, as if there were no others.
   * @param hasOwn whether it has an operation of the gateway's own
   */
  seenBy(
    reader: Reader,
    has?: (upstream: string) => boolean,
    hasOwn?: (operation: Operation) => boolean,
  ): PrimitiveOperations;
  /** The prompts and templates of all upstreams, in the form in which the lock has them; several sets of one upstream. */
  definitions(): Promise<readonly ToolSet[]>;
  /** The kinds of definitions of an upstream that could not be read. */
  unreadKinds(upstream: string): readonly DefinitionKind[];
  /** An upstream has connected, or says that a list has changed. */
  noteChange(whose: Whose, kind?: ListKind): void;
  /** An upstream is not configured any more. */
  forget(upstream: string): void;
  /** @param owner whose resource it is, where callers have resources of their own */
  noteUpdate(upstream: string, uri: string, owner: string | undefined): void;
  /** A session or a stream of subscriptions has ended. */
  endSubscriber(subscriber: string): void;
}

export function createPrimitives(deps: PrimitivesDeps): Primitives {
  const { upstreams, readers, links, guard } = deps;
  const lists = new PrimitiveLists({
    upstreams,
    guard,
    onDiagnostic: deps.onDiagnostic,
    onChanged: deps.onListChanged,
  });
  const seenBy = (reader: Reader): ReaderLists => new ReaderLists(lists, upstreams, reader);
  const everybodys = seenBy(EVERYBODY);
  links.knowLists((caller) => {
    const seen = seenBy(readers.of(caller));
    const uris = (): readonly string[] => [...seen.idsOf('resources'), ...seen.idsOf('skills')];
    return { holdersOf: (uri) => seen.holdersOf('resources', uri), uris };
  });
  const configured = (): readonly string[] => [...upstreams.keys()];
  const linkersOf = (uri: string, caller: Caller): readonly string[] => links.linkersOf(uri, caller);
  const subscriptions = new ResourceSubscriptions(upstreams, deps.onResourceUpdated);
  return {
    seenBy(reader, has = () => true, hasOwn = () => true) {
      const whole = new Owners({ lists: seenBy(reader), configured });
      const own = listsOf(seenBy(reader), has);
      const owners = new Owners({
        lists: own,
        configured: () => configured().filter(has),
        linkersOf: (uri, caller) => linkersOf(uri, caller).filter(has),
      });
      const show = (list: ListName, owned: Owned): string => whole.show(list, owned);
      const isAllowed: PrimitivesDeps['isAllowed'] = (operation, args, caller) =>
        hasOwn(operation) && deps.isAllowed(operation, args, caller);
      return createOperations({ ...deps, isAllowed, lists: own, owners, show, subscriptions });
    },
    async definitions() {
      await Promise.all([everybodys.readAll('prompts'), everybodys.readAll('templates')]);
      const defined = [
        ...everybodys.known('prompts').map(({ upstream, entries }) => [upstream, entries, definePrompt] as const),
        ...everybodys.known('templates').map(({ upstream, entries }) => [upstream, entries, defineTemplate] as const),
      ];
      return defined.map(([upstream, entries, define]) => ({
        upstream,
        tools: entries.map(({ value }) => define(value)),
      }));
    },
    unreadKinds: (upstream) => [
      ...(everybodys.isUnread('prompts', upstream) ? (['prompt'] as const) : []),
      ...(everybodys.isUnread('templates', upstream) ? (['template'] as const) : []),
    ],
    noteChange: (whose, kind) => lists.noteChange(whose, kind),
    forget: (upstream) => lists.forget(upstream),
    noteUpdate: (upstream, uri, owner) => subscriptions.updated({ upstream, id: uri, owner }),
    endSubscriber: (subscriber) => subscriptions.end(subscriber),
  };
}

interface OperationsDeps
  extends Pick<PrimitivesDeps, 'upstreams' | 'isAllowed' | 'isTold' | 'links' | 'guard' | 'isCounted'> {
  readonly lists: KnownLists;
  readonly owners: Owners;
  /** How callers see what an upstream's list holds. */
  readonly show: (list: ListName, owned: Owned) => string;
  readonly subscriptions: ResourceSubscriptions;
}

function createOperations(deps: OperationsDeps): PrimitiveOperations {
  const { isCounted, lists, owners } = deps;
  const extensions = new Extensions(deps);

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
    if (operation.name === callExtension.name) {
      const server = extensions.serverOf(textOf(args['method']) ?? '');
      if (server instanceof OperationError) throw server;
      return { upstream: server, id: '' };
    }
    const capability = operation.primitive;
    if (upstream === undefined || capability === undefined) return undefined;
    return { upstream: owners.requireUpstream(upstream, capability), id: '' };
  };

  const prompts = createPromptHandlers(deps);
  const handlers: ReadonlyMap<string, OperationHandler> = new Map([
    [listResources.name, createListHandler(deps, ({ templates }) => (templates === true ? 'templates' : 'resources'))],
    [listPrompts.name, createListHandler(deps, () => 'prompts')],
    [readResource.name, createResourceHandler(deps)],
    [getPrompt.name, prompts.get],
    [complete.name, prompts.complete],
    [callExtension.name, createExtensionHandler(deps)],
  ]);

  return {
    operations: () =>
      listPrimitiveOperations((capability) =>
        capability === 'extensions' ? extensions.haveMethods() : lists.declaring(capability).length > 0,
      ),
    handlerOf: ({ name, primitive }) => (primitive === undefined ? undefined : handlers.get(name)),
    offers: (capability, flag) =>
      lists.declaring(capability).some((slug) => {
        const declared = lists.capabilitiesOf(slug)?.[capability];
        return flag === undefined || (isJsonObject(declared) && declared[flag] === true);
      }),
    inForce: (kind, caller) =>
      extensions.inForce(kind, (slug) => deps.isAllowed(narrowTo(callExtension, slug), {}, caller)),
    notCarried: (method) => extensions.refusalOf(method),
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
      if (owner === undefined) {
        const shown = lists
          .declaring(operation.primitive ?? '')
          .filter((slug) => deps.isAllowed(narrowTo(operation, slug), args, caller));
        return { operation: madeFrom(operation, shown), arguments: args };
      }
      const key = NAMING.find((name) => textOf(args[name]) !== undefined);
      return {
        operation: narrowTo(operation, owner.upstream),
        arguments: key === undefined ? args : { ...args, [key]: owner.id },
      };
    },
    countsOf(upstream) {
      const counts = COUNTED_LISTS.map((list) => {
        return [list, isCounted(upstream) ? lists.countOf(list, upstream) : 0] as const;
      });
      return Object.fromEntries(counts.filter(([, count]) => count > 0));
    },
    readCounts() {
      const due = COUNTED_LISTS.flatMap((list) => lists.readyOnce(list) ?? []);
      if (due.length === 0) return undefined;
      return Promise.race([Promise.all(due), delay(COUNT_MS, undefined, { ref: false })]).then(() => undefined);
    },
  };
}

/** So long a map waits for lists that have not been read; what is read later is counted the next time. */
const COUNT_MS = 1_000;

/** The parameters that name what a call is about. */
const NAMING = ['uri', 'name', 'prompt', 'template'] as const;

function onePlease(): OperationError {
  return new OperationError(
    'VALIDATION_MISSING_PARAM',
    "Give either 'prompt', the name of a prompt, or 'template', a URI template",
    { param_name: 'prompt', operation: complete.name },
  );
}
