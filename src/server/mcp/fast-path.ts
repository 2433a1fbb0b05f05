import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { cleanLabel, escapeInvisible } from '../../base/lib/text.js';
import type { Observer } from '../../base/observe/observation.js';
import { type AskAbilities, canBeAsked, NO_ABILITIES, readAbilities } from '../../base/protocol/ask.js';
import type { Caller, RawCall, RequestNotes } from '../../base/protocol/call.js';
import { callerOf } from '../../base/protocol/caller.js';
import { isLogLevel, type LogLevel } from '../../base/protocol/log-message.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Reply } from '../../base/protocol/result.js';
import type { Gateway, ToolList } from '../../gateway/gateway.js';
import { beginTask, createTaskAnswerer, declaresTasks, taskCapabilities, taskMaker } from './answer-task.js';
import { isRequestId, type Peer, type RequestId, type Responder, wantsStructured } from './calls-in-flight.js';
import type { OpenQuestions } from './elicitation.js';
import {
  ASKING_METHODS,
  isSoundRetry,
  type Retry,
  readRetry,
  readRetryChannel,
  withoutRetry,
} from './elicitation-form.js';
import { type LogLevels, logTo } from './log-levels.js';
import type { MessageText } from './message-text.js';
import { createNativeAnswerer } from './native-requests.js';
import { isParkedState, type ParkedCalls } from './parked-calls.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import {
  type Era,
  forClientWith,
  MODERN_REVISION,
  type ResultWriter,
  statusOf,
  writeProgress,
} from './write-result.js';

/** A request that is answered without the SDK's protocol layer, which takes ten times as long. */
export interface FastRequest {
  readonly era: Era;
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The MCP tool of a `tools/call`, and what the header of that name repeats of other requests; empty elsewhere. */
  readonly name: string;
  readonly progressToken: RequestId | undefined;
  /** The W3C trace context in `_meta`, unchecked. */
  readonly traceparent: unknown;
  /** The client's name in the envelope (modern era only). */
  readonly clientName: string | undefined;
  /** What the envelope declares that the client can be asked (modern era only). */
  readonly abilities: AskAbilities;
  /** The log messages that the client wants of this request (modern era only). */
  readonly logLevel: LogLevel | undefined;
  /** What the client brings of an earlier answer (modern era only). */
  readonly retry: Retry | undefined;
}

/** The HTTP headers that must repeat members of the body; undefined where absent. */
interface MirrorHeaders {
  readonly protocolVersion: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/** Node joins repeated headers of these names into one string. */
export function readMirrorHeaders(headers: IncomingHttpHeaders): MirrorHeaders {
  return {
    protocolVersion: headers['mcp-protocol-version'] as string | undefined,
    method: headers['mcp-method'] as string | undefined,
    name: headers['mcp-name'] as string | undefined,
  };
}

interface FastMethod {
  readonly eras: readonly Era[];
  /** The member of the params that `Mcp-Name` repeats, and which must be a text; of none where absent. */
  readonly named?: string;
  /** Whether the params are obviously well formed; all are where absent. */
  readonly isSound?: (params: JsonObject) => boolean;
}

const BOTH: readonly Era[] = ['legacy', 'modern'];
/** A subscription of the modern era is a stream of its own. */
const LEGACY: readonly Era[] = ['legacy'];
const list: FastMethod = {
  eras: BOTH,
  isSound: ({ cursor }) => cursor === undefined || typeof cursor === 'string',
};

const FAST_METHODS: ReadonlyMap<unknown, FastMethod> = new Map<string, FastMethod>([
  ['tools/call', { eras: BOTH, named: 'name' }],
  // The list has one page, so a cursor is a mistake, which the SDK's handler refuses.
  ['tools/list', { eras: BOTH, isSound: ({ cursor }) => cursor === undefined }],
  ['ping', { eras: LEGACY }],
  ['resources/list', list],
  ['resources/templates/list', list],
  ['prompts/list', list],
  ['resources/read', { eras: BOTH, named: 'uri' }],
  ['resources/subscribe', { eras: LEGACY, named: 'uri' }],
  ['resources/unsubscribe', { eras: LEGACY, named: 'uri' }],
  ['prompts/get', { eras: BOTH, named: 'name', isSound: ({ arguments: args }) => hasTexts(args) }],
  ['tasks/get', { eras: BOTH, named: 'taskId' }],
  ['tasks/cancel', { eras: BOTH, named: 'taskId' }],
  ['tasks/update', { eras: ['modern'], named: 'taskId' }],
  ['tasks/result', { eras: LEGACY, named: 'taskId' }],
  ['tasks/list', { ...list, eras: LEGACY }],
  ['completion/complete', { eras: BOTH, isSound: isCompletion }],
]);

const NO_PARAMS: JsonObject = {};
const NO_META: JsonObject = {};

function hasTexts(values: unknown): boolean {
  return (
    values === undefined || (isJsonObject(values) && Object.values(values).every((each) => typeof each === 'string'))
  );
}

function isCompletion({ ref, argument, context }: JsonObject): boolean {
  if (!isJsonObject(ref) || !isJsonObject(argument)) return false;
  const about = ref['type'] === 'ref/prompt' ? ref['name'] : ref['type'] === 'ref/resource' ? ref['uri'] : undefined;
  const isContext = context === undefined || (isJsonObject(context) && hasTexts(context['arguments']));
  return isContext && [about, argument['name'], argument['value']].every((each) => typeof each === 'string');
}

/**
 * Decides, for every transport, whether a parsed message may be answered on the fast path. Only obviously well-formed
 * messages may; every other one returns undefined and goes to the SDK, whose validation writes the refusal.
 */
export function recogniseFastRequest(message: unknown): FastRequest | undefined {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params = NO_PARAMS } = message;
  const fast = FAST_METHODS.get(method);
  if (fast === undefined || !isRequestId(id) || !isJsonObject(params)) return undefined;
  const { _meta: meta = NO_META } = params;
  if (!isJsonObject(meta)) return undefined;
  const progressToken = meta['progressToken'] ?? innerProgressToken(params);
  if (progressToken !== undefined && !isRequestId(progressToken)) return undefined;
  const era = readEra(meta, params, method);
  const name = fast.named === undefined ? '' : params[fast.named];
  if (era === undefined || typeof name !== 'string' || !fast.eras.includes(era)) return undefined;
  if (fast.isSound?.(params) === false) return undefined;
  const modern = era === 'modern';
  const clientName = modern ? readName(meta[CLIENT_INFO_META_KEY]) : undefined;
  const abilities = modern ? readAbilities(meta[CLIENT_CAPABILITIES_META_KEY]) : NO_ABILITIES;
  const level = modern ? meta[LOG_LEVEL_META_KEY] : undefined;
  const retry = modern && ASKING_METHODS.has(String(method)) ? readRetry(params) : undefined;
  return {
    era,
    id,
    method: String(method),
    params: retry === undefined ? params : withoutRetry(params),
    name,
    progressToken,
    traceparent: meta['traceparent'],
    clientName,
    abilities,
    logLevel: isLogLevel(level) ? level : undefined,
    retry,
  };
}

/**
 * The progress token in a call's arguments, where MCP-AQL's document on MCP (section 5.2) has it: beside `operation`. MCP's own place
 * takes precedence. What is no token there is metadata like any other.
 */
export function innerProgressToken({ arguments: args }: JsonObject): RequestId | undefined {
  const meta = isJsonObject(args) ? args['_meta'] : undefined;
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return isRequestId(token) ? token : undefined;
}

/**
 * Whether the HTTP headers agree with a fast request. Revision 2026-07-28 requires all three of them, spelled as in the
 * body; earlier revisions define the version header alone and do not require it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function headersAgree(request: FastRequest, headers: MirrorHeaders): boolean {
  const { protocolVersion, method, name } = headers;
  if (request.era === 'legacy') return isLegacyVersion(protocolVersion);
  if (protocolVersion !== MODERN_REVISION || method !== request.method) return false;
  return request.name === '' || name === request.name;
}

/** Whether a version header names a revision that has sessions; clients older than the header send none. */
export function isLegacyVersion(version: string | undefined): boolean {
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

const MESSAGE_MEMBERS: readonly string[] = ['jsonrpc', 'id', 'method', 'params'];

/**
 * Whether a message is a well-formed `initialize` or `notifications/initialized` that says nothing of a later revision. The SDK's
 * classifier calls these legacy too, but tries four schemas on each: garbage that outlives the young part of the heap.
 */
export function isPlainHandshake(message: unknown, { protocolVersion }: MirrorHeaders): boolean {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0' || !isLegacyVersion(protocolVersion)) return false;
  if (!Object.keys(message).every((key) => MESSAGE_MEMBERS.includes(key))) return false;
  const { id, method, params = NO_PARAMS } = message;
  if (!isJsonObject(params) || '_meta' in params) return false;
  return method === 'initialize' ? isRequestId(id) : method === 'notifications/initialized' && !('id' in message);
}

/** Whether the SDK's own classifier assigns a message to the legacy era; the modern handler answers all others. */
export function isLegacyTraffic(body: unknown, headers: MirrorHeaders): boolean {
  if (isPlainHandshake(body, headers)) return true;
  const { protocolVersion, method, name } = headers;
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersion === undefined ? {} : { protocolVersionHeader: protocolVersion }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
  return kind === 'legacy';
}

/** The client's name, as a label, in an `initialize` or in an envelope, even where the rest of the message is malformed. */
export function clientNameOf(message: unknown): string | undefined {
  const params = isJsonObject(message) ? message['params'] : undefined;
  if (!isJsonObject(params)) return undefined;
  const { _meta: meta } = params;
  return readName(params['clientInfo']) ?? (isJsonObject(meta) ? readName(meta[CLIENT_INFO_META_KEY]) : undefined);
}

/** The era that a request's `_meta` declares; undefined for an envelope that is incomplete or unusual. */
function readEra(meta: JsonObject, params: JsonObject, method: unknown): Era | undefined {
  const version = meta[PROTOCOL_VERSION_META_KEY];
  if (version === undefined) return 'legacy';
  if (version !== MODERN_REVISION || !isJsonObject(meta[CLIENT_CAPABILITIES_META_KEY])) return undefined;
  const { [LOG_LEVEL_META_KEY]: level, [CLIENT_INFO_META_KEY]: info } = meta;
  if ((level !== undefined && !isLogLevel(level)) || !isClientInfo(info)) return undefined;
  // The answers to a task's questions name the task.
  if (method === 'tasks/update') return 'modern';
  return isSoundRetry(params) ? 'modern' : undefined;
}

function isClientInfo(info: unknown): boolean {
  if (info === undefined) return true;
  return isJsonObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
}

function readName(info: unknown): string | undefined {
  return isJsonObject(info) && typeof info['name'] === 'string' ? cleanLabel(info['name']) : undefined;
}

/** Answers a fast request through its responder. */
export type FastAnswerer = (request: FastRequest, peer: Peer, responder: Responder) => void;

interface FastAnswererDeps {
  readonly gateway: Gateway;
  readonly writer: ResultWriter;
  readonly questions: OpenQuestions;
  readonly parked: ParkedCalls;
  readonly logs: LogLevels;
  readonly observe: Observer;
}

/** Creates the one implementation of the fast path, for every transport and both eras. */
export function createFastAnswerer({
  gateway,
  writer,
  questions,
  parked,
  logs,
  observe,
}: FastAnswererDeps): FastAnswerer {
  const makeTask = taskMaker(parked.tasks);
  const answerTaskRequest = createTaskAnswerer({ tasks: parked.tasks, questions });
  const answerTask: FastAnswerer = (request, peer, responder) => {
    const { id, method, params, era } = request;
    if (era === 'modern' && !declaresTasks(declaredBy(request))) {
      const data = { requiredCapabilities: taskCapabilities(era) };
      const message = `'${method}' is for clients that declare the tasks extension`;
      responder.answer(writeRpcError(id, RPC_ERROR.missingCapability, message, data), 400);
      return;
    }
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
    request: FastRequest,
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
  const callTool: FastAnswerer = (request, peer, responder) => {
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
  const answerNative: FastAnswerer = (request, peer, responder) => {
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

  const listTools: FastAnswerer = ({ id, era }, peer, responder) => {
    const answer = (list: ToolList): void => {
      const json = wantsStructured(peer, responder) ? list.structuredToolsJson : list.toolsJson;
      responder.answer(writer.toolList(id, json, era));
    };
    const list = gateway.toolList();
    if (list instanceof Promise) void list.then(answer);
    else answer(list);
  };
  const answerers: ReadonlyMap<string, FastAnswerer> = new Map<string, FastAnswerer>([
    ['tools/call', callTool],
    ['tools/list', listTools],
    ...['get', 'cancel', 'update', 'result', 'list'].map((verb) => [`tasks/${verb}`, answerTask] as const),
    ['ping', ({ id }, _peer, responder) => responder.answer(writer.emptyResult(id))],
  ]);
  return (request, peer, responder) => {
    if (responder.notes !== undefined) noteSender(responder.notes, request.method, peer.caller);
    (answerers.get(request.method) ?? answerNative)(request, peer, responder);
  };
}

/** What the log of requests says of a request's method and sender. */
function noteSender(notes: RequestNotes, mcpMethod: string, { sessionId, client, user }: Caller): void {
  const identity = { ...(client === undefined ? {} : { client }), ...(user === undefined ? {} : { user }) };
  notes.note({ mcpMethod, session: sessionId, ...identity });
}

/** A method that only the SDK knows; whatever a client calls so. */
const MOST_METHOD_CHARACTERS = 64;

/** The same of a message that is not recognised. */
export function noteMethod(notes: RequestNotes | undefined, message: unknown): void {
  if (notes === undefined || !isJsonObject(message) || typeof message['method'] !== 'string') return;
  notes.note({ mcpMethod: escapeInvisible(message['method'].slice(0, MOST_METHOD_CHARACTERS)) });
}

/**
 * Two unanswered requests with one id cannot be distinguished (JSON-RPC 2.0, section 4; MCP basic protocol). The refusal
 * carries no id: a client would take it for the answer to its first request.
 */
export function refuseDuplicate(id: string | number): string {
  return writeRpcError(null, RPC_ERROR.invalidRequest, `Request id '${id}' is still unanswered. Use a new id.`);
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

/** What the client declares in the envelope (modern era only). */
function declaredBy({ params }: FastRequest): unknown {
  const { _meta: meta } = params;
  return isJsonObject(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
}

function toRawCall(
  request: FastRequest,
  peer: Peer,
  responder: Responder,
  { questions, logs }: Pick<FastAnswererDeps, 'questions' | 'logs'>,
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
