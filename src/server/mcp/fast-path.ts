import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { Gateway, ToolList } from '../../gateway/gateway.js';
import { cleanLabel } from '../../lib/text.js';
import type { Observer } from '../../observe/observation.js';
import type { RawCall } from '../../protocol/call.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { Reply } from '../../protocol/result.js';
import { isRequestId, type Peer, type RequestId, type Responder } from './calls-in-flight.js';
import type { OpenQuestions } from './elicitation.js';
import { openRetryChannel, type RetryChannel } from './elicitation-form.js';
import type { MessageText } from './message-text.js';
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
  readonly method: 'tools/call' | 'tools/list' | 'ping';
  readonly params: JsonObject;
  /** The MCP tool of a `tools/call`; empty elsewhere. */
  readonly tool: string;
  readonly progressToken: RequestId | undefined;
  /** The W3C trace context in `_meta`, unchecked. */
  readonly traceparent: unknown;
  /** The client's name in the envelope (modern era only). */
  readonly clientName: string | undefined;
  /** The channel to the client's user that the envelope declares (modern era only). */
  readonly user: RetryChannel | undefined;
}

/** The HTTP headers that must repeat members of the body; undefined where absent. */
export interface MirrorHeaders {
  readonly protocolVersion: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

interface FastMethod {
  readonly eras: readonly Era[];
  /** The tool's name, or undefined where the params are not obviously well formed. */
  readonly toolOf: (params: JsonObject) => string | undefined;
}

const FAST_METHODS: ReadonlyMap<unknown, FastMethod> = new Map<FastRequest['method'], FastMethod>([
  ['tools/call', { eras: ['legacy', 'modern'], toolOf: ({ name }) => (typeof name === 'string' ? name : undefined) }],
  // The list has one page, so a cursor is a mistake, which the SDK's handler refuses.
  ['tools/list', { eras: ['legacy', 'modern'], toolOf: ({ cursor }) => (cursor === undefined ? '' : undefined) }],
  ['ping', { eras: ['legacy'], toolOf: () => '' }],
]);

const NO_PARAMS: JsonObject = {};
const NO_META: JsonObject = {};

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
  const era = readEra(meta, params);
  const tool = fast.toolOf(params);
  if (era === undefined || tool === undefined || !fast.eras.includes(era)) return undefined;
  const modern = era === 'modern';
  const clientName = modern ? readName(meta[CLIENT_INFO_META_KEY]) : undefined;
  const user = modern ? openRetryChannel(meta[CLIENT_CAPABILITIES_META_KEY]) : undefined;
  return {
    era,
    id,
    method: method as FastRequest['method'],
    params,
    tool,
    progressToken,
    traceparent: meta['traceparent'],
    clientName,
    user,
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
  return request.method !== 'tools/call' || name === request.tool;
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

/** The client's name, as a label, in an `initialize` or in an envelope, even where the rest of the message is malformed. */
export function clientNameOf(message: unknown): string | undefined {
  const params = isJsonObject(message) ? message['params'] : undefined;
  if (!isJsonObject(params)) return undefined;
  const { _meta: meta } = params;
  return readName(params['clientInfo']) ?? (isJsonObject(meta) ? readName(meta[CLIENT_INFO_META_KEY]) : undefined);
}

/** The era that a request's `_meta` declares; undefined for an envelope that is incomplete or unusual. */
function readEra(meta: JsonObject, params: JsonObject): Era | undefined {
  const version = meta[PROTOCOL_VERSION_META_KEY];
  if (version === undefined) return 'legacy';
  if (version !== MODERN_REVISION || !isJsonObject(meta[CLIENT_CAPABILITIES_META_KEY])) return undefined;
  if (meta[LOG_LEVEL_META_KEY] !== undefined || !isClientInfo(meta[CLIENT_INFO_META_KEY])) return undefined;
  // A retried request carries an answer to the gateway's question: rare, and the SDK reads it.
  return params['inputResponses'] === undefined && params['requestState'] === undefined ? 'modern' : undefined;
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
    const finish = (text: MessageText, status?: number): void => {
      calls?.forget(id, responder);
      responder.answer(text, status);
    };
    responder.onInterrupt((reason) => finish(writer.callResult(id, interruptedReply(reason), request.era)));
    gateway.handle(toRawCall(request, peer, responder, questions)).then(
      (answer) => {
        const reply = forClientWith(declaredBy(request), answer);
        finish(writer.callMessage(id, reply, request.era), statusOf(reply, request.era));
      },
      (cause) => {
        observe({ kind: 'defect', where: 'tools/call', cause });
        finish(writeRpcError(id, RPC_ERROR.internal, 'Internal error'));
      },
    );
  };

  const answerers: Readonly<Record<FastRequest['method'], FastAnswerer>> = {
    'tools/call': callTool,
    'tools/list': ({ id, era }, _peer, responder) => {
      const answer = ({ toolsJson }: ToolList): void => responder.answer(writer.toolList(id, toolsJson, era));
      const list = gateway.toolList();
      if (list instanceof Promise) void list.then(answer);
      else answer(list);
    },
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

/** What the client declares in the envelope (modern era only). */
function declaredBy({ params }: FastRequest): unknown {
  const { _meta: meta } = params;
  return isJsonObject(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
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
