import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { openRetryChannel, type RetryChannel } from './elicitation-form.js';

/** MCP before and from 2026-07-28 on: with a handshake and sessions, or with an envelope on every request. */
export type Era = 'legacy' | 'modern';

export const MODERN_REVISION = '2026-07-28';

export type RequestId = string | number;

/** A request that is answered without the SDK's protocol layer, which would take ten times as long. */
export interface HotRequest {
  readonly era: Era;
  readonly id: RequestId;
  readonly method: 'tools/call' | 'tools/list' | 'ping';
  readonly params: JsonObject;
  /** The MCP tool of a `tools/call`; empty elsewhere. */
  readonly tool: string;
  readonly progressToken: RequestId | undefined;
  /** What the envelope calls the client (modern era only). */
  readonly clientName: string | undefined;
  /** The way to the client's user that the envelope offers (modern era only). */
  readonly user: RetryChannel | undefined;
}

/** The HTTP headers that must repeat what the body says; undefined where absent. */
export interface MirrorHeaders {
  readonly protocolVersion: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

interface HotMethod {
  readonly eras: readonly Era[];
  /** The tool's name, or undefined where the params are not obviously well formed. */
  readonly toolOf: (params: JsonObject) => string | undefined;
}

const HOT_METHODS: ReadonlyMap<unknown, HotMethod> = new Map<HotRequest['method'], HotMethod>([
  ['tools/call', { eras: ['legacy', 'modern'], toolOf: ({ name }) => (typeof name === 'string' ? name : undefined) }],
  // The list has one page, so that a cursor can only be a mistake: the SDK's handler says so.
  ['tools/list', { eras: ['legacy', 'modern'], toolOf: ({ cursor }) => (cursor === undefined ? '' : undefined) }],
  ['ping', { eras: ['legacy'], toolOf: () => '' }],
]);

const NO_PARAMS: JsonObject = {};
const NO_META: JsonObject = {};

/**
 * Decides, for every transport, whether a parsed message may be answered on the hot path. Only what is obviously well
 * formed may; everything doubtful returns undefined and goes to the SDK, whose validation words the refusal.
 */
export function recogniseHotRequest(message: unknown): HotRequest | undefined {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params = NO_PARAMS } = message;
  const hot = HOT_METHODS.get(method);
  if (hot === undefined || !isRequestId(id) || !isJsonObject(params)) return undefined;
  const { _meta: meta = NO_META } = params;
  if (!isJsonObject(meta)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isRequestId(progressToken)) return undefined;
  const era = readEra(meta, params);
  const tool = hot.toolOf(params);
  if (era === undefined || tool === undefined || !hot.eras.includes(era)) return undefined;
  const modern = era === 'modern';
  const clientName = modern ? readName(meta[CLIENT_INFO_META_KEY]) : undefined;
  const user = modern ? openRetryChannel(meta[CLIENT_CAPABILITIES_META_KEY]) : undefined;
  return { era, id, method: method as HotRequest['method'], params, tool, progressToken, clientName, user };
}

/**
 * Whether the HTTP headers agree with a hot request. The 2026-07-28 revision demands all three of them, spelled as in
 * the body; earlier ones know the version alone and do not demand it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function headersAgree(request: HotRequest, headers: MirrorHeaders): boolean {
  const { protocolVersion, method, name } = headers;
  if (request.era === 'legacy') return isLegacyVersion(protocolVersion);
  if (protocolVersion !== MODERN_REVISION || method !== request.method) return false;
  return request.method !== 'tools/call' || name === request.tool;
}

/** Whether a version header names a revision that has sessions; clients older than the header send none. */
export function isLegacyVersion(version: string | undefined): boolean {
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

/** Whether a value can be a JSON-RPC id (and an MCP progress token): a string or an integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** What a message calls its client, in an `initialize` or in an envelope, however malformed the rest of it is. */
export function clientNameOf(message: unknown): string | undefined {
  const params = isJsonObject(message) ? message['params'] : undefined;
  if (!isJsonObject(params)) return undefined;
  const { _meta: meta } = params;
  return readName(params['clientInfo']) ?? (isJsonObject(meta) ? readName(meta[CLIENT_INFO_META_KEY]) : undefined);
}

/** The era that a request's `_meta` claims; undefined for an envelope that is incomplete or out of the ordinary. */
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
  return isJsonObject(info) && typeof info['name'] === 'string' ? info['name'] : undefined;
}
