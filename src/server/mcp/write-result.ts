import { EXACT_TEXTS, readExactResult, writeExactMembers } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { joinMembers, joinPieces, type WrittenMember } from '../../base/json/pieces.js';
import type { NativeRequest, ProgressUpdate } from '../../base/protocol/call.js';
import { SERVER_INFO } from '../../base/protocol/envelope.js';
import { ERROR_TABLE } from '../../base/protocol/error-table.js';
import { isVendorMethod } from '../../base/protocol/extensions.js';
import type { OperationFailure, Reply } from '../../base/protocol/result.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { RequestId } from './calls-in-flight.js';
import { writeInputRequired } from './elicitation-form.js';
import { type MessageText, surround } from './message-text.js';
import { RPC_ERROR, writeErrorMember, writeRpcError } from './rpc-error.js';

/** MCP before revision 2026-07-28 (a handshake and sessions), and from it on (an envelope on every request). */
export type Era = 'legacy' | 'modern';

export const MODERN_REVISION = '2026-07-28';

/** The server's identity. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** Writes JSON-RPC responses as text, each exactly once. */
export interface ResultWriter {
  /** @param structured whether the envelope is sent as structured content too, where not all clients get it */
  callResult(id: RequestId, reply: Reply, era: Era, structured?: boolean): string;
  /** The same response, in bytes where the answer is passed on as it came. */
  callMessage(id: RequestId, reply: Reply, era: Era, structured?: boolean): MessageText;
  /** @param toolsJson the JSON text of the array of tools. */
  toolList(id: RequestId, toolsJson: string, era: Era): string;
  /** The result of a request for what is no tool, as the upstream gave it; an error where it failed. */
  nativeResult(request: NativeRequest & { readonly id: RequestId }, reply: Reply, era: Era): MessageText;
}

/** The list may change at any moment, which `list_changed` announces: clients may keep it but must ask again. */
const CACHE_POLICY = { ttlMs: 0, cacheScope: 'private' } as const;

/** Members of a result that the gateway writes itself; an upstream's are dropped. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['content', 'isError', '_meta', 'resultType', 'structuredContent']);

/** Which failures MCP's `isError` marks: all, or those that a model cannot recover from by itself. */
type ErrorMarking = GatewayConfig['endpoint']['errors'];

function isMarked({ isError, code, marked }: Reply, errors: ErrorMarking): boolean {
  return isError && (marked === true || errors === 'all' || code === 'OK' || !ERROR_TABLE[code].recoverable);
}

/** A JSON-RPC error in place of a tool's result. */
interface ReplyError {
  readonly code: number;
  readonly message: string;
  readonly data: JsonObject;
}

/** The failure in a reply, as a JSON-RPC error with the same text, where MCP wants one; undefined elsewhere. */
export function toProtocolError(reply: Reply, era: Era): ReplyError | undefined {
  const { protocolError: kind } = reply;
  if (kind === undefined || (kind === 'missing-capability' && era === 'legacy')) return undefined;
  const failure = JSON.parse(reply.text) as OperationFailure;
  const { message, details } = failure.error;
  if (kind !== 'missing-capability') {
    const code = reply.code === 'RATE_LIMIT_EXCEEDED' ? RPC_ERROR.refused : RPC_ERROR.invalidParams;
    return { code, message, data: { ...failure } };
  }
  const said = details?.['upstream_data'];
  return { code: RPC_ERROR.missingCapability, message, data: isJsonObject(said) ? said : {} };
}

/**
 * The reply for a client that has declared these capabilities: one that has all that the server needs is not told that it lacks them.
 * The gateway did not offer them to the server then.
 */
export function forClientWith(declared: unknown, reply: Reply): Reply {
  if (reply.protocolError !== 'missing-capability') return reply;
  const required = toProtocolError(reply, 'modern')?.data['requiredCapabilities'];
  const names = isJsonObject(required) ? Object.keys(required) : [];
  const lacks = names.length === 0 || names.some((name) => !isJsonObject(declared) || declared[name] === undefined);
  if (lacks) return reply;
  const { protocolError: _needless, ...rest } = reply;
  return rest;
}

/** The HTTP status of an answer: for a client that lacks a capability, and for a method that there is not (MCP 2026-07-28, error handling). */
export function statusOf(reply: Reply, era: Era): number {
  if (era === 'legacy') return 200;
  return reply.protocolError === 'missing-capability' ? 400 : reply.protocolError === 'unknown-method' ? 404 : 200;
}

/**
 * Creates the writer. Modern results carry what the SDK's 2026-07-28 encoder adds: `resultType`, the server's identity
 * and, on lists, the cache policy.
 */
export function createResultWriter(
  serverInfo: ServerInfo,
  { errors, structuredContent }: Pick<GatewayConfig['endpoint'], 'errors' | 'structuredContent'>,
): ResultWriter {
  const identity = { [SERVER_INFO]: serverInfo };
  const modern = `,"resultType":"complete","_meta":${JSON.stringify(identity)}`;
  const closing: Readonly<Record<Era, string>> = { legacy: '}', modern: `${modern}}` };
  const cached = JSON.stringify(CACHE_POLICY).slice(1, -1);
  const closingOfList: Readonly<Record<Era, string>> = { legacy: '}}', modern: `,${cached}${modern}}}` };

  /** What follows the content. */
  const closingOf = (reply: Reply, era: Era): string => {
    const marked = reply.isError && isMarked(reply, errors) ? ',"isError":true' : '';
    if (reply.meta === undefined && reply.extra === undefined) return marked + closing[era];
    return `${marked}${writeMembers(reply, era === 'modern' ? identity : undefined)}}`;
  };
  /** What follows the members of a result that is passed on. */
  const closingOfPassthrough = ({ meta }: Reply, era: Era): string => {
    const members = writeMembers(meta === undefined ? {} : { meta }, era === 'modern' ? identity : undefined);
    return `${members}}`;
  };
  const writeQuestions = (input: NonNullable<Reply['inputRequired']>): string =>
    `"result":${JSON.stringify({ ...writeInputRequired(input), _meta: identity })}`;
  /** The member of a response that says what a call gave: its result, or its error. */
  const writeOutcome = (reply: Reply, era: Era, structured: boolean): MessageText => {
    const error = reply.protocolError && toProtocolError(reply, era);
    if (error !== undefined) return writeErrorMember(error.code, error.message, error.data);
    const { task, inputRequired, passthrough, written } = reply;
    if (task !== undefined)
      return `"result":${JSON.stringify(era === 'modern' ? { resultType: 'task', ...task, _meta: identity } : { task })}`;
    if (inputRequired !== undefined && era === 'modern') return writeQuestions(inputRequired);
    if (passthrough !== undefined) return surround('"result":{', passthrough, closingOfPassthrough(reply, era));
    const again = structured || structuredContent ? writeStructured(reply) : '';
    if (written !== undefined) return surround('"result":{"content":', written, `${again}${closingOf(reply, era)}`);
    return `"result":{"content":[${writeContent(reply)}]${again}${closingOf(reply, era)}`;
  };
  const callMessage: ResultWriter['callMessage'] = (id, reply, era, structured = false) => {
    const outcome = writeOutcome(reply, era, structured);
    return typeof outcome === 'string' ? `${openResponse(id)}${outcome}}` : surround(openResponse(id), outcome, '}');
  };

  return {
    callResult(id, reply, era, structured) {
      const message = callMessage(id, reply, era, structured);
      return typeof message === 'string' ? message : joinPieces(message).toString('utf8');
    },
    callMessage,
    toolList: (id, toolsJson, era) => `${openResult(id)}{"tools":${toolsJson}${closingOfList[era]}`,
    nativeResult({ id, ...request }, reply, era) {
      if (reply.inputRequired !== undefined && era === 'modern')
        return `${openResponse(id)}${writeQuestions(reply.inputRequired)}}`;
      if (reply.code !== 'OK') {
        const { code, message, data } = toNativeError(reply, request, era);
        return writeRpcError(id, code, message, data);
      }
      if (reply.members !== undefined)
        return surround(
          `${openResult(id)}{`,
          writeLargeResult(reply.members, request.method, era === 'modern' ? identity : undefined),
          '}}',
        );
      const result = era === 'legacy' ? reply.text : writeModernResult(reply, request.method, identity);
      if (reply.ended === undefined) return `${openResult(id)}${result}}`;
      // The state of a task is never empty.
      return surround(`${openResult(id)}${result.slice(0, -1)},`, writeOutcome(reply.ended, era, false), '}}');
    },
  };
}

/** Results that a client may keep, and must be told for how long (2026-07-28). */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'skills/list',
  'skills/get',
]);

/** The upstream's own members, and what a modern result needs beside them. */
function writeModernResult({ text }: Reply, method: string, identity: JsonObject): string {
  const { cacheScope: _scope, ttlMs, resultType: _type, _meta: meta, ...result } = readExactResult(text);
  const members = [writeExactMembers(result), ...writeModernMembers(method, { ttlMs, meta }, identity)];
  return `{${members.filter((each) => each !== '').join(',')}}`;
}

/** Members of a result that the gateway writes itself in a modern one. */
const MODERN_MEMBERS: ReadonlySet<string> = new Set(['cacheScope', 'ttlMs', 'resultType', '_meta']);

/** A large result without the braces around it. @param identity of a modern one */
function writeLargeResult(
  members: readonly WrittenMember[],
  method: string,
  identity: JsonObject | undefined,
): MessageText {
  if (identity === undefined) return joinMembers(members);
  const held = (name: string): unknown => members.find((member) => member.name === name)?.value;
  const kept = joinMembers(members.filter(({ name }) => !MODERN_MEMBERS.has(name)));
  const own = writeModernMembers(method, { ttlMs: held('ttlMs'), meta: held('_meta') }, identity).join(',');
  return surround('', kept, kept.length === 0 ? own : `,${own}`);
}

/** What a modern result needs beside the upstream's members. What one caller may see another may not. */
function writeModernMembers(
  method: string,
  { ttlMs, meta }: { readonly ttlMs: unknown; readonly meta: unknown },
  identity: JsonObject,
): readonly [string, string] {
  const isKept = (method === 'resources/read' || method === 'skills/get') && typeof ttlMs === 'number' && ttlMs >= 0;
  const own = {
    ...(CACHEABLE.has(method)
      ? { ...CACHE_POLICY, ...(isKept ? { ttlMs } : {}) }
      : ttlMs === undefined
        ? {}
        : { ttlMs }),
    resultType: 'complete',
  };
  return [JSON.stringify(own).slice(1, -1), writeMeta(meta, identity)];
}

/**
 * A failure as a JSON-RPC error. Clients know a resource that does not exist by -32002 with its URI, and from 2026-07-28 on by -32602
 * with nothing but its URI. https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
 * A page that the user has to open first comes with an error of its own in revision 2025-11-25.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 * What the errors of an extension mean, its server and its client know.
 */
function toNativeError(reply: Reply, { method, params }: NativeRequest, era: Era): ReplyError {
  const failure = JSON.parse(reply.text) as OperationFailure;
  const { error } = failure;
  const { message } = error;
  const data = { ...failure };
  if (reply.protocolError === 'unknown-method') return { code: RPC_ERROR.methodNotFound, message, data };
  const said = error.details?.['upstream_code'];
  if (typeof said === 'number' && isVendorMethod(method)) return { code: said, message, data };
  const page = error.details?.['elicitation'];
  if (era === 'legacy' && isJsonObject(page)) {
    return { code: RPC_ERROR.urlElicitationRequired, message, data: { elicitations: [page] } };
  }
  const uri = method === 'resources/read' ? params['uri'] : undefined;
  if (reply.code === 'NOT_FOUND_RESOURCE' && typeof uri === 'string' && error.details?.['candidates'] === undefined) {
    if (era === 'modern') return { code: RPC_ERROR.invalidParams, message, data: { uri } };
    return { code: RPC_ERROR.resourceNotFound, message, data: { uri, ...data } };
  }
  const isWrong = reply.protocolError === 'unknown-state' || /^(?:VALIDATION|NOT_FOUND)_/.test(reply.code);
  const code = isWrong
    ? RPC_ERROR.invalidParams
    : reply.code === 'INTERNAL_ERROR'
      ? RPC_ERROR.internal
      : RPC_ERROR.refused;
  return { code, message, data };
}

/** Writes a progress notification under the client's own token. */
export function writeProgress(progressToken: RequestId, update: ProgressUpdate): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: progressParams(progressToken, update),
  });
}

/** The params of `notifications/progress`. */
function progressParams(progressToken: RequestId, update: ProgressUpdate) {
  const { progress, total, message } = update;
  return {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Writes the news that a list has changed. */
export function writeListChanged(kind: 'tools' | 'resources' | 'prompts'): string {
  return `{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`;
}

/** Writes the news that a resource has changed. */
export function writeResourceUpdated(uri: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
}

function openResponse(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
}

function openResult(id: RequestId): string {
  return `${openResponse(id)}"result":`;
}

function writeContent(reply: Reply): string {
  const text = `{"type":"text","text":${JSON.stringify(reply.text)}}`;
  if (reply.blocks.length === 0) return text;
  return `${text},${JSON.stringify(reply.blocks).slice(1, -1)}`;
}

const LINE_BREAK = /[\r\n]+/g;

/**
 * The envelope as structured content: the text that the content holds, as it is. Line breaks, which end messages on some transports, stand
 * between its values only.
 */
function writeStructured({ text }: Reply): string {
  return `,"structuredContent":${text.replace(LINE_BREAK, ' ')}`;
}

/** The request's id stands in every answer's `_meta`; other members are rare. */
function writeMembers({ extra, meta }: Pick<Reply, 'extra' | 'meta'>, identity: JsonObject | undefined): string {
  const rest = extra === undefined ? '' : writeExactMembers(ownless(extra));
  const others = rest === '' ? '' : `,${rest}`;
  if (identity !== undefined) return `${others},"resultType":"complete",${writeMeta(meta, identity)}`;
  return meta === undefined ? others : `${others},${writeMeta(meta)}`;
}

function writeMeta(meta: unknown, own?: JsonObject): string {
  const members = { ...(isJsonObject(meta) ? meta : {}), ...own };
  return `"_meta":${EXACT_TEXTS in members ? `{${writeExactMembers(members)}}` : JSON.stringify(members)}`;
}

/** A copy that keeps the digits of its numbers. */
function ownless(extra: JsonObject = {}): JsonObject {
  const members = { ...extra };
  for (const name of OWN_MEMBERS) delete members[name];
  return members;
}
