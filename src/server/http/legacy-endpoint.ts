import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Observer } from '../../base/observe/observation.js';
import { readAbilities } from '../../base/protocol/ask.js';
import { SESSION_REVISIONS } from '../../base/protocol/envelope.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Authenticated } from '../auth/authenticated.js';
import type { McpRequest, Received } from '../mcp/read-message.js';
import { findRefusal, writeFault } from '../mcp/receive-message.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { explainFullness } from './idle-map.js';
import type { FoundAnswer, KeptAnswers } from './kept-answers.js';
import { revisionOf } from './mirror-headers.js';
import {
  acceptsStream,
  addressOf,
  answerWhen,
  asksForStructured,
  type Fail,
  failing,
  occupy,
  type RequestHandler,
  type SseStreams,
  sendEvent,
  sendJson,
  sendNothing,
  sendRpcError,
} from './responder.js';
import { type FoundSession, type LegacySession, type LegacySessions, type SessionOrigin, UNNAMED } from './sessions.js';

/** Streamable HTTP up to revision 2025-11-25: `initialize` opens a session, DELETE ends it. */
export interface LegacyEndpoint {
  /** Finds the session of what a POST brings, or opens it; refuses the POST where there is none. */
  enter(
    received: Received,
    request: IncomingMessage,
    response: ServerResponse,
    client: Authenticated | undefined,
    goOn: (session: LegacySession) => void,
  ): void;
  /** Opens the session's standalone stream. */
  readonly get: RequestHandler;
  /** Ends the session. */
  readonly delete: RequestHandler;
}

interface LegacyEndpointDeps {
  readonly sessions: LegacySessions;
  readonly streams: SseStreams;
  readonly kept: KeptAnswers;
  readonly settings: GatewayConfig['server'];
  readonly observe: Observer;
  /** Ends a stream with the token of its request. */
  readonly followToken: RequestHandler;
}

export function createLegacyEndpoint(deps: LegacyEndpointDeps): LegacyEndpoint {
  const { sessions, streams, kept, settings, followToken } = deps;
  const fail = failing(deps.observe, '/mcp');
  const withSession = createSessionFinder(sessions, settings, fail);

  return {
    enter({ requests }, request, response, client, goOn) {
      const [first] = requests;
      // Whatever session the client names: it has begun anew, be it because that one has ended.
      if (first?.method === 'initialize') {
        const origin = { address: addressOf(request), client };
        openSession({ handshake: first, response, origin }, sessions, settings, fail, goOn);
      } else withSession(request, response, client, goOn);
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
        void answerWhen(
          typeof lastEvent === 'string' ? kept.find(lastEvent, session) : undefined,
          response,
          fail,
          goOn,
        );
      });
    },

    delete(request, response, client) {
      withSession(request, response, client, (session) => {
        void answerWhen(sessions.end(session), response, fail, () => sendNothing(response, 200));
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
  fail: Fail,
): WithSession {
  return (request, response, client, answer) => {
    const { 'mcp-session-id': id } = request.headers;
    const version = revisionOf(request.headers);
    if (typeof id !== 'string') {
      sendRpcError(response, 400, RPC_ERROR.refused, SESSION_REQUIRED);
      return;
    }
    if (version !== undefined && !SESSION_REVISIONS.includes(version)) {
      const known = SESSION_REVISIONS.join(', ');
      const problem = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${known})`;
      sendRpcError(response, 400, RPC_ERROR.refused, problem);
      return;
    }
    const take = (session: FoundSession): void => {
      if (session === undefined) sendRpcError(response, 404, RPC_ERROR.sessionNotFound, SESSION_UNKNOWN);
      else if (typeof session === 'object') answer(session);
      else sendRpcError(response, 503, RPC_ERROR.refused, explainFullness(session, settings));
    };
    void answerWhen(sessions.find(id, { address: addressOf(request), client }), response, fail, take);
  };
}

interface AskedSession {
  readonly handshake: McpRequest;
  readonly response: ServerResponse;
  readonly origin: SessionOrigin;
}

/** Opens the session of a client's `initialize`, or refuses it. */
function openSession(
  { handshake, response, origin }: AskedSession,
  sessions: Pick<LegacySessions, 'open' | 'share'>,
  settings: GatewayConfig['server'],
  fail: Fail,
  goOn: (session: LegacySession) => void,
): void {
  const { id, params, clientName = UNNAMED } = handshake;
  const refusal = findRefusal(handshake);
  if (refusal !== undefined) {
    // A session that its client does not know of would take a place until it has been idle for long.
    sendJson(response, 400, writeFault(refusal, id));
    return;
  }
  const session = sessions.open({
    ...origin,
    clientName,
    abilities: readAbilities(params['capabilities']),
    structured: asksForStructured(response.req),
  });
  if (typeof session === 'string') {
    sendRpcError(response, 503, RPC_ERROR.refused, explainFullness(session, settings), id);
    return;
  }
  response.setHeader('mcp-session-id', session.id);
  // The client's next request may reach another replica.
  void answerWhen(sessions.share(session), response, fail, () => goOn(session));
}
