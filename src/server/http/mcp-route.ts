import type { IncomingMessage, ServerResponse } from 'node:http';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import { isJsonObject } from '../../protocol/json.js';
import { createFastAnswerer, type FastAnswerer } from '../mcp/answer-fast.js';
import { OpenQuestions } from '../mcp/elicitation.js';
import {
  clientNameOf,
  headersAgree,
  isPlainHandshake,
  isRequestId,
  type MirrorHeaders,
  type RequestId,
  recogniseFastRequest,
} from '../mcp/fast-request.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { createModernHandler, type ModernHandler } from '../mcp/sdk-handler.js';
import { createSdkServerFactory } from '../mcp/sdk-server.js';
import { createSdkAnswerer } from '../mcp/sdk-transport.js';
import { createResultWriter, type ServerInfo } from '../mcp/write-result.js';
import { authenticateClients } from './admit.js';
import { createPostReceiver, type MessageRouter } from './receive-post.js';
import {
  createHttpExchanges,
  createSseStreams,
  type HttpExchanges,
  occupy,
  type RequestHandler,
  sendRpcError,
} from './responder.js';
import { createLegacyEndpoint, type LegacyEndpoint } from './session-endpoint.js';
import { createSessionIds, readSessionKey } from './session-ids.js';
import {
  createLegacySessions,
  createModernCallers,
  createSessionEvents,
  explainFullness,
  type ModernCallers,
  UNNAMED,
} from './sessions.js';
import { isSubscription, Subscriptions } from './subscriptions.js';

export interface McpEndpoint {
  /** Answers one HTTP request of any method. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Ends the streams that wait for changes; calls go on. */
  endStreams(): Promise<void>;
  /** Ends every call in flight with an answer that says that its outcome is unknown. */
  interruptCalls(): void;
  /** Ends every session. */
  close(): void;
}

/** Upper bound for receiving one request; answers may take as long as they need. */
export const REQUEST_TIMEOUT_MS = 60_000;

/** The sweep for idle sessions runs four times per idle time, and at least twice a minute. */
const MAX_SWEEP_MS = 30_000;

/** MCP over Streamable HTTP, both eras on one path. Builds the parts and owns what they share: one timer, one listener. */
export function createMcpEndpoint(gateway: Gateway, serverInfo: ServerInfo, observe: Observer): McpEndpoint {
  const { server: settings, limits, clients } = gateway.config;
  const writer = createResultWriter(serverInfo, gateway.config.endpoint.errors);
  const questions = new OpenQuestions();
  const answerFast = createFastAnswerer({ gateway, writer, questions, observe });
  const createServer = createSdkServerFactory(gateway, serverInfo);
  const streams = createSseStreams();
  const events = createSessionEvents(gateway, observe);
  const exchanges = createHttpExchanges(streams);
  const ids = createSessionIds(readSessionKey(gateway.config.dataDir, observe));
  const sessions = createLegacySessions(settings, ids, events);
  const callers = createModernCallers(settings, events);
  const answerWithSdk = createSdkAnswerer(createServer, questions, observe);
  const legacy = createLegacyEndpoint({
    sessions,
    answerFast,
    answerWithSdk,
    streams,
    exchanges,
    questions,
    settings,
  });
  const modern = createModernHandler(createServer, settings.maxSessions, observe);
  const route = createMessageRouter({ legacy, modern, callers, answerFast, exchanges, settings });
  const handlers: ReadonlyMap<string | undefined, RequestHandler> = new Map([
    ['POST', createPostReceiver({ ...limits, requestTimeoutMs: REQUEST_TIMEOUT_MS, route, writer, observe })],
    ['GET', legacy.get],
    ['DELETE', legacy.delete],
  ]);
  const handleMethod: RequestHandler = (request, response, client) =>
    (handlers.get(request.method) ?? refuseMethod)(request, response, client);

  const stopListening = gateway.onToolsChanged(() => {
    sessions.notifyToolsChanged();
    modern.notifyToolsChanged();
  });
  const sweep = (): void => {
    const now = Date.now();
    sessions.sweep(now);
    callers.sweep(now);
  };
  const sweeper = setInterval(sweep, Math.min(settings.sessionIdleMs / 4, MAX_SWEEP_MS)).unref();

  return {
    handle: authenticateClients(clients, handleMethod, observe),
    async endStreams() {
      stopListening();
      sessions.endStreams();
      await modern.close();
    },
    interruptCalls: () => exchanges.interruptAll('the gateway is stopping'),
    close() {
      clearInterval(sweeper);
      sessions.endAll();
      callers.endAll();
      streams.close();
    },
  };
}

function refuseMethod(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('allow', 'GET, POST, DELETE, OPTIONS');
  sendRpcError(response, 405, RPC_ERROR.refused, 'Method not allowed.');
}

interface MessageRouterDeps {
  readonly legacy: LegacyEndpoint;
  readonly modern: ModernHandler;
  readonly callers: ModernCallers;
  readonly answerFast: FastAnswerer;
  readonly exchanges: HttpExchanges;
  readonly settings: GatewayConfig['server'];
}

/** Sends fast requests to the gateway, other legacy ones to their session, and everything else to the SDK's handler. */
function createMessageRouter(deps: MessageRouterDeps): MessageRouter {
  const { legacy, modern, callers, answerFast, exchanges, settings } = deps;
  const subscriptions = new Subscriptions(settings.maxSessions);

  return (message, request, response, authenticated) => {
    const headers = readMirrorHeaders(request);
    const recognised = recogniseFastRequest(message);
    const fast = recognised !== undefined && headersAgree(recognised, headers) ? recognised : undefined;
    if (fast?.era === 'legacy' || (fast === undefined && isLegacyTraffic(message, headers))) {
      legacy.post(message, fast, request, response, authenticated);
      return;
    }
    const client = callers.find({
      address: request.socket.remoteAddress ?? '',
      clientName: fast?.clientName ?? clientNameOf(message) ?? UNNAMED,
      client: authenticated,
    });
    const refusal =
      typeof client === 'string'
        ? explainFullness(client, settings)
        : isSubscription(message)
          ? subscriptions.open(client.caller.sessionId, response)
          : undefined;
    if (typeof client === 'string' || refusal !== undefined) {
      sendRpcError(response, 503, RPC_ERROR.refused, refusal ?? '', readId(message));
      return;
    }
    if (fast === undefined) {
      occupy(client, response);
      modern.handle(request, response, message, client.caller);
      return;
    }
    answerFast(fast, client, exchanges.open(response, client, request.headers.accept));
  };
}

/** The id of a request, for a refusal. */
function readId(message: unknown): RequestId | null {
  const id = isJsonObject(message) ? message['id'] : undefined;
  return isRequestId(id) ? id : null;
}

/** Whether the SDK's own classifier assigns a message to the legacy era; the modern handler answers all others. */
function isLegacyTraffic(body: unknown, headers: MirrorHeaders): boolean {
  if (isPlainHandshake(body, headers)) return true;
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
