import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { RawCall } from '../../protocol/call.js';
import type { Peer, Responder } from './calls-in-flight.js';
import type { OpenQuestions } from './elicitation.js';
import type { FastRequest } from './fast-request.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import { type ResultWriter, writeProgress } from './write-result.js';

/** Answers a fast request through its responder. */
export type FastAnswerer = (request: FastRequest, peer: Peer, responder: Responder) => void;

interface HotAnswererDeps {
  readonly gateway: Gateway;
  readonly writer: ResultWriter;
  readonly questions: OpenQuestions;
  readonly observe: Observer;
}

/** Creates the one implementation of the fast path, for every transport and both eras. */
export function createFastAnswerer({ gateway, writer, questions, observe }: HotAnswererDeps): FastAnswerer {
  const callTool: FastAnswerer = (request, peer, responder) => {
    const { id } = request;
    const { calls } = peer;
    if (calls !== undefined && !calls.begin(id, responder)) {
      responder.answer(refuseDuplicate(id));
      return;
    }
    const finish = (text: string): void => {
      calls?.forget(id, responder);
      responder.answer(text);
    };
    gateway.handle(toRawCall(request, peer, responder, questions)).then(
      (reply) => finish(writer.callResult(id, reply, request.era)),
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

/** Two unanswered requests with one id cannot be told apart (JSON-RPC 2.0, section 4; MCP basic protocol). */
export function refuseDuplicate(id: string | number): string {
  return writeRpcError(id, RPC_ERROR.invalidRequest, `Request id '${id}' is still unanswered. Use a new id.`);
}

function toRawCall(request: FastRequest, peer: Peer, responder: Responder, questions: OpenQuestions): RawCall {
  const { tool, params, progressToken } = request;
  const user = request.era === 'modern' ? request.user : questions.channel(peer, responder);
  const plain = { tool, arguments: params['arguments'], caller: peer.caller, cancellation: responder.cancellation };
  const call = user === undefined ? plain : { ...plain, user };
  if (progressToken === undefined || !responder.canNotify) return call;
  return { ...call, onProgress: (update) => responder.notify(writeProgress(progressToken, update)) };
}
