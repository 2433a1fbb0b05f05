import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Gateway } from '../../gateway.js';
import type { Caller } from '../../protocol/caller.js';
import { Cancellation } from '../../protocol/cancellation.js';
import type { UserChannel } from '../../protocol/consent.js';
import type { JsonObject } from '../../protocol/json.js';
import { type Era, isRequestId, type RequestId } from './hot-request.js';
import { writeInstructions } from './instructions.js';
import { readRetryChannel, writeInputRequired } from './retry-channel.js';
import { progressParams, type ServerInfo, toCallToolResult } from './tool-result.js';

/** Where a request came from. */
export interface RequestOrigin {
  readonly caller: Caller;
  /** The way to the person behind a legacy client; a modern one's is in its envelope. */
  readonly user?: UserChannel | undefined;
}

/** Makes a server of the SDK for one connection, session or request. */
export type SdkServerFactory = (era: Era, originOf: (id: RequestId) => RequestOrigin) => Server;

/**
 * The way of everything that is not hot: handshake, discovery, unknown methods, malformed requests. Its two tool handlers
 * give the same answers as the hot path, for well-formed requests that are too unusual to be recognised there.
 */
export function createSdkServerFactory(gateway: Gateway, serverInfo: ServerInfo): SdkServerFactory {
  const options = {
    capabilities: { tools: { listChanged: true } },
    instructions: writeInstructions(gateway.config.endpoint.mode),
    // Questions to legacy clients are the gateway's own.
    inputRequired: { legacyShim: false },
  };
  const listTools = (cursor: string | undefined): ListToolsResult => {
    if (cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: the list of tools has one page');
    }
    return { tools: JSON.parse(gateway.toolList().toolsJson) };
  };

  return (era, originOf) => {
    const server = new Server(serverInfo, options);
    server.setRequestHandler('tools/list', ({ params }) => listTools(params?.cursor));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { id, signal, notify } = context.mcpReq;
      const origin = originOf(id);
      const user = era === 'modern' ? readRetry(context) : origin.user;
      const cancellation = new Cancellation();
      signal.addEventListener('abort', () => cancellation.cancel('the client cancelled the request'), { once: true });
      const token = params._meta?.progressToken;
      const reply = await gateway.handle({
        tool: params.name,
        arguments: params.arguments,
        caller: origin.caller,
        cancellation,
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
      return toCallToolResult(reply) as CallToolResult;
    });
    return server;
  };
}

/** The way to the person behind a modern client, with what the client brought back from it. */
function readRetry({ mcpReq }: ServerContext): UserChannel | undefined {
  const envelope: JsonObject = mcpReq.envelope ?? {};
  return readRetryChannel(envelope[CLIENT_CAPABILITIES_META_KEY], mcpReq.inputResponses, mcpReq.requestState());
}
