import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { cleanLabel } from '../../lib/text.js';
import { isJsonObject } from '../../protocol/json.js';
import type { FastAnswerer } from '../mcp/answer-fast.js';
import { createHandshakeAnswerer } from '../mcp/answer-handshake.js';
import { applyCancellation, type Responder, splitBatch } from '../mcp/calls-in-flight.js';
import type { OpenQuestions } from '../mcp/elicitation.js';
import { showsForms } from '../mcp/elicitation-form.js';
import {
  type FastRequest,
  isLegacyVersion,
  isRequestId,
  type RequestId,
  recogniseFastRequest,
} from '../mcp/fast-request.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import type { SdkAnswerer } from '../mcp/sdk-transport.js';
import {
  acceptsStream,
  type HttpExchanges,
  occupy,
  type RequestHandler,
  type SseStreams,
  sendNothing,
  sendRpcError,
} from './responder.js';
import { explainFullness, type LegacySession, type LegacySessions, type SessionOrigin } from './sessions.js';

const MAX_BATCH = 100;

/** Streamable HTTP up to revision 2025-11-25: `initialize` opens a session, DELETE ends it. */
export interface LegacyEndpoint {
  /** Answers a message or batch that the SDK classifies as legacy; `fast` is the fast request that it holds, if any. */
  post(
    message: unknown,
    fast: FastRequest | undefined,
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
  readonly answerFast: FastAnswerer;
  readonly answerWithSdk: SdkAnswerer;
  readonly streams: SseStreams;
  readonly exchanges: HttpExchanges;
  readonly questions: OpenQuestions;
  readonly settings: GatewayConfig['server'];
}

type OpenResponder = (session: LegacySession) => Responder;

export function createLegacyEndpoint(deps: LegacyEndpointDeps): LegacyEndpoint {
  const { sessions, answerFast, answerWithSdk, streams, exchanges, questions, settings } = deps;
  const findSession = createSessionFinder(sessions, settings);
  const answerHandshake = createHandshakeAnswerer(answerWithSdk);

  const answer = (message: JSONRPCMessage, session: LegacySession, responder: Responder): void => {
    const fast = recogniseFastRequest(message);
    if (fast?.era === 'legacy') answerFast(fast, session, responder);
    else answerWithSdk(message, session, responder);
  };

  const openSession = (
    message: unknown,
    response: ServerResponse,
    origin: SessionOrigin,
    openResponder: OpenResponder,
  ): void => {
    const id = readId(message);
    if (id === null || !isInitializeRequest(message)) {
      const problem = 'initialize needs an id, protocolVersion, capabilities and clientInfo {name, version}';
      sendRpcError(response, 400, RPC_ERROR.invalidParams, problem, id);
      return;
    }
    const { clientInfo, capabilities } = message.params;
    const session = sessions.open({
      ...origin,
      clientName: cleanLabel(clientInfo.name),
      elicits: showsForms(capabilities),
    });
    if (typeof session === 'string') {
      sendRpcError(response, 503, RPC_ERROR.refused, explainFullness(session, settings), id);
      return;
    }
    response.setHeader('mcp-session-id', session.id);
    answerHandshake({ ...message, jsonrpc: '2.0', id }, session, openResponder(session));
  };

  /** Everything that is not a single fast request: other requests, notifications, responses, and batches of all of them. */
  const postUnusual = (
    message: unknown,
    session: LegacySession,
    response: ServerResponse,
    openResponder: OpenResponder,
  ): void => {
    // The SDK's classifier has checked that it is a valid message or an array of them.
    const messages = (Array.isArray(message) ? message : [message]) as readonly JSONRPCMessage[];
    const fault = findFault(messages);
    if (fault !== undefined) {
      sendRpcError(response, 400, RPC_ERROR.invalidRequest, fault);
      return;
    }
    for (const each of messages) {
      applyCancellation(each, session.calls);
      if (!('method' in each)) questions.takeResponse(session.caller.sessionId, each);
    }
    const requests = messages.filter(isRequest);
    if (requests.length === 0) {
      occupy(session, response);
      sendNothing(response, 202);
      return;
    }
    const responder = openResponder(session);
    const responders = Array.isArray(message) ? splitBatch(requests.length, responder) : [responder];
    for (const [index, each] of responders.entries()) answer(requests[index] as JSONRPCMessage, session, each);
  };

  return {
    post(message, fast, request, response, client) {
      const openResponder: OpenResponder = (session) => exchanges.open(response, session, request.headers.accept);
      if (isInitialize(message) && request.headers['mcp-session-id'] === undefined) {
        openSession(message, response, originOf(request, client), openResponder);
        return;
      }
      const session = findSession(request, response, client);
      if (session === undefined) return;
      if (fast === undefined) postUnusual(message, session, response, openResponder);
      else answerFast(fast, session, openResponder(session));
    },

    get(request, response, client) {
      if (!acceptsStream(request.headers.accept)) {
        sendRpcError(response, 406, RPC_ERROR.refused, 'Not Acceptable: Client must accept text/event-stream');
        return;
      }
      const session = findSession(request, response, client);
      if (session === undefined) return;
      occupy(session, response);
      streams.open(response);
      session.stream.attach(response);
    },

    delete(request, response, client) {
      const session = findSession(request, response, client);
      if (session === undefined) return;
      sessions.end(session);
      sendNothing(response, 200);
    },
  };
}

/** Finds the session that a request names; undefined when there is none and the request has been refused. */
type SessionFinder = (
  request: IncomingMessage,
  response: ServerResponse,
  client: string | undefined,
) => LegacySession | undefined;

function createSessionFinder(sessions: LegacySessions, settings: GatewayConfig['server']): SessionFinder {
  return (request, response, client) => {
    const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
    if (typeof id !== 'string') {
      sendRpcError(response, 400, RPC_ERROR.refused, SESSION_REQUIRED);
      return undefined;
    }
    if (!isLegacyVersion(version as string | undefined)) {
      const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
      const problem = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${known})`;
      sendRpcError(response, 400, RPC_ERROR.refused, problem);
      return undefined;
    }
    const session = sessions.find(id, originOf(request, client));
    if (session !== undefined && typeof session !== 'string') return session;
    if (session === undefined) sendRpcError(response, 404, RPC_ERROR.sessionNotFound, SESSION_UNKNOWN);
    else sendRpcError(response, 503, RPC_ERROR.refused, explainFullness(session, settings));
    return undefined;
  };
}

const SESSION_REQUIRED =
  'Bad Request: Mcp-Session-Id header is required. Send initialize first; its answer carries the id.';
const SESSION_UNKNOWN = 'Session not found: it has ended or expired. Send initialize to open a new one.';

function originOf({ socket }: IncomingMessage, client: string | undefined): SessionOrigin {
  return { address: socket.remoteAddress ?? '', client };
}

function findFault(messages: readonly JSONRPCMessage[]): string | undefined {
  if (messages.some(isInitialize)) return 'Invalid Request: the session is already initialized';
  if (messages.length > MAX_BATCH) return `Invalid Request: a batch must not exceed ${MAX_BATCH} messages`;
  return undefined;
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

function readId(message: unknown): RequestId | null {
  return isJsonObject(message) && isRequestId(message['id']) ? message['id'] : null;
}

function isInitialize(message: unknown): boolean {
  return isJsonObject(message) && message['method'] === 'initialize';
}
