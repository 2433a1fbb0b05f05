import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestId } from './hot-request.js';
import { type RpcErrorCode, writeRpcError } from './rpc-error.js';

/** Answers one HTTP request, at once or later. `client` is who has authenticated, where clients must. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, client: string | undefined) => void;

/** Answers with a JSON text that is already written. */
export function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Answers without a body. */
export function sendNothing(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 204 ? {} : { 'content-length': 0 });
  response.end();
}

/** Answers with a JSON-RPC error. */
export function sendRpcError(
  response: ServerResponse,
  status: number,
  code: RpcErrorCode,
  message: string,
  id: RequestId | null = null,
): void {
  sendJson(response, status, writeRpcError(id, code, message));
}
