import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { Caller, NativeRequest, RawCall } from '../base/protocol/call.js';
import type { LogMessage } from '../base/protocol/log-message.js';
import { NothingFound, type OperationError } from '../base/protocol/operation-error.js';
import { okReply, type Reply } from '../base/protocol/result.js';
import { withNotHere } from './pipeline/not-here.js';
import type { Snapshot } from './pipeline/snapshot.js';
import type { PrimitiveOperations } from './primitives/primitives.js';
import type { Asking } from './reader-catalog.js';

/** A request of MCP for what is no tool, with what a server knows of it. */
export type NativeCall = NativeRequest &
  Pick<RawCall, 'caller' | 'cancellation' | 'traceparent' | 'meta' | 'user' | 'onProgress' | 'ask' | 'log'>;

export interface NativeListener {
  /** @param isConcerned whose list has changed */
  listChanged(kind: NativeListKind, isConcerned: (caller: Caller) => boolean): void;
  /** @param subscribers each as in its request, or the session */
  resourceUpdated(uri: string, subscribers: ReadonlySet<string>): void;
  /**
   * A server says something between two calls of a session.
   * @param sessionId absent where the gateway has one client
   */
  logged(sessionId: string | undefined, message: LogMessage): void;
}

/** Resources, prompts and completions in MCP's own methods. */
export interface NativeSurface {
  /** What a session that opens now is told; a session goes on asking for what it was told, and every method is answered always. */
  capabilities(caller: Caller): NativeCapabilities;
  /** Answers one request: with the JSON text of the result where the code is OK, else with a failure. Never rejects. */
  answer(call: NativeCall): Promise<Reply>;
  /** Returns a function that removes the listener. */
  listen(listener: NativeListener): () => void;
  /** Ends the subscriptions of a stream. Those of a session end with it. */
  endSubscriber(subscriber: string): void;
}

export interface NativeDeps {
  readonly primitivesOf: (caller: Caller) => Pick<PrimitiveOperations, 'offers' | 'inForce' | 'notCarried'>;
  /** Whether some enabled upstream has not answered yet, so that it may have anything. */
  readonly mayHaveMore: () => boolean;
  readonly snapshot: (asking: Asking) => Promise<Snapshot>;
  readonly handle: (call: RawCall) => Promise<Reply>;
  readonly listeners: Set<NativeListener>;
  readonly endSubscriber: (subscriber: string) => void;
}

/** The listeners of the whole or of one view, and of which upstreams they hear. */
export interface Audience {
  /** Absent where it is the whole's. */
  readonly view?: string;
  readonly sees: (upstream: string) => boolean;
  readonly listeners: Set<NativeListener>;
}

type NativeListKind = 'resources' | 'prompts';

/** What MCP servers declare beside tools. */
interface NativeCapabilities {
  readonly resources?: { readonly subscribe: true; readonly listChanged: true } | { readonly listChanged: true };
  readonly prompts?: { readonly listChanged: true };
  readonly completions?: Readonly<Record<string, never>>;
  /** Those that are carried. */
  readonly extensions?: JsonObject;
  readonly experimental?: JsonObject;
}

interface MethodForm {
  readonly operation: string;
  /** The parameters of the operation that the request would be. */
  readonly paramsOf: (params: JsonObject, method: string) => JsonObject;
  /** The result where no upstream has any. */
  readonly empty?: JsonObject;
  /** Set on the methods of extensions, which are unknown where no upstream has them. */
  readonly isOfExtension?: true;
}

const NOTHING = (): JsonObject => ({});
const byUri = ({ uri }: JsonObject): JsonObject => given({ uri });
const reads: MethodForm = { operation: 'read_resource', paramsOf: byUri };

/** Any other method: one of a vendor's extension. */
const OF_VENDOR: MethodForm = {
  operation: 'call_extension',
  paramsOf: ({ _meta, ...params }, method) => ({ method, method_params: params }),
  isOfExtension: true,
};

const METHODS: ReadonlyMap<string, MethodForm> = new Map<string, MethodForm>([
  ['resources/list', { operation: 'list_resources', paramsOf: NOTHING, empty: { resources: [] } }],
  [
    'resources/templates/list',
    {
      operation: 'list_resources',
      paramsOf: () => ({ templates: true }),
      empty: { resourceTemplates: [] },
    },
  ],
  ['resources/read', reads],
  ['resources/subscribe', reads],
  ['resources/unsubscribe', reads],
  ['prompts/list', { operation: 'list_prompts', paramsOf: NOTHING, empty: { prompts: [] } }],
  [
    'prompts/get',
    {
      operation: 'get_prompt',
      paramsOf: ({ name, arguments: values }) => given({ name, arguments: values }),
    },
  ],
  ['skills/list', { operation: 'list_resources', paramsOf: NOTHING, isOfExtension: true }],
  ['skills/get', { ...reads, isOfExtension: true }],
  ['resources/directory/read', { ...reads, isOfExtension: true }],
  ['completion/complete', { operation: 'complete', paramsOf: paramsOfCompletion }],
]);

function paramsOfCompletion({ ref, argument, context }: JsonObject): JsonObject {
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  const { name: about, value } = isJsonObject(argument) ? argument : {};
  const { arguments: values } = isJsonObject(context) ? context : {};
  const whose = type === 'ref/prompt' ? { prompt: name } : { template: uri };
  return given({ ...whose, argument: about, value, context: values });
}

function given(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

export function createNativeSurface(deps: NativeDeps): NativeSurface {
  const { primitivesOf, mayHaveMore, snapshot, handle, listeners } = deps;
  return {
    capabilities(caller) {
      const primitives = primitivesOf(caller);
      const offers = (capability: 'resources' | 'prompts' | 'completions', flag?: string): boolean =>
        mayHaveMore() || primitives.offers(capability, flag);
      const kinds = (['resources', 'prompts', 'completions'] as const).filter((kind) => offers(kind));
      const extensions = primitives.inForce('extensions', caller);
      const experimental = primitives.inForce('experimental', caller);
      const subscribe = offers('resources', 'subscribe') ? { subscribe: true as const } : {};
      return {
        ...(kinds.includes('resources') ? { resources: { ...subscribe, listChanged: true as const } } : {}),
        ...(kinds.includes('prompts') ? { prompts: { listChanged: true as const } } : {}),
        ...(kinds.includes('completions') ? { completions: {} } : {}),
        ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
        ...(Object.keys(experimental).length === 0 ? {} : { experimental }),
      };
    },
    async answer({ method, params, subscriber, ...call }) {
      const form = METHODS.get(method) ?? OF_VENDOR;
      const refusal = form.isOfExtension && primitivesOf(call.caller).notCarried(method);
      if (refusal !== undefined) return { ...failedReply(refusal), protocolError: 'unknown-method' };
      const seen = await snapshot(call);
      const { catalog, plan } = seen;
      const operation = catalog.find(form.operation);
      if (operation?.primitive === undefined)
        return { ...answerWithout(method, seen), ...(form.isOfExtension && { protocolError: 'unknown-method' }) };
      return handle({
        ...call,
        tool: plan.toolFor(operation),
        arguments: { operation: operation.qualifiedName, params: form.paramsOf(params, method) },
        native: { method, params, subscriber },
      });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    endSubscriber: deps.endSubscriber,
  };
}

/** The answer where no upstream is known to have any of what is asked for. */
function answerWithout(method: string, seen: Snapshot): Reply {
  const empty = METHODS.get(method)?.empty;
  if (empty !== undefined) return okReply(empty);
  const message = `No server behind this gateway is known to answer '${method}' now. Try again when one is connected`;
  const nothing = new NothingFound('NOT_FOUND_RESOURCE', message);
  return failedReply(withNotHere(nothing, seen));
}

function failedReply(error: OperationError): Reply {
  return { text: JSON.stringify(error.toFailure()), blocks: [], isError: true, code: error.code };
}

/** Who hears of changes of resources and prompts: each hears of the upstreams that exist for it. */
export class Audiences {
  readonly #audiences: Audience[] = [];

  open(audience: Omit<Audience, 'listeners'>): Audience {
    const opened = { ...audience, listeners: new Set<NativeListener>() };
    this.#audiences.push(opened);
    return opened;
  }

  listChanged(kind: NativeListKind, upstream: string, isConcerned: (caller: Caller) => boolean): void {
    for (const { sees, listeners } of this.#audiences) {
      if (sees(upstream)) for (const listener of listeners) listener.listChanged(kind, isConcerned);
    }
  }

  /** The configuration of these views has changed, and with it which upstreams they have. */
  viewsChanged(views: readonly string[]): void {
    for (const { view, listeners } of this.#audiences) {
      if (view === undefined || !views.includes(view)) continue;
      for (const listener of listeners) {
        listener.listChanged('resources', () => true);
        listener.listChanged('prompts', () => true);
      }
    }
  }

  /** Tells every listener what those that are concerned find in it. */
  tell(news: (listener: NativeListener) => void): void {
    for (const { listeners } of this.#audiences) for (const listener of listeners) news(listener);
  }
}
