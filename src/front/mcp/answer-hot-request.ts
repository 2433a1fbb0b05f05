import type { Gateway } from '../../gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/caller.js';
import type { RawCall } from '../../protocol/raw-call.js';
import type { AnswerPort, CallsInFlight } from './calls-in-flight.js';
import type { HotRequest } from './hot-request.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import { type ResultWriter, writeProgress } from './tool-result.js';

/** Answers a hot request on its port. `calls` is where it can be found by id; absent where only a disconnect cancels. */
export type HotAnswerer = (request: HotRequest, caller: Caller, port: AnswerPort, calls?: CallsInFlight) => void;

/** Makes the one implementation of the hot path, for every transport and both eras. */
export function createHotAnswerer(gateway: Gateway, writer: ResultWriter, observe: Observer): HotAnswerer {
  const callTool: HotAnswerer = (request, caller, port, calls) => {
    const { id } = request;
    if (calls !== undefined && !calls.begin(id, port)) {
      port.answer(refuseDuplicate(id));
      return;
    }
    const finish = (text: string): void => {
      calls?.forget(id, port);
      port.answer(text);
    };
    gateway.handle(toRawCall(request, caller, port)).then(
      (reply) => finish(writer.callResult(id, reply, request.era)),
      (cause) => {
        observe({ kind: 'defect', where: 'tools/call', cause });
        finish(writeRpcError(id, RPC_ERROR.internal, 'Internal error'));
      },
    );
  };

  const answerers: Readonly<Record<HotRequest['method'], HotAnswerer>> = {
    'tools/call': callTool,
    'tools/list': ({ id, era }, _caller, port) => port.answer(writer.toolList(id, gateway.toolList().toolsJson, era)),
    ping: ({ id }, _caller, port) => port.answer(writer.emptyResult(id)),
  };
  return (request, caller, port, calls) => answerers[request.method](request, caller, port, calls);
}

/** Two unanswered requests with one id cannot be told apart (JSON-RPC 2.0, section 4; MCP basic protocol). */
export function refuseDuplicate(id: string | number): string {
  return writeRpcError(id, RPC_ERROR.invalidRequest, `Request id '${id}' is still unanswered. Use a new id.`);
}

function toRawCall(request: HotRequest, caller: Caller, port: AnswerPort): RawCall {
  const { tool, params, progressToken } = request;
  const call = { tool, arguments: params['arguments'], caller, cancellation: port.cancellation };
  if (progressToken === undefined || !port.canNotify) return call;
  return { ...call, onProgress: (update) => port.notify(writeProgress(progressToken, update)) };
}
