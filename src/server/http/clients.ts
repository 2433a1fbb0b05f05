import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientConfig } from '../../config/gateway-config.js';
import type { Observer } from '../../observe/observation.js';
import { BearerTokens, RefusalNotices } from '../auth/bearer-tokens.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { type RequestHandler, sendRpcError } from './responder.js';

/** One text for every fault, so that it does not reveal which clients exist. */
const UNAUTHORIZED =
  "Unauthorized: send the header 'Authorization: Bearer <token>' with the token that the gateway's operator gave this client.";

/**
 * Passes requests to the handler with the name of the client whose token they carry, and refuses the others. Where no
 * clients are configured, every request passes, without a name.
 */
export function authenticateClients(
  clients: readonly ClientConfig[],
  handle: RequestHandler,
  observe: Observer,
): (request: IncomingMessage, response: ServerResponse) => void {
  if (clients.length === 0) return (request, response) => handle(request, response, undefined);
  const tokens = new BearerTokens(clients);
  const notices = new RefusalNotices(observe, '/mcp');
  return (request, response) => {
    const client = tokens.holderOf(request.headers.authorization);
    if (client !== undefined) {
      handle(request, response, client);
      return;
    }
    notices.refused(request.socket.remoteAddress ?? 'unknown');
    response.setHeader('www-authenticate', 'Bearer');
    sendRpcError(response, 401, RPC_ERROR.refused, UNAUTHORIZED);
  };
}
