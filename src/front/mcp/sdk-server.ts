import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { Gateway } from '../../gateway.js';
import type { Caller } from '../../protocol/caller.js';
import { Cancellation } from '../../protocol/cancellation.js';
import { isRequestId } from './hot-request.js';
import { writeInstructions } from './instructions.js';
import { progressParams, type ServerInfo, toCallToolResult } from './tool-result.js';

/** Makes a server of the SDK for one connection, session or request. */
export type SdkServerFactory = (callerOf: () => Caller) => Server;

/**
 * The way of everything that is not hot: handshake, discovery, unknown methods, malformed requests. Its two tool handlers
 * give the same answers as the hot path, for well-formed requests that are too unusual to be recognised there.
 */
export function createSdkServerFactory(gateway: Gateway, serverInfo: ServerInfo): SdkServerFactory {
  const options = {
    capabilities: { tools: { listChanged: true } },
    instructions: writeInstructions(gateway.config.endpoint.mode),
  };
  const listTools = (cursor: string | undefined): ListToolsResult => {
    if (cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor: the list of tools has one page');
    }
    return { tools: JSON.parse(gateway.toolList().toolsJson) };
  };

  return (callerOf) => {
    const server = new Server(serverInfo, options);
    server.setRequestHandler('tools/list', ({ params }) => listTools(params?.cursor));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { signal, notify } = context.mcpReq;
      const cancellation = new Cancellation();
      signal.addEventListener('abort', () => cancellation.cancel('the client cancelled the request'), { once: true });
      const token = params._meta?.progressToken;
      const reply = await gateway.handle({
        tool: params.name,
        arguments: params.arguments,
        caller: callerOf(),
        cancellation,
        ...(isRequestId(token)
          ? {
              onProgress: (update) =>
                void notify({ method: 'notifications/progress', params: progressParams(token, update) }),
            }
          : {}),
      });
      return toCallToolResult(reply) as CallToolResult;
    });
    return server;
  };
}
