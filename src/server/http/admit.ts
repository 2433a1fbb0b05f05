import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientConfig } from '../../config/gateway-config.js';
import type { Observer } from '../../observe/observation.js';
import { authenticatedAs } from '../auth/authenticated.js';
import { BearerTokens, RefusalNotices } from '../auth/bearer-tokens.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { type RequestHandler, sendRpcError } from './responder.js';

/** Passes a request on with who was authenticated, or refuses it. */
type Gate = (request: IncomingMessage, response: ServerResponse, handle: RequestHandler) => void;

/** Who may use MCP over HTTP, at this moment. */
export class Admission {
  /** Undefined where every request passes, without an identity. */
  gate: Gate | undefined;
  readonly #observe: Observer;

  constructor(clients: readonly ClientConfig[], observe: Observer) {
    this.#observe = observe;
    this.replace(clients);
  }

  /** From now on these are admitted and no others: a token that is not among them is revoked. */
  replace(clients: readonly ClientConfig[]): void {
    this.gate = clients.length === 0 ? undefined : createGate(clients, this.#observe);
  }
}

/** One text for every fault, so that it does not reveal which clients exist. */
const UNAUTHORIZED =
  "Unauthorized: send the header 'Authorization: Bearer <token>' with the token that the gateway's operator gave this client.";

function createGate(clients: readonly ClientConfig[], observe: Observer): Gate {
  const tokens = new BearerTokens(clients);
  const known = new Map(clients.map(({ name }) => [name, authenticatedAs({ client: name })]));
  const notices = new RefusalNotices(observe, '/mcp');
  return (request, response, handle) => {
    const name = tokens.holderOf(request.headers.authorization);
    const client = name === undefined ? undefined : known.get(name);
    if (client !== undefined) {
      handle(request, response, client);
      return;
    }
    notices.refused(request.socket.remoteAddress ?? 'unknown');
    response.setHeader('www-authenticate', 'Bearer');
    sendRpcError(response, 401, RPC_ERROR.refused, UNAUTHORIZED);
  };
}
