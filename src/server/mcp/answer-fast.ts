import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { RawCall } from '../../protocol/call.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reply } from '../../protocol/result.js';
import type { Peer, Responder } from './calls-in-flight.js';
import type { OpenQuestions } from './elicitation.js';
import type { FastRequest } from './fast-request.js';
import type { MessageText } from './message-text.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import { type ResultWriter, writeProgress } from './write-result.js';

/** Answers a fast request through its responder. */
export type FastAnswerer = (request: FastRequest, peer: Peer, responder: Responder) => void;

interface FastAnswererDeps {
  readonly gateway: Gateway;
  readonly writer: ResultWriter;
  readonly questions: OpenQuestions;
  readonly observe: Observer;
}

/** Creates the one implementation of the fast path, for every transport and both eras. */
export function createFastAnswerer({ gateway, writer, questions, observe }: FastAnswererDeps): FastAnswerer {
  const callTool: FastAnswerer = (request, peer, responder) => {
    const { id } = request;
    const { calls } = peer;
    if (calls !== undefined && !calls.begin(id, responder)) {
      responder.answer(refuseDuplicate(id));
      return;
    }
    const finish = (text: MessageText): void => {
      calls?.forget(id, responder);
      responder.answer(text);
    };
    responder.onInterrupt((reason) => finish(writer.callResult(id, interruptedReply(reason), request.era)));
    gateway.handle(toRawCall(request, peer, responder, questions)).then(
      (reply) => finish(writer.callMessage(id, reply, request.era)),
      (cause) => {
        observe({ kind: 'defect', where: 'tools/call', cause });
        finish(writeRpcError(id, RPC_ERROR.internal, 'Internal error'));
      },
    );
  };

  const answerers: Readonly<Record<FastRequest['method'], FastAnswerer>> = {
    'tools/call': callTool,
    'tools/list': ({ id, era }, _peer, responder) =>
      responder.answer(writer.toolList(id, gateway.toolList().toolsJson, era)),
    ping: ({ id }, _peer, responder) => responder.answer(writer.emptyResult(id)),
  };
  return (request, peer, responder) => answerers[request.method](request, peer, responder);
}

/**
 * Two unanswered requests with one id cannot be distinguished (JSON-RPC 2.0, section 4; MCP basic protocol). The refusal
 * carries no id: a client would take it for the answer to its first request.
 */
export function refuseDuplicate(id: string | number): string {
  return writeRpcError(null, RPC_ERROR.invalidRequest, `Request id '${id}' is still unanswered. Use a new id.`);
}

/** The answer to a call that was still running when the gateway or the session ended. */
function interruptedReply(reason: string): Reply {
  const error = new OperationError(
    'INTERNAL_ERROR',
    `Internal error: '${reason} before the answer came. The call may or may not have run: check before you send it again'`,
    { reason: 'interrupted', retryable: true, outcome: 'unknown' },
  );
  return { text: JSON.stringify(error.toFailure()), blocks: [], isError: true, code: error.code };
}

function toRawCall(request: FastRequest, peer: Peer, responder: Responder, questions: OpenQuestions): RawCall {
  const { tool, params, progressToken } = request;
  const user =
    request.era === 'modern' ? request.user : peer.elicits === true ? questions.channel(peer, responder) : undefined;
  const call = {
    tool,
    arguments: params['arguments'],
    caller: peer.caller,
    cancellation: responder.cancellation,
    traceparent: request.traceparent ?? responder.traceparent,
    ...(user === undefined ? {} : { user }),
  };
  if (progressToken === undefined || !responder.canNotify) return call;
  return { ...call, onProgress: (update) => responder.notify(writeProgress(progressToken, update)) };
}
