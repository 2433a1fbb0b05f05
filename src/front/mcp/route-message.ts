import type { IncomingMessage, ServerResponse } from 'node:http';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { HotAnswerer } from './answer-hot-request.js';
import { clientNameOf, headersAgree, type MirrorHeaders, recogniseHotRequest } from './hot-request.js';
import { sendRpcError } from './http-answer.js';
import { HttpExchange, occupy } from './http-exchange.js';
import type { LegacyEndpoint } from './legacy-endpoint.js';
import { acceptsStream } from './media-type.js';
import type { ModernCallers } from './modern-callers.js';
import type { ModernHandler } from './modern-handler.js';
import { RPC_ERROR } from './rpc-error.js';
import type { SseStreams } from './sse-stream.js';

/** Sends a parsed body to whoever answers it. */
export type MessageRouter = (
  message: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  client: string | undefined,
) => void;

export interface MessageRouterDeps {
  readonly legacy: LegacyEndpoint;
  readonly modern: ModernHandler;
  readonly callers: ModernCallers;
  readonly answerHot: HotAnswerer;
  readonly streams: SseStreams;
}

const TOO_MANY_CLIENTS = 'Too many clients. Try again later, or raise server.maxSessions.';

/** Hot requests go straight to the gateway, other legacy ones to their session, everything else to the SDK's handler. */
export function createMessageRouter(deps: MessageRouterDeps): MessageRouter {
  const { legacy, modern, callers, answerHot, streams } = deps;

  return (message, request, response, authenticated) => {
    const headers = readMirrorHeaders(request);
    const recognised = recogniseHotRequest(message);
    const hot = recognised !== undefined && headersAgree(recognised, headers) ? recognised : undefined;
    if (hot?.era === 'legacy' || (hot === undefined && isLegacyTraffic(message, headers))) {
      legacy.post(message, hot, request, response, authenticated);
      return;
    }
    const client = callers.find({
      address: request.socket.remoteAddress ?? '',
      clientName: hot?.clientName ?? clientNameOf(message) ?? 'unnamed client',
      client: authenticated,
    });
    if (client === undefined) {
      sendRpcError(response, 503, RPC_ERROR.refused, TOO_MANY_CLIENTS);
      return;
    }
    if (hot === undefined) {
      occupy(client, response);
      modern.handle(request, response, message, client.caller);
      return;
    }
    const exchange = new HttpExchange(response, client, streams, acceptsStream(request.headers.accept));
    answerHot(hot, client, exchange);
  };
}

/** Whether the SDK's own classifier sends a message to the era of sessions; all else is for its modern handler. */
function isLegacyTraffic(body: unknown, headers: MirrorHeaders): boolean {
  const { protocolVersion, method, name } = headers;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersion === undefined ? {} : { protocolVersionHeader: protocolVersion }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
  return kind === 'legacy';
}

/** Node joins repeated headers of these names into one string. */
function readMirrorHeaders({ headers }: IncomingMessage): MirrorHeaders {
  return {
    protocolVersion: headers['mcp-protocol-version'] as string | undefined,
    method: headers['mcp-method'] as string | undefined,
    name: headers['mcp-name'] as string | undefined,
  };
}
