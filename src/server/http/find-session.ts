import type { IncomingMessage, ServerResponse } from 'node:http';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Observer } from '../../observe/observation.js';
import type { Authenticated } from '../auth/authenticated.js';
import { isLegacyVersion } from '../mcp/fast-path.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { addressOf, sendRpcError } from './responder.js';
import {
  explainFullness,
  type FoundSession,
  type LegacySession,
  type LegacySessions,
  type SessionOrigin,
} from './sessions.js';

/** Answers a request in the session that it names, at once where this process knows it; refuses it where there is none. */
export type WithSession = (
  request: IncomingMessage,
  response: ServerResponse,
  client: Authenticated | undefined,
  answer: (session: LegacySession) => void,
) => void;

const SESSION_REQUIRED =
  'Bad Request: Mcp-Session-Id header is required. Send initialize first; its answer carries the id.';
const SESSION_UNKNOWN = 'Session not found: it has ended or expired. Send initialize to open a new one.';

export function createSessionFinder(
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
    const finding = sessions.find(id, originOf(request, client));
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

export function originOf(request: IncomingMessage, client: Authenticated | undefined): SessionOrigin {
  return { address: addressOf(request), client };
}
