import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { cleanLabel } from '../../base/lib/text.js';
import { type AskAbilities, NO_ABILITIES, readAbilities } from '../../base/protocol/ask.js';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from '../../base/protocol/envelope.js';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../base/protocol/log-message.js';
import { isRequestId, type RequestId } from './calls-in-flight.js';
import { ASKING_METHODS, type Retry, readRetry, withoutRetry } from './elicitation-form.js';
import { METHODS } from './methods.js';
import { type Form, object, oneOf, optional, text } from './params-form.js';
import { RPC_ERROR, type RpcErrorCode } from './rpc-error.js';
import { type Era, MODERN_REVISION } from './write-result.js';

/** One request, of any method: what its message says. */
export interface McpRequest {
  readonly era: Era;
  /** That its envelope names (modern era only). */
  readonly revision: string | undefined;
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** What the header `Mcp-Name` repeats: of a `tools/call` the MCP tool. Empty where there is nothing. */
  readonly name: string;
  readonly progressToken: RequestId | undefined;
  /** The W3C trace context in `_meta`, unchecked. */
  readonly traceparent: unknown;
  /** What the client is called, where the message says it, as a label. */
  readonly clientName: string | undefined;
  /** What the envelope declares that the client can be asked (modern era only). */
  readonly abilities: AskAbilities;
  /** The log messages that the client wants of this request (modern era only). */
  readonly logLevel: LogLevel | undefined;
  /** What the client brings of an earlier answer (modern era only). */
  readonly retry: Retry | undefined;
}

/** Why a message is not answered as it asks. */
export interface Fault {
  /** Of HTTP. */
  readonly status: number;
  readonly code: RpcErrorCode;
  readonly message: string;
  readonly data?: JsonObject;
}

/** What one message brings. */
export interface Received {
  readonly era: Era;
  /** The requests, in their order. */
  readonly requests: readonly McpRequest[];
  /** Notifications and answers to questions, which are not answered. */
  readonly notices: readonly JsonObject[];
  readonly isBatch: boolean;
}

const MAX_BATCH = 100;
const NONE: readonly never[] = [];
const NO_MEMBERS: JsonObject = {};

/**
 * Reads a parsed message: its form as JSON-RPC, its era and its envelope. The era is the message's own: of 2026-07-28 is what names a
 * revision in its `_meta`, or what comes where the transport names one.
 * @param revision that the transport names beside the message
 */
export function readMessage(message: unknown, revision: string | undefined): Received | Fault {
  if (Array.isArray(message)) return readBatch(message);
  const { fault, request, notice } = readOne(message, revision);
  if (request !== undefined) return { era: request.era, requests: [request], notices: NONE, isBatch: false };
  if (notice === undefined) return fault;
  return { era: eraOf(notice, revision), requests: NONE, notices: [notice], isBatch: false };
}

export function isFault(read: Received | Fault): read is Fault {
  return 'code' in read;
}

/** JSON-RPC's batches are a thing of earlier revisions. */
function readBatch(messages: readonly unknown[]): Received | Fault {
  if (messages.length === 0) return invalid('the batch is empty');
  if (messages.length > MAX_BATCH) return invalid(`a batch must not exceed ${MAX_BATCH} messages`);
  const requests: McpRequest[] = [];
  const notices: JsonObject[] = [];
  for (const message of messages) {
    const { fault, request, notice } = readOne(message, undefined);
    if (fault !== undefined) return fault;
    const era = request === undefined ? eraOf(notice, undefined) : request.era;
    if (era === 'modern') return invalid(`revision ${MODERN_REVISION} has no batches`);
    if (request?.method === 'initialize') return invalid('the session is already initialized');
    if (request !== undefined) requests.push(request);
    else notices.push(notice);
  }
  return { era: 'legacy', requests, notices, isBatch: true };
}

/** One message: a request, or a notification or response as it is. */
type ReadOne =
  | { readonly request: McpRequest; readonly notice?: undefined; readonly fault?: undefined }
  | { readonly notice: JsonObject; readonly request?: undefined; readonly fault?: undefined }
  | { readonly fault: Fault; readonly request?: undefined; readonly notice?: undefined };

const NO_MESSAGE = 'this is not a JSON-RPC message';
const UNUSABLE_ID = 'the id is neither a text nor an integer of up to 9007199254740991';
const UNUSABLE_TOKEN = 'the progress token is neither a text nor an integer';

function readOne(message: unknown, revision: string | undefined): ReadOne {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0') return { fault: invalid(NO_MESSAGE) };
  const { id, method, params = NO_MEMBERS } = message;
  if (method === undefined) return isResponse(message) ? { notice: message } : { fault: invalid(NO_MESSAGE) };
  if (typeof method !== 'string') return { fault: invalid("'method' is not a text") };
  if ('id' in message && !isRequestId(id)) return { fault: invalid(UNUSABLE_ID) };
  if (!isJsonObject(params)) return { fault: invalid("'params' is not an object") };
  const { _meta: meta = NO_MEMBERS } = params;
  if (!isJsonObject(meta)) return { fault: invalid("'params._meta' is not an object") };
  if (!isRequestId(id)) return { notice: message };
  const progressToken = meta['progressToken'] ?? innerProgressToken(params);
  if (progressToken !== undefined && !isRequestId(progressToken)) return { fault: invalid(UNUSABLE_TOKEN) };
  const era = eraOf(message, revision);
  const fault = era === 'modern' ? findEnvelopeFault(meta, revision) : undefined;
  return fault === undefined ? { request: toRequest({ era, id, method, params, meta, progressToken }) } : { fault };
}

interface SoundMessage extends Pick<McpRequest, 'era' | 'id' | 'method' | 'params' | 'progressToken'> {
  readonly meta: JsonObject;
}

function toRequest({ era, id, method, params, meta, progressToken }: SoundMessage): McpRequest {
  const isModern = era === 'modern';
  const known = METHODS.get(method);
  // A method that its era does not have repeats nothing.
  const name = known?.named === undefined || !known.eras.includes(era) ? '' : params[known.named];
  const level = isModern ? meta[LOG_LEVEL] : undefined;
  const retry = isModern && ASKING_METHODS.has(method) ? readRetry(params) : undefined;
  const revision = isModern ? meta[PROTOCOL_VERSION] : undefined;
  return {
    era,
    revision: typeof revision === 'string' ? revision : undefined,
    id,
    method,
    params: retry === undefined ? params : withoutRetry(params),
    name: typeof name === 'string' ? name : '',
    progressToken,
    traceparent: meta['traceparent'],
    clientName: readName(isModern ? meta[CLIENT_INFO] : params['clientInfo']),
    abilities: isModern ? readAbilities(meta[CLIENT_CAPABILITIES]) : NO_ABILITIES,
    logLevel: isLogLevel(level) ? level : undefined,
    retry,
  };
}

/** Whether a message answers a question: with a result, or with an error. */
export function isResponse(message: unknown): message is JsonObject & { readonly id: RequestId } {
  if (!isJsonObject(message) || 'method' in message || !isRequestId(message['id'])) return false;
  const { result, error } = message;
  return isJsonObject(result) || (isJsonObject(error) && typeof error['message'] === 'string');
}

/** The handshake is of the earlier revisions; what has no envelope is of the era that the transport says. */
function eraOf(message: JsonObject, revision: string | undefined): Era {
  const { params, method } = message;
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  if (isJsonObject(meta) && meta[PROTOCOL_VERSION] !== undefined) return 'modern';
  return method !== 'initialize' && isModernRevision(revision) ? 'modern' : 'legacy';
}

/** Revisions are dates. */
export function isModernRevision(revision: string | undefined): boolean {
  return revision !== undefined && revision >= MODERN_REVISION;
}

const ENVELOPE: Form = object({
  [PROTOCOL_VERSION]: text,
  [CLIENT_CAPABILITIES]: object(),
  [CLIENT_INFO]: optional(object({ name: text, version: text })),
  [LOG_LEVEL]: optional(oneOf(LOG_LEVELS)),
});

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#meta */
function findEnvelopeFault(meta: JsonObject, revision = MODERN_REVISION): Fault | undefined {
  const faults = ENVELOPE(meta, '_meta');
  if (faults.length === 0) return undefined;
  return {
    status: 400,
    code: RPC_ERROR.invalidParams,
    message: `Invalid params of revision ${revision}: ${faults.join('; ')}`,
  };
}

/** Whether the requests are of a revision that is not spoken. To be asked when the transport says the same revision. */
export function findUnsupported({ requests: [request] }: Received): Fault | undefined {
  const { revision } = request ?? {};
  if (revision === undefined || revision === MODERN_REVISION) return undefined;
  const data = { supported: [MODERN_REVISION], requested: revision };
  const message = `Unsupported protocol version: ${cleanLabel(revision)}`;
  return { status: 400, code: RPC_ERROR.unsupportedVersion, message, data };
}

function invalid(why: string): Fault {
  return { status: 400, code: RPC_ERROR.invalidRequest, message: `Invalid Request: ${why}` };
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

/** What the client declares in the envelope (modern era only). */
export function declaredBy({ params }: McpRequest): unknown {
  const { _meta: meta } = params;
  return isJsonObject(meta) ? meta[CLIENT_CAPABILITIES] : undefined;
}

function readName(info: unknown): string | undefined {
  return isJsonObject(info) && typeof info['name'] === 'string' ? cleanLabel(info['name']) : undefined;
}
