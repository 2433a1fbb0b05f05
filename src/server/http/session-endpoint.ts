import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../../protocol/json.js';
import type { HotAnswerer } from '../mcp/answer-fast.js';
import { heedCancellation, type Responder, splitBatch } from '../mcp/calls-in-flight.js';
import type { OpenQuestions } from '../mcp/elicitation.js';
import { showsForms } from '../mcp/elicitation-form.js';
import { type HotRequest, isLegacyVersion, recogniseHotRequest } from '../mcp/fast-request.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import type { SlowAnswerer } from '../mcp/sdk-transport.js';
import {
  acceptsStream,
  HttpExchange,
  occupy,
  type RequestHandler,
  type SseStreams,
  sendNothing,
  sendRpcError,
} from './responder.js';
import type { LegacySession, LegacySessions } from './sessions.js';

const MAX_BATCH = 100;

/** Streamable HTTP as the protocol had it up to 2025-11-25: `initialize` opens a session, DELETE ends it. */
export interface LegacyEndpoint {
  /** Answers a message or batch that the SDK classifies as legacy; `hot` is what was recognised in it. */
  post(
    message: unknown,
    hot: HotRequest | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    client: string | undefined,
  ): void;
  /** Opens the session's standalone stream. */
  readonly get: RequestHandler;
  /** Ends the session. */
  readonly delete: RequestHandler;
}

interface LegacyEndpointDeps {
  readonly sessions: LegacySessions;
  readonly answerHot: HotAnswerer;
  readonly answerSlow: SlowAnswerer;
  readonly streams: SseStreams;
  readonly questions: OpenQuestions;
}

type OpenResponder = (session: LegacySession) => Responder;

export function createLegacyEndpoint(deps: LegacyEndpointDeps): LegacyEndpoint {
  const { sessions, answerHot, answerSlow, streams, questions } = deps;

  const answer = (message: JSONRPCMessage, session: LegacySession, port: Responder): void => {
    const hot = recogniseHotRequest(message);
    if (hot?.era === 'legacy') answerHot(hot, session, port);
    else answerSlow(message, session, port);
  };

  const openSession = (
    message: unknown,
    response: ServerResponse,
    client: string | undefined,
    openPort: OpenResponder,
  ): void => {
    const id = isJSONRPCRequest(message) ? message.id : null;
    if (!isInitializeRequest(message) || !isJSONRPCRequest(message)) {
      const problem = 'initialize needs an id, protocolVersion, capabilities and clientInfo {name, version}';
      sendRpcError(response, 400, RPC_ERROR.invalidParams, problem, id);
      return;
    }
    const { clientInfo, capabilities } = message.params;
    const session = sessions.open({ clientName: clientInfo.name, client, elicits: showsForms(capabilities) });
    if (session === undefined) {
      const problem = 'Every session is in use. Try again later, or raise server.maxSessions.';
      sendRpcError(response, 503, RPC_ERROR.refused, problem, id);
      return;
    }
    response.setHeader('mcp-session-id', session.id);
    answerSlow(message, session, openPort(session));
  };

  /** Whatever is no single hot request: other requests, notifications, responses, and batches of all of them. */
  const postUnusual = (
    message: unknown,
    session: LegacySession,
    response: ServerResponse,
    openPort: OpenResponder,
  ): void => {
    // The SDK's classifier has seen that it is a valid message or an array of them.
    const messages = (Array.isArray(message) ? message : [message]) as readonly JSONRPCMessage[];
    const fault = findFault(messages);
    if (fault !== undefined) {
      sendRpcError(response, 400, RPC_ERROR.invalidRequest, fault);
      return;
    }
    for (const each of messages) {
      heedCancellation(each, session.calls);
      questions.takeResponse(session.caller.sessionId, each);
    }
    const requests = messages.filter(isJSONRPCRequest);
    if (requests.length === 0) {
      occupy(session, response);
      sendNothing(response, 202);
      return;
    }
    const port = openPort(session);
    const ports = Array.isArray(message) ? splitBatch(requests.length, port) : [port];
    for (const [index, each] of ports.entries()) answer(requests[index] as JSONRPCMessage, session, each);
  };

  return {
    post(message, hot, request, response, client) {
      const openPort: OpenResponder = (session) =>
        new HttpExchange(response, session, streams, acceptsStream(request.headers.accept));
      if (isInitialize(message) && request.headers['mcp-session-id'] === undefined) {
        openSession(message, response, client, openPort);
        return;
      }
      const session = findSession(sessions, request, response, client);
      if (session === undefined) return;
      if (hot === undefined) postUnusual(message, session, response, openPort);
      else answerHot(hot, session, openPort(session));
    },

    get(request, response, client) {
      if (!acceptsStream(request.headers.accept)) {
        sendRpcError(response, 406, RPC_ERROR.refused, 'Not Acceptable: Client must accept text/event-stream');
        return;
      }
      const session = findSession(sessions, request, response, client);
      if (session === undefined) return;
      occupy(session, response);
      streams.open(response);
      session.stream.attach(response);
    },

    delete(request, response, client) {
      const session = findSession(sessions, request, response, client);
      if (session === undefined) return;
      sessions.end(session);
      sendNothing(response, 200);
    },
  };
}

/** The session a request names; undefined when it names none that lives, and the request has been refused. */
function findSession(
  sessions: LegacySessions,
  request: IncomingMessage,
  response: ServerResponse,
  client: string | undefined,
): LegacySession | undefined {
  const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
  const session = typeof id === 'string' ? sessions.find(id, client) : undefined;
  if (typeof id !== 'string') {
    const problem = 'Bad Request: Mcp-Session-Id header is required. Send initialize first; its answer carries the id.';
    sendRpcError(response, 400, RPC_ERROR.refused, problem);
  } else if (session === undefined) {
    const problem = 'Session not found: it has ended or expired. Send initialize to open a new one.';
    sendRpcError(response, 404, RPC_ERROR.sessionNotFound, problem);
  } else if (!isLegacyVersion(version as string | undefined)) {
    const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    const problem = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${known})`;
    sendRpcError(response, 400, RPC_ERROR.refused, problem);
    return undefined;
  }
  return session;
}

function findFault(messages: readonly JSONRPCMessage[]): string | undefined {
  if (messages.some(isInitialize)) return 'Invalid Request: the session is already initialized';
  if (messages.length > MAX_BATCH) return `Invalid Request: a batch must not exceed ${MAX_BATCH} messages`;
  return undefined;
}

function isInitialize(message: unknown): boolean {
  return isJsonObject(message) && message['method'] === 'initialize';
}
