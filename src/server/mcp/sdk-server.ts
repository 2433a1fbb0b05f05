import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ListToolsResult,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Gateway } from '../../gateway/gateway.js';
import { type AskAbilities, type AskChannel, canBeAsked, NO_ABILITIES, readAbilities } from '../../protocol/ask.js';
import type { Caller, RawCall } from '../../protocol/call.js';
import { Cancellation } from '../../protocol/cancellation.js';
import type { UserChannel } from '../../protocol/consent.js';
import type { JsonObject } from '../../protocol/json.js';
import { type CallLog, isLogLevel } from '../../protocol/log-message.js';
import type { Reply } from '../../protocol/result.js';
import { isRequestId, type RequestId } from './calls-in-flight.js';
import { readRetryChannel, writeInputRequired } from './elicitation-form.js';
import { innerProgressToken } from './fast-path.js';
import { writeInstructions } from './instructions.js';
import type { LogLevels } from './log-levels.js';
import { isParkedState, type ParkedCalls } from './parked-calls.js';
import { ExplainingServer } from './schema-faults.js';
import {
  type Era,
  forClientWith,
  progressParams,
  type ServerInfo,
  toCallToolResult,
  toNativeError,
  toProtocolError,
} from './write-result.js';

/** The origin of a request. */
export interface RequestOrigin {
  readonly caller: Caller;
  /** The channel to the user of a legacy client; that of a modern client is in its envelope. */
  readonly user?: UserChannel | undefined;
  /** The same for what servers ask. */
  readonly ask?: AskChannel | undefined;
  readonly log?: CallLog | undefined;
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
  const { errors } = gateway.config.endpoint;
  const { native } = gateway;
  const optionsOf = () => ({
    capabilities: { tools: { listChanged: true }, logging: {}, ...native.capabilities() },
    instructions: writeInstructions(gateway.mode(), gateway.purpose),
    // The gateway sends its questions to legacy clients itself.
    inputRequired: { legacyShim: false },
  });
  const listTools = async (cursor: string | undefined): Promise<ListToolsResult> => {
    if (cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: the list of tools has one page');
    }
    const { toolsJson } = await gateway.toolList();
    return { tools: JSON.parse(toolsJson) };
  };

  /** A request that brings answers to a server's questions continues its call; any other begins one. */
  const answer = (call: RawCall, abilities: AskAbilities, { mcpReq }: ServerContext): Promise<Reply> => {
    const state = mcpReq.requestState();
    if (isParkedState(state)) return parked.resume(state, call, mcpReq.inputResponses, call);
    if (!canBeAsked(abilities)) return gateway.handle(call);
    return parked.begin(call, abilities, call, (parts) => gateway.handle({ ...call, ...parts }));
  };

  return (era, originOf) => {
    const server = new ExplainingServer(serverInfo, optionsOf(), era);
    server.setRequestHandler('tools/list', ({ params }) => listTools(params?.cursor));
    server.setRequestHandler('logging/setLevel', ({ params }, { mcpReq }) => {
      logs.set(originOf(mcpReq.id).caller.sessionId, params.level);
      return {};
    });
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { id, signal, notify } = context.mcpReq;
      const origin = originOf(id);
      const abilities = era === 'modern' ? readEnvelope(context) : NO_ABILITIES;
      const user = era === 'modern' ? readRetry(abilities, context) : origin.user;
      const cancellation = new Cancellation();
      signal.addEventListener('abort', () => cancellation.cancel('the client cancelled the request'), { once: true });
      const log = era === 'modern' ? readLog(context) : origin.log;
      const token = params._meta?.progressToken ?? innerProgressToken(params);
      const call: RawCall = {
        tool: params.name,
        arguments: params.arguments,
        caller: origin.caller,
        cancellation,
        traceparent: params._meta?.['traceparent'],
        ...(user === undefined ? {} : { user }),
        ...(origin.ask === undefined ? {} : { ask: origin.ask }),
        ...(log === undefined ? {} : { log }),
        ...(isRequestId(token)
          ? {
              onProgress: (update) =>
                void notify({ method: 'notifications/progress', params: progressParams(token, update) }),
            }
          : {}),
      };
      const reply = await answer(call, abilities, context);
      const { inputRequired } = reply;
      if (inputRequired !== undefined && era === 'modern') return writeInputRequired(inputRequired) as CallToolResult;
      const envelope: JsonObject = context.mcpReq.envelope ?? {};
      const error = toProtocolError(forClientWith(envelope[CLIENT_CAPABILITIES_META_KEY], reply), era);
      if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
      return toCallToolResult(reply, errors) as CallToolResult;
    });
    for (const method of NATIVE_METHODS) {
      if (!native.supports(method)) continue;
      server.setRequestHandler(method, async ({ params = {} }, { mcpReq: { id, signal } }) => {
        const cancellation = new Cancellation();
        signal.addEventListener('abort', () => cancellation.cancel('the client cancelled the request'), { once: true });
        const { caller, user } = originOf(id);
        const asks = user === undefined ? {} : { user };
        const reply = await native.answer({ method, params, caller, cancellation, ...asks });
        if (reply.code === 'OK') return JSON.parse(reply.text);
        const { code, message, data } = toNativeError(reply, { method, params }, era);
        throw new ProtocolError(code, message, data);
      });
    }
    return server;
  };
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
