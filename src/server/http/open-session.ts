import type { ServerResponse } from 'node:http';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { cleanLabel } from '../../base/lib/text.js';
import { readAbilities } from '../../base/protocol/ask.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Handshake } from '../mcp/answer-handshake.js';
import type { RequestId } from '../mcp/calls-in-flight.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { asksForStructured, sendRpcError } from './responder.js';
import { explainFullness, type LegacySession, type LegacySessions, type SessionOrigin } from './sessions.js';

interface AskedSession {
  readonly message: unknown;
  readonly id: RequestId | null;
  readonly response: ServerResponse;
  readonly origin: SessionOrigin;
}

/** Opens the session of a legacy client's `initialize` and has it answered, or refuses it. */
export function openSession(
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
