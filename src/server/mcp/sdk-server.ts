import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Gateway } from '../../gateway/gateway.js';
import type { Caller } from '../../protocol/call.js';
import { Cancellation } from '../../protocol/cancellation.js';
import type { UserChannel } from '../../protocol/consent.js';
import type { JsonObject } from '../../protocol/json.js';
import { isRequestId, type RequestId } from './calls-in-flight.js';
import { readRetryChannel, writeInputRequired } from './elicitation-form.js';
import { innerProgressToken } from './fast-path.js';
import { writeInstructions } from './instructions.js';
import { ExplainingServer } from './schema-faults.js';
import {
  type Era,
  forClientWith,
  progressParams,
  type ServerInfo,
  toCallToolResult,
  toProtocolError,
} from './write-result.js';

/** The origin of a request. */
export interface RequestOrigin {
  readonly caller: Caller;
  /** The channel to the user of a legacy client; that of a modern client is in its envelope. */
  readonly user?: UserChannel | undefined;
}

/** Creates a server of the SDK for one connection, session or request. */
export type SdkServerFactory = (era: Era, originOf: (id: RequestId) => RequestOrigin) => Server;

/**
 * The SDK path, for everything that is not fast: handshake, discovery, unknown methods, malformed requests. Its two tool
 * handlers give the same answers as the fast path, for well-formed requests that the fast path does not recognise.
 */
export function createSdkServerFactory(gateway: Gateway, serverInfo: ServerInfo): SdkServerFactory {
  const { mode, errors } = gateway.config.endpoint;
  const options = {
    capabilities: { tools: { listChanged: true } },
    instructions: writeInstructions(mode),
    // The gateway sends its questions to legacy clients itself.
    inputRequired: { legacyShim: false },
  };
  const listTools = async (cursor: string | undefined): Promise<ListToolsResult> => {
    if (cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: the list of tools has one page');
    }
    const { toolsJson } = await gateway.toolList();
    return { tools: JSON.parse(toolsJson) };
  };

  return (era, originOf) => {
    const server = new ExplainingServer(serverInfo, options, era);
    server.setRequestHandler('tools/list', ({ params }) => listTools(params?.cursor));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { id, signal, notify } = context.mcpReq;
      const origin = originOf(id);
      const user = era === 'modern' ? readRetry(context) : origin.user;
      const cancellation = new Cancellation();
      signal.addEventListener('abort', () => cancellation.cancel('the client cancelled the request'), { once: true });
      const token = params._meta?.progressToken ?? innerProgressToken(params);
      const reply = await gateway.handle({
        tool: params.name,
        arguments: params.arguments,
        caller: origin.caller,
        cancellation,
        traceparent: params._meta?.['traceparent'],
        ...(user === undefined ? {} : { user }),
        ...(isRequestId(token)
          ? {
              onProgress: (update) =>
                void notify({ method: 'notifications/progress', params: progressParams(token, update) }),
            }
          : {}),
      });
      const { inputRequired } = reply;
      if (inputRequired !== undefined && era === 'modern') return writeInputRequired(inputRequired) as CallToolResult;
      const envelope: JsonObject = context.mcpReq.envelope ?? {};
      const error = toProtocolError(forClientWith(envelope[CLIENT_CAPABILITIES_META_KEY], reply), era);
      if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
      return toCallToolResult(reply, errors) as CallToolResult;
    });
    return server;
  };
}

/** The channel to the user of a modern client, with the answer that the client has brought. */
function readRetry({ mcpReq }: ServerContext): UserChannel | undefined {
  const envelope: JsonObject = mcpReq.envelope ?? {};
  return readRetryChannel(envelope[CLIENT_CAPABILITIES_META_KEY], mcpReq.inputResponses, mcpReq.requestState());
}
