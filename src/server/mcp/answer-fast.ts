import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { RawCall } from '../../protocol/call.js';
import type { Peer, Responder } from './calls-in-flight.js';
import type { OpenQuestions } from './elicitation.js';
import type { HotRequest } from './fast-request.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import { type ResultWriter, writeProgress } from './write-result.js';

/** Answers a hot request on its port. */
export type HotAnswerer = (request: HotRequest, peer: Peer, port: Responder) => void;

interface HotAnswererDeps {
  readonly gateway: Gateway;
  readonly writer: ResultWriter;
  readonly questions: OpenQuestions;
  readonly observe: Observer;
}

/** Makes the one implementation of the hot path, for every transport and both eras. */
export function createHotAnswerer({ gateway, writer, questions, observe }: HotAnswererDeps): HotAnswerer {
  const callTool: HotAnswerer = (request, peer, port) => {
    const { id } = request;
    const { calls } = peer;
    if (calls !== undefined && !calls.begin(id, port)) {
      port.answer(refuseDuplicate(id));
      return;
    }
    const finish = (text: string): void => {
      calls?.forget(id, port);
      port.answer(text);
    };
    gateway.handle(toRawCall(request, peer, port, questions)).then(
      (reply) => finish(writer.callResult(id, reply, request.era)),
      (cause) => {
        observe({ kind: 'defect', where: 'tools/call', cause });
        finish(writeRpcError(id, RPC_ERROR.internal, 'Internal error'));
      },
    );
  };

  const answerers: Readonly<Record<HotRequest['method'], HotAnswerer>> = {
    'tools/call': callTool,
    'tools/list': ({ id, era }, _peer, port) => port.answer(writer.toolList(id, gateway.toolList().toolsJson, era)),
    ping: ({ id }, _peer, port) => port.answer(writer.emptyResult(id)),
  };
  return (request, peer, port) => answerers[request.method](request, peer, port);
}

/** Two unanswered requests with one id cannot be told apart (JSON-RPC 2.0, section 4; MCP basic protocol). */
export function refuseDuplicate(id: string | number): string {
  return writeRpcError(id, RPC_ERROR.invalidRequest, `Request id '${id}' is still unanswered. Use a new id.`);
}

function toRawCall(request: HotRequest, peer: Peer, port: Responder, questions: OpenQuestions): RawCall {
  const { tool, params, progressToken } = request;
  const user = request.era === 'modern' ? request.user : questions.channel(peer, port);
  const plain = { tool, arguments: params['arguments'], caller: peer.caller, cancellation: port.cancellation };
  const call = user === undefined ? plain : { ...plain, user };
  if (progressToken === undefined || !port.canNotify) return call;
  return { ...call, onProgress: (update) => port.notify(writeProgress(progressToken, update)) };
}
