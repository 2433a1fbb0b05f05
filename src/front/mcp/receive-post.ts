import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Observer } from '../../observe/observation.js';
import { type Era, MODERN_REVISION } from './hot-request.js';
import { type RequestHandler, sendJson, sendRpcError } from './http-answer.js';
import { acceptsJson, sendsJson } from './media-type.js';
import { decodeMessage, payloadTooLarge, type Refusal, refuseMessage } from './refuse-message.js';
import { type Body, cutOffAfterAnswer, readBody } from './request-body.js';
import type { MessageRouter } from './route-message.js';
import { RPC_ERROR } from './rpc-error.js';
import type { ResultWriter } from './tool-result.js';

export interface PostReceiverDeps {
  /** The largest body in bytes. */
  readonly maxRequestSize: number;
  readonly route: MessageRouter;
  readonly writer: ResultWriter;
  readonly observe: Observer;
}

const UNSUPPORTED_MEDIA_TYPE = 'Unsupported Media Type: Content-Type must be application/json';
const NOT_ACCEPTABLE = 'Not Acceptable: Client must accept both application/json and text/event-stream';

/** Takes a POST from its headers to a parsed body. A request is refused here when it is no JSON, no UTF-8 or too large. */
export function createPostReceiver({ maxRequestSize, route, writer, observe }: PostReceiverDeps): RequestHandler {
  const answerBody = (
    body: Body,
    request: IncomingMessage,
    response: ServerResponse,
    client: string | undefined,
  ): void => {
    const era: Era = request.headers['mcp-protocol-version'] === MODERN_REVISION ? 'modern' : 'legacy';
    if (body.kind === 'too-large') {
      if (body.cutOff) cutOffAfterAnswer(request, response);
      const error = payloadTooLarge(maxRequestSize, body.size);
      sendRefusal(response, refuseMessage(body.excerpt.sketch(), error, era, writer));
      return;
    }
    const decoded = decodeMessage(body.bytes, era, writer);
    if (decoded.kind === 'message') route(decoded.message, request, response, client);
    else sendRefusal(response, decoded.refusal);
  };

  return (request, response, client) => {
    const { accept, 'content-type': contentType } = request.headers;
    if (!sendsJson(contentType)) {
      sendRpcError(response, 415, RPC_ERROR.refused, UNSUPPORTED_MEDIA_TYPE);
      return;
    }
    if (!acceptsJson(accept)) {
      sendRpcError(response, 406, RPC_ERROR.refused, NOT_ACCEPTABLE);
      return;
    }
    readBody(request, maxRequestSize, (body) => {
      try {
        answerBody(body, request, response, client);
      } catch (cause) {
        observe({ kind: 'defect', where: 'POST /mcp', cause });
        if (!response.headersSent) sendRpcError(response, 500, RPC_ERROR.internal, 'Internal error');
      }
    });
  };
}

function sendRefusal(response: ServerResponse, { status, text }: Refusal): void {
  sendJson(response, status, text);
}
