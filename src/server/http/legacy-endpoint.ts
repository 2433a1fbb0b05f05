import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../../base/json/json.js';
import { cleanLabel } from '../../base/lib/text.js';
import type { Observer } from '../../base/observe/observation.js';
import { readAbilities } from '../../base/protocol/ask.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Authenticated } from '../auth/authenticated.js';
import { createHandshakeAnswerer, type Handshake } from '../mcp/answer-handshake.js';
import { applyCancellation, type RequestId, type Responder, readId, splitBatch } from '../mcp/calls-in-flight.js';
import type { OpenQuestions } from '../mcp/elicitation.js';
import { type FastAnswerer, type FastRequest, isLegacyVersion, recogniseFastRequest } from '../mcp/fast-path.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import type { SdkAnswerer } from '../mcp/sdk-transport.js';
import { explainFullness } from './idle-map.js';
import type { FoundAnswer, KeptAnswers } from './kept-answers.js';
import {
  acceptsStream,
  addressOf,
  asksForStructured,
  type HttpExchanges,
  occupy,
  type RequestHandler,
  type SseStreams,
  sendEvent,
  sendNothing,
  sendRpcError,
} from './responder.js';
import type { FoundSession, LegacySession, LegacySessions, SessionOrigin } from './sessions.js';

const MAX_BATCH = 100;

/** Streamable HTTP up to revision 2025-11-25: `initialize` opens a session, DELETE ends it. */
export interface LegacyEndpoint {
  /** Answers a message or batch that the SDK classifies as legacy; `fast` is the fast request that it holds, if any. */
  post(
    message: unknown,
    fast: FastRequest | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    client: Authenticated | undefined,
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
  readonly kept: KeptAnswers;
  readonly questions: OpenQuestions;
  readonly settings: GatewayConfig['server'];
  readonly observe: Observer;
  /** What the answer to a handshake depends on. */
  readonly capabilities: () => unknown;
  /** Ends a stream with the token of its request. */
  readonly followToken: RequestHandler;
}

type OpenResponder = (session: LegacySession) => Responder;

export function createLegacyEndpoint(deps: LegacyEndpointDeps): LegacyEndpoint {
  const { sessions, answerFast, answerWithSdk, streams, exchanges, kept, questions, settings, followToken } = deps;
  const withSession = createSessionFinder(sessions, settings, deps.observe);
  const answerHandshake = createHandshakeAnswerer(answerWithSdk, deps.capabilities);

  const answer = (message: JSONRPCMessage, session: LegacySession, responder: Responder): void => {
    const fast = recogniseFastRequest(message);
    if (fast?.era === 'legacy') answerFast(fast, session, responder);
    else answerWithSdk(message, session, responder);
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
      questions.noteChange(session.caller.sessionId, each);
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
      const openResponder: OpenResponder = (session) =>
        exchanges.open(response, session, request.headers.accept, session);
      if (fast !== undefined) {
        withSession(request, response, client, (session) => answerFast(fast, session, openResponder(session)));
        return;
      }
      // Whatever session the client names: it has begun anew, be it because that one has ended.
      if (isInitialize(message)) {
        const origin = { address: addressOf(request), client };
        const handshake = { message, id: readId(message), response, origin };
        openSession(handshake, sessions, settings, (asked, session) =>
          answerHandshake(asked, session, openResponder(session)),
        );
        return;
      }
      withSession(request, response, client, (session) => postUnusual(message, session, response, openResponder));
    },

    get(request, response, client) {
      if (!acceptsStream(request.headers.accept)) {
        sendRpcError(response, 406, RPC_ERROR.refused, 'Not Acceptable: Client must accept text/event-stream');
        return;
      }
      withSession(request, response, client, (session) => {
        occupy(session, response);
        streams.open(response);
        followToken(request, response, client);
        const goOn = (found: FoundAnswer): void => {
          if (found === undefined) session.stream.attach(response);
          else if ('moveTo' in found) found.moveTo(response);
          else sendEvent(response, found);
        };
        const { 'last-event-id': lastEvent } = request.headers;
        const found = typeof lastEvent === 'string' ? kept.find(lastEvent, session) : undefined;
        if (found instanceof Promise) void found.then(goOn);
        else goOn(found);
      });
    },

    delete(request, response, client) {
      withSession(request, response, client, (session) => {
        const ending = sessions.end(session);
        if (ending === undefined) sendNothing(response, 200);
        else void ending.then(() => sendNothing(response, 200));
      });
    },
  };
}

/** Answers a request in the session that it names, at once where this process knows it; refuses it where there is none. */
type WithSession = (
  request: IncomingMessage,
  response: ServerResponse,
  client: Authenticated | undefined,
  answer: (session: LegacySession) => void,
) => void;

const SESSION_REQUIRED =
  'Bad Request: Mcp-Session-Id header is required. Send initialize first; its answer carries the id.';
const SESSION_UNKNOWN = 'Session not found: it has ended or expired. Send initialize to open a new one.';

function createSessionFinder(
  sessions: Pick<LegacySessions, 'find'>,
  settings: GatewayConfig['server'],
  observe: Observer,
): WithSession {
  return (request, response, client, answer) => {
    const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
    if (typeof id !== 'string') {
      sendRpcError(response, 400, RPC_ERROR.refused, SESSION_REQUIRED);
      return;
    }
    if (!isLegacyVersion(version as string | undefined)) {
      const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
      const problem = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${known})`;
      sendRpcError(response, 400, RPC_ERROR.refused, problem);
      return;
    }
    const take = (session: FoundSession): void => {
      if (session === undefined) sendRpcError(response, 404, RPC_ERROR.sessionNotFound, SESSION_UNKNOWN);
      else if (typeof session === 'object') answer(session);
      else sendRpcError(response, 503, RPC_ERROR.refused, explainFullness(session, settings));
    };
    const finding = sessions.find(id, { address: addressOf(request), client });
    if (!(finding instanceof Promise)) {
      take(finding);
      return;
    }
    finding
      // The client may have gone meanwhile.
      .then((session) => (response.destroyed ? undefined : take(session)))
      .catch((cause: unknown) => {
        observe({ kind: 'defect', where: '/mcp', cause });
        if (!response.headersSent) sendRpcError(response, 500, RPC_ERROR.internal, 'Internal error');
      });
  };
}

function findFault(messages: readonly JSONRPCMessage[]): string | undefined {
  if (messages.some(isInitialize)) return 'Invalid Request: the session is already initialized';
  if (messages.length > MAX_BATCH) return `Invalid Request: a batch must not exceed ${MAX_BATCH} messages`;
  return undefined;
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

function isInitialize(message: unknown): boolean {
  return isJsonObject(message) && message['method'] === 'initialize';
}

interface AskedSession {
  readonly message: unknown;
  readonly id: RequestId | null;
  readonly response: ServerResponse;
  readonly origin: SessionOrigin;
}

/** Opens the session of a legacy client's `initialize` and has it answered, or refuses it. */
function openSession(
  { message, id, response, origin }: AskedSession,
  sessions: Pick<LegacySessions, 'open' | 'share'>,
  settings: GatewayConfig['server'],
  answer: (handshake: Handshake, session: LegacySession) => void,
): void {
  if (id === null || !isInitializeRequest(message)) {
    const problem = 'initialize needs an id, protocolVersion, capabilities and clientInfo {name, version}';
    sendRpcError(response, 400, RPC_ERROR.invalidParams, problem, id);
    return;
  }
  const { clientInfo, capabilities } = message.params;
  const session = sessions.open({
    ...origin,
    clientName: cleanLabel(clientInfo.name),
    abilities: readAbilities(capabilities),
    structured: asksForStructured(response.req),
  });
  if (typeof session === 'string') {
    sendRpcError(response, 503, RPC_ERROR.refused, explainFullness(session, settings), id);
    return;
  }
  response.setHeader('mcp-session-id', session.id);
  const answerIt = (): void => answer({ ...message, jsonrpc: '2.0', id }, session);
  // The client's next request may reach another replica.
  const sharing = sessions.share(session);
  if (sharing === undefined) answerIt();
  else void sharing.then(answerIt);
}
