import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '../../gateway.js';
import type { Observer } from '../../observe/observation.js';
import { createHotAnswerer } from './answer-hot-request.js';
import { createSlowAnswerer } from './answer-slow-request.js';
import { authenticateClients } from './authenticate-clients.js';
import { type RequestHandler, sendRpcError } from './http-answer.js';
import { createLegacyEndpoint } from './legacy-endpoint.js';
import { createLegacySessions } from './legacy-sessions.js';
import { createModernCallers } from './modern-callers.js';
import { createModernHandler } from './modern-handler.js';
import { OpenQuestions } from './open-questions.js';
import { createPostReceiver } from './receive-post.js';
import { createMessageRouter } from './route-message.js';
import { RPC_ERROR } from './rpc-error.js';
import { createSdkServerFactory } from './sdk-server.js';
import { createSessionEvents } from './session-events.js';
import { createSseStreams } from './sse-stream.js';
import { createResultWriter, type ServerInfo } from './tool-result.js';

export interface McpEndpoint {
  /** Answers one HTTP request, whatever its method. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Ends the streams that wait for changes; calls go on. */
  endStreams(): Promise<void>;
  /** Ends every session, with whatever is still in flight. */
  close(): void;
}

/** How often idle sessions are looked for: four times in an idle time, and at least twice a minute. */
const MAX_SWEEP_MS = 30_000;

/** MCP over Streamable HTTP, both eras on one path. Builds the parts and holds what they share: one timer, one listener. */
export function createMcpEndpoint(gateway: Gateway, serverInfo: ServerInfo, observe: Observer): McpEndpoint {
  const { server: settings, limits, clients } = gateway.config;
  const writer = createResultWriter(serverInfo);
  const questions = new OpenQuestions();
  const answerHot = createHotAnswerer({ gateway, writer, questions, observe });
  const createServer = createSdkServerFactory(gateway, serverInfo);
  const streams = createSseStreams();
  const events = createSessionEvents(gateway, observe);
  const sessions = createLegacySessions(settings, events);
  const callers = createModernCallers(settings, events);
  const answerSlow = createSlowAnswerer(createServer, questions, observe);
  const legacy = createLegacyEndpoint({ sessions, answerHot, answerSlow, streams, questions });
  const modern = createModernHandler(createServer, observe);
  const route = createMessageRouter({ legacy, modern, callers, answerHot, streams });
  const handlers: ReadonlyMap<string | undefined, RequestHandler> = new Map([
    ['POST', createPostReceiver({ maxRequestSize: limits.maxRequestSize, route, writer, observe })],
    ['GET', legacy.get],
    ['DELETE', legacy.delete],
  ]);
  const handleMethod: RequestHandler = (request, response, client) =>
    (handlers.get(request.method) ?? refuseMethod)(request, response, client);

  const stopListening = gateway.onToolsChanged(() => {
    sessions.tellToolsChanged();
    modern.tellToolsChanged();
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
