import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ListToolsResult,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { cleanText, cutText } from '../../base/lib/text.js';
import {
  type AskAbilities,
  type AskChannel,
  canBeAsked,
  NO_ABILITIES,
  readAbilities,
} from '../../base/protocol/ask.js';
import type { Caller, NativeRequest, RawCall } from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { UserChannel } from '../../base/protocol/consent.js';
import { type CallLog, isLogLevel } from '../../base/protocol/log-message.js';
import type { Reply } from '../../base/protocol/result.js';
import type { EndpointMode } from '../../config/gateway-config.js';
import type { Gateway, ServerWords } from '../../gateway/gateway.js';
import { declaresTasks, taskCapabilities, taskMaker } from './answer-task.js';
import { isRequestId, type RequestId } from './calls-in-flight.js';
import { readRetryChannel, writeInputRequired } from './elicitation-form.js';
import { forwardedMeta, innerProgressToken } from './fast-path.js';
import type { LogLevels } from './log-levels.js';
import { createNativeAnswerer } from './native-requests.js';
import { isParkedState, type ParkedCalls } from './parked-calls.js';
import { ExplainingServer } from './schema-faults.js';
import {
  type Era,
  forClientWith,
  progressParams,
  type ServerInfo,
  toCallToolResult,
  toNativeError,
  toNativeResult,
  toProtocolError,
} from './write-result.js';

export interface RequestOrigin {
  readonly caller: Caller;
  /** The channel to the user of a legacy client; that of a modern client is in its envelope. */
  readonly user?: UserChannel | undefined;
  /** The same for what servers ask. */
  readonly ask?: AskChannel | undefined;
  readonly log?: CallLog | undefined;
  /** Whether it wants answers as structured content too. */
  readonly structured?: boolean;
}

/** The SDK answers these only where they are not obviously well formed, and then mostly with a refusal. */
const NATIVE_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const;

/** Creates a server of the SDK for one connection, session or request. */
export type SdkServerFactory = (era: Era, originOf: (id: RequestId) => RequestOrigin) => Server;

/**
 * The SDK path, for everything that is not fast: handshake, discovery, unknown methods, malformed requests. Its two tool
 * handlers give the same answers as the fast path, for well-formed requests that the fast path does not recognise.
 */
export function createSdkServerFactory(
  gateway: Gateway,
  serverInfo: ServerInfo,
  { parked, logs }: { readonly parked: ParkedCalls; readonly logs: LogLevels },
): SdkServerFactory {
  const { errors, structuredContent } = gateway.config.endpoint;
  const { native } = gateway;
  const answerModernNative = createNativeAnswerer(native, parked);
  const capabilitiesOf = (era: Era): ServerCapabilities => {
    const { extensions, experimental, ...offered } = native.capabilities();
    const { extensions: own, ...tasks }: { extensions?: JsonObject } = taskCapabilities(era);
    const all: JsonObject = { ...extensions, ...own };
    const passed: JsonObject = {
      ...(Object.keys(all).length === 0 ? {} : { extensions: all }),
      ...(experimental === undefined ? {} : { experimental }),
    };
    // Any JSON object may be their settings.
    return {
      tools: { listChanged: true },
      logging: {},
      ...offered,
      ...tasks,
      ...(passed as Partial<ServerCapabilities>),
    };
  };
  const optionsOf = (era: Era) => ({
    capabilities: capabilitiesOf(era),
    instructions: writeInstructions(gateway.mode(), gateway.purpose, gateway.serversSay()),
    // The gateway sends its questions to legacy clients itself.
    inputRequired: { legacyShim: false },
  });
  const listTools = async (cursor: string | undefined, structured = false): Promise<ListToolsResult> => {
    if (cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: the list of tools has one page');
    }
    const list = await gateway.toolList();
    return { tools: JSON.parse(structured ? list.structuredToolsJson : list.toolsJson) };
  };

  /** A request that brings answers to a server's questions continues its call; any other begins one. */
  const answer = (call: RawCall, abilities: AskAbilities, { mcpReq }: ServerContext): Promise<Reply> => {
    const state = mcpReq.requestState();
    const envelope: JsonObject = mcpReq.envelope ?? {};
    const isTask = declaresTasks(envelope[CLIENT_CAPABILITIES_META_KEY]);
    const attempt = isTask ? { ...call, asTask: taskMaker(parked.tasks) } : call;
    if (isParkedState(state)) return parked.resume(state, call, mcpReq.inputResponses, attempt);
    const isAskable = canBeAsked(abilities);
    if (!isAskable && !isTask) return gateway.handle(call);
    return parked.begin(call, abilities, attempt, ({ ask, ...parts }) =>
      gateway.handle({ ...call, ...parts, ...(isAskable ? { ask } : {}) }),
    );
  };

  const answerNative = (
    request: NativeRequest,
    context: ServerContext,
    era: Era,
    originOf: (id: RequestId) => RequestOrigin,
  ): Promise<Reply> => {
    const { mcpReq } = context;
    const { caller, user, ask, log = era === 'modern' ? readLog(context) : undefined } = originOf(mcpReq.id);
    const call = {
      ...request,
      ...metaOf(request.params),
      caller,
      cancellation: cancellationOf(context),
      log,
    };
    if (era === 'modern') {
      const retry = { responses: mcpReq.inputResponses, state: mcpReq.requestState() };
      return answerModernNative({ call, abilities: readEnvelope(context), retry });
    }
    return native.answer({
      ...call,
      user,
      ask,
    });
  };

  return (era, originOf) => {
    const server = new ExplainingServer(serverInfo, optionsOf(era), era);
    server.setRequestHandler('tools/list', ({ params }, { mcpReq }) =>
      listTools(params?.cursor, originOf(mcpReq.id).structured),
    );
    server.setRequestHandler('logging/setLevel', ({ params }, { mcpReq }) => {
      logs.set(originOf(mcpReq.id).caller.sessionId, params.level);
      return {};
    });
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { id, notify } = context.mcpReq;
      const origin = originOf(id);
      const abilities = era === 'modern' ? readEnvelope(context) : NO_ABILITIES;
      const user = era === 'modern' ? readRetry(abilities, context) : origin.user;
      const cancellation = cancellationOf(context);
      const log = era === 'modern' ? readLog(context) : origin.log;
      const token = params._meta?.progressToken ?? innerProgressToken(params);
      const call: RawCall = {
        tool: params.name,
        arguments: params.arguments,
        caller: origin.caller,
        cancellation,
        traceparent: params._meta?.['traceparent'],
        ...metaOf(params),
        user,
        ask: origin.ask,
        log,
        ...(isRequestId(token)
          ? {
              onProgress: (update) =>
                void notify({ method: 'notifications/progress', params: progressParams(token, update) }),
            }
          : {}),
      };
      const reply = await answer(call, abilities, context);
      const { inputRequired, task } = reply;
      if (task !== undefined) return { resultType: 'task', ...task } as unknown as CallToolResult;
      if (inputRequired !== undefined && era === 'modern') return writeInputRequired(inputRequired) as CallToolResult;
      const envelope: JsonObject = context.mcpReq.envelope ?? {};
      const error = toProtocolError(forClientWith(envelope[CLIENT_CAPABILITIES_META_KEY], reply), era);
      if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
      const structured = structuredContent || origin.structured === true;
      return toCallToolResult(reply, errors, structured) as CallToolResult;
    });
    for (const method of NATIVE_METHODS) {
      server.setRequestHandler(method, async ({ params = {} }, context) => {
        const reply = await answerNative({ method, params }, context, era, originOf);
        if (reply.inputRequired !== undefined && era === 'modern') return writeInputRequired(reply.inputRequired);
        if (reply.code === 'OK') return toNativeResult(reply);
        const { code, message, data } = toNativeError(reply, { method, params }, era);
        throw new ProtocolError(code, message, data);
      });
    }
    return server;
  };
}

function metaOf({ _meta: sent }: { readonly _meta?: unknown }): Pick<RawCall, 'meta'> {
  const meta = isJsonObject(sent) ? forwardedMeta(sent) : undefined;
  return meta === undefined ? {} : { meta };
}

function cancellationOf({ mcpReq: { signal } }: ServerContext): Cancellation {
  const cancellation = new Cancellation();
  signal.addEventListener('abort', () => cancellation.cancel('the client cancelled the request'), { once: true });
  return cancellation;
}

/** Where log messages go: a modern client says with each request which ones it wants. */
function readLog({ mcpReq }: ServerContext): CallLog | undefined {
  const envelope: JsonObject = mcpReq.envelope ?? {};
  const level = envelope[LOG_LEVEL_META_KEY];
  if (!isLogLevel(level)) return undefined;
  return {
    level,
    // A request that has been answered takes no more messages.
    write: (params) =>
      void mcpReq.notify({ method: 'notifications/message', params: { ...params } }).catch(() => undefined),
  };
}

/** What a modern client declares that it can be asked. */
function readEnvelope({ mcpReq }: ServerContext): AskAbilities {
  const envelope: JsonObject = mcpReq.envelope ?? {};
  return readAbilities(envelope[CLIENT_CAPABILITIES_META_KEY]);
}

/** The channel to the user of a modern client, with the answer that the client has brought. */
function readRetry(abilities: AskAbilities, { mcpReq }: ServerContext): UserChannel | undefined {
  return readRetryChannel(abilities, mcpReq.inputResponses, mcpReq.requestState());
}

/** The single tool says the same of itself. */
const OPENING: Readonly<Partial<Record<EndpointMode, string>>> = {
  semantic: 'These tools reach all operations of all servers behind them, grouped by effect.',
  all: 'These tools reach all operations of all servers behind them, by effect or through one.',
};

/** The quotes are single, because clients put the text into JSON. The descriptions of the tools show the requests whole. */
const RULES: readonly string[] = [
  "First call introspect {query: 'upstreams'}: it maps the servers and says how to go on.",
  "Every READ but introspect takes 'filter', 'sort', 'fields', 'first' on its answer.",
  'A batch {operations: [{operation, params}, ...]} runs in order and halts at a confirmation.',
  'To confirm, send the operation with params {_confirmation: details.confirmation_token} alone.',
  'Errors say what to change.',
];

/** Where there are no tools of MCP-AQL. */
const PASSTHROUGH_RULES: readonly string[] = [
  'These are the tools of the servers behind this gateway.',
  'Calls that may destroy ask first: to confirm, call the tool again with the arguments {_confirmation: details.confirmation_token} alone.',
  'Errors say what to change.',
];

/** How much servers say of how to use them, each and together, in characters. */
const MOST_OF_ONE = 2_000;
const MOST_OF_ALL = 10_000;

/**
 * What a model should know about MCP-AQL before it reads the tools; sent in the handshake of both eras.
 * @param purpose what the servers are for, in the operator's words
 * @param servers what they say of how to use them, where their tools are shown as they are
 */
export function writeInstructions(mode: EndpointMode, purpose?: string, servers: readonly ServerWords[] = []): string {
  const opening = OPENING[mode];
  const rules = mode === 'passthrough' ? PASSTHROUGH_RULES : [...(opening === undefined ? [] : [opening]), ...RULES];
  const own = [...(purpose === undefined ? [] : [purpose]), ...rules].join(' ');
  return [own, ...quoteServers(servers)].join('\n\n');
}

function quoteServers(servers: readonly ServerWords[]): readonly string[] {
  const share = Math.min(MOST_OF_ONE, Math.floor(MOST_OF_ALL / Math.max(1, servers.length)));
  return servers.map(({ upstream, instructions }) => {
    return `The server '${upstream}' says of its tools: ${cutText(cleanText(instructions), share)}`;
  });
}
