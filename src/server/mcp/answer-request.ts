import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Observer } from '../../base/observe/observation.js';
import { canBeAsked, NO_ABILITIES } from '../../base/protocol/ask.js';
import type { RawCall } from '../../base/protocol/call.js';
import { callerOf } from '../../base/protocol/caller.js';
import { isLogLevel } from '../../base/protocol/log-message.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { okReply, type Reply } from '../../base/protocol/result.js';
import type { Gateway, ToolList } from '../../gateway/gateway.js';
import { beginTask, createTaskAnswerer, declaresTasks, taskMaker } from './answer-task.js';
import { type Peer, type Responder, refuseDuplicate, wantsStructured } from './calls-in-flight.js';
import { describeInSession, describeServer } from './describe-server.js';
import type { OpenQuestions } from './elicitation.js';
import { readRetryChannel } from './elicitation-form.js';
import { type LogLevels, logTo } from './log-levels.js';
import type { MessageText } from './message-text.js';
import { createNativeAnswerer } from './native-requests.js';
import { isParkedState, type ParkedCalls } from './parked-calls.js';
import { declaredBy, type McpRequest } from './read-message.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import type { Subscriptions } from './subscriptions.js';
import { forClientWith, type ResultWriter, type ServerInfo, statusOf, writeProgress } from './write-result.js';

/** Answers a well-formed request through its responder. */
export type RequestAnswerer = (request: McpRequest, peer: Peer, responder: Responder) => void;

interface RequestAnswererDeps {
  readonly gateway: Gateway;
  readonly writer: ResultWriter;
  readonly questions: OpenQuestions;
  readonly parked: ParkedCalls;
  readonly logs: LogLevels;
  readonly subscriptions: Subscriptions;
  readonly serverInfo: ServerInfo;
  readonly observe: Observer;
}

/** What answers each of MCP's methods, over every transport and in both eras. */
export function createRequestAnswerer(deps: RequestAnswererDeps): RequestAnswerer {
  const { gateway, writer, questions, parked, logs, subscriptions, serverInfo, observe } = deps;
  const makeTask = taskMaker(parked.tasks);
  const answerTaskRequest = createTaskAnswerer({ tasks: parked.tasks, questions });
  const answerTask: RequestAnswerer = (request, peer, responder) => {
    const { id, method, params, era } = request;
    answerLater(request, peer, responder, {
      reply: () => answerTaskRequest(request, peer, responder),
      write: (reply) =>
        method === 'tasks/result'
          ? writer.callMessage(id, reply, era)
          : writer.nativeResult({ id, method, params }, reply, era),
    });
  };
  const answerModernNative = createNativeAnswerer(gateway.native, parked);
  /** Answers a request that takes its time and may be cancelled. */
  const answerLater = (
    request: McpRequest,
    { calls }: Peer,
    responder: Responder,
    work: { readonly reply: () => Promise<Reply>; readonly write: (reply: Reply) => MessageText },
  ): void => {
    const { id, method, era } = request;
    if (calls !== undefined && !calls.begin(id, responder)) {
      responder.answer(refuseDuplicate(id));
      return;
    }
    const finish = (text: MessageText, status?: number): void => {
      calls?.take(id, responder);
      responder.answer(text, status);
    };
    responder.onInterrupt((reason) => finish(work.write(interruptedReply(reason))));
    work.reply().then(
      (answer) => {
        const reply = answer.protocolError === undefined ? answer : forClientWith(declaredBy(request), answer);
        finish(work.write(reply), reply.protocolError && statusOf(reply, era));
      },
      (cause) => {
        observe({ kind: 'defect', where: method, cause });
        finish(writeRpcError(id, RPC_ERROR.internal, 'Internal error'));
      },
    );
  };
  const callTool: RequestAnswerer = (request, peer, responder) => {
    const { id, era, abilities, retry } = request;
    const call = toRawCall(request, peer, responder, { questions, logs });
    const isAskable = abilities !== NO_ABILITIES && canBeAsked(abilities);
    const structured = wantsStructured(peer, responder);
    const wanted = era === 'legacy' ? request.params['task'] : undefined;
    const isTask = era === 'modern' && declaresTasks(declaredBy(request));
    const begin = (): Promise<Reply> => {
      if (isJsonObject(wanted)) return beginTask(parked, call, { abilities: peer.abilities, wanted }, gateway.handle);
      const attempt = isTask ? { ...call, asTask: makeTask } : call;
      if (isParkedState(retry?.state)) return parked.resume(retry.state, call, retry.responses, attempt);
      return parked.begin(call, abilities, attempt, ({ ask, ...parts }) =>
        gateway.handle({ ...call, ...parts, ...(isAskable ? { ask } : {}) }),
      );
    };
    answerLater(request, peer, responder, {
      reply: () =>
        isAskable || isTask || wanted !== undefined || isParkedState(retry?.state) ? begin() : gateway.handle(call),
      write: (reply) => writer.callMessage(id, reply, era, structured),
    });
  };
  const answerNative: RequestAnswerer = (request, peer, responder) => {
    const { id, method, params, era, abilities, retry } = request;
    const { tool: _tool, arguments: _arguments, ...raw } = toRawCall(request, peer, responder, { questions, logs });
    const { user: _user, ...rest } = raw;
    answerLater(request, peer, responder, {
      reply: () =>
        era === 'legacy'
          ? gateway.native.answer({ ...raw, method, params })
          : answerModernNative({ call: { ...rest, method, params }, abilities, retry }),
      write: (reply) => writer.nativeResult({ id, method, params }, reply, era),
    });
  };

  const listTools: RequestAnswerer = ({ id, era }, peer, responder) => {
    const answer = (list: ToolList): void => {
      const json = wantsStructured(peer, responder) ? list.structuredToolsJson : list.toolsJson;
      responder.answer(writer.toolList(id, json, era));
    };
    void gateway.toolList(callerOf(peer.caller, responder.carried)).then(answer);
  };
  const setLevel: RequestAnswerer = (request, { caller }, responder) => {
    const { level } = request.params;
    if (isLogLevel(level)) logs.set(caller.sessionId, level);
    tell({})(request, { caller }, responder);
  };
  const tell =
    (value: JsonObject): RequestAnswerer =>
    ({ id, method, params, era }, _peer, responder) =>
      responder.answer(writer.nativeResult({ id, method, params }, okReply(value), era));
  const answerers: ReadonlyMap<string, RequestAnswerer> = new Map<string, RequestAnswerer>([
    ['tools/call', callTool],
    ['tools/list', listTools],
    ...['get', 'cancel', 'update', 'result', 'list'].map((verb) => [`tasks/${verb}`, answerTask] as const),
    ['ping', tell({})],
    [
      'initialize',
      (request, peer, responder) => {
        const caller = callerOf(peer.caller, responder.carried);
        const described = describeInSession(gateway, serverInfo, request.params['protocolVersion'], caller);
        tell(described)(request, peer, responder);
      },
    ],
    [
      'server/discover',
      (request, peer, responder) =>
        tell(describeServer(gateway, callerOf(peer.caller, responder.carried)))(request, peer, responder),
    ],
    ['logging/setLevel', setLevel],
    ['subscriptions/listen', (...request) => subscriptions.open(...request)],
  ]);
  return (request, peer, responder) => (answerers.get(request.method) ?? answerNative)(request, peer, responder);
}

/** The answer to a call that was still running when the gateway or the session ended: it may be a write, so that it is not retryable. */
function interruptedReply(reason: string): Reply {
  const error = new OperationError(
    'INTERNAL_ERROR',
    `Internal error: '${reason} before the answer came. The call may or may not have run: check before you send it again'`,
    { reason: 'interrupted', retryable: false, outcome: 'unknown' },
  );
  return { text: JSON.stringify(error.toFailure()), blocks: [], isError: true, code: error.code };
}

function toRawCall(
  request: McpRequest,
  peer: Peer,
  responder: Responder,
  { questions, logs }: Pick<RequestAnswererDeps, 'questions' | 'logs'>,
): RawCall {
  const { name: tool, params, progressToken } = request;
  const isModern = request.era === 'modern';
  const isAskable = !isModern && peer.abilities !== undefined && peer.abilities !== NO_ABILITIES;
  const user = isModern
    ? readRetryChannel(request.abilities, request.retry)
    : isAskable
      ? questions.channel(peer, responder)
      : undefined;
  const ask = isAskable ? questions.askChannel(peer, responder) : undefined;
  const log = isModern
    ? logTo(responder, request.logLevel)
    : logs.levels.size === 0
      ? undefined
      : logs.of(peer.caller.sessionId, responder);
  const { _meta: sent } = params;
  const meta = isJsonObject(sent) ? forwardedMeta(sent) : undefined;
  const reportsProgress = progressToken !== undefined && responder.canNotify;
  return {
    tool,
    arguments: params['arguments'],
    caller: responder.carried === undefined ? peer.caller : callerOf(peer.caller, responder.carried),
    cancellation: responder.cancellation,
    traceparent: request.traceparent ?? responder.traceparent,
    tracestate: request.traceparent === undefined ? responder.tracestate : undefined,
    trace: undefined,
    notes: responder.notes,
    user,
    ask,
    log,
    meta,
    ...(reportsProgress && { onProgress: (update) => responder.notify(writeProgress(progressToken, update)) }),
  };
}

/** Of more than this, in characters of JSON, the entries that come first are forwarded. */
const MOST_META_CHARACTERS = 8_192;

/**
 * Keys that are between a client and the gateway: the token of its progress, those that MCP reserves for itself, by the first or second
 * label of their prefix (https://modelcontextprotocol.io/specification/2025-11-25/basic#meta), and the gateway's own.
 */
const NOT_FORWARDED = /^(?:progressToken$|(?:[^./]+\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\/|mcp-aql\/)/;

/** What the upstream gets of a request's `_meta`: trace context, and whatever clients and servers say to each other. Undefined for nothing. */
export function forwardedMeta(sent: JsonObject): JsonObject | undefined {
  let left = MOST_META_CHARACTERS;
  const kept = Object.entries(sent).filter(([key, value]) => {
    if (value === undefined || NOT_FORWARDED.test(key)) return false;
    left -= key.length + JSON.stringify(value).length;
    return left >= 0;
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
