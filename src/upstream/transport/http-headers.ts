import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { CHAIN_HEADER, OWN_CHAIN } from '../../base/protocol/gateway-chain.js';
import { encodeHeaderValue } from '../../base/protocol/header-parameters.js';
import type { AnnouncedLimits } from '../../base/protocol/limits.js';
import { readTraceContext } from '../../base/protocol/trace-context.js';
import type { HttpEndpoint } from '../../config/gateway-config.js';
import { headerOf, type ResponseHeaders } from './http-exchange.js';

export interface ConnectionFacts {
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
}

/** Name, value, name, value: the form undici sends without looking at it again. */
export type FlatHeaders = readonly string[];

/** Headers that the protocol or the connection owns; configuration cannot set them. */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
]);

/** The parameter that `Mcp-Name` repeats, by method (MCP 2026-07-28, standard request headers). */
const NAME_SOURCE: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * The configured headers that are sent, by names in lower case, with the user and password of the address as Basic where no other credentials
 * are configured.
 */
export function configuredHeaders({ url, headers }: HttpEndpoint): Readonly<Record<string, string>> {
  const basic = basicOf(url);
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const own = Object.fromEntries(lower.filter(([name]) => !RESERVED.has(name)));
  return basic === undefined ? own : { authorization: basic, ...own };
}

/** Undefined for an address without user and password */
export function basicOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password } = new URL(url);
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decodeText(username)}:${decodeText(password)}`).toString('base64')}`;
}

/** A percent sign that begins no escape is one. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What every request carries: the configured headers, the session and the version. Built once per change, not per call. */
export function connectionHeaders(
  configured: Readonly<Record<string, string>>,
  facts: ConnectionFacts,
  userAgent: string,
): FlatHeaders {
  // Without the header a server may compress, and answers are passed on in the bytes that came.
  const headers = new Map([
    ['user-agent', userAgent],
    ['accept-encoding', 'identity'],
  ]);
  for (const [name, value] of Object.entries(configured)) headers.set(name, value);
  if (facts.sessionId !== undefined) headers.set('mcp-session-id', facts.sessionId);
  if (facts.protocolVersion !== undefined) headers.set('mcp-protocol-version', facts.protocolVersion);
  headers.set(CHAIN_HEADER, OWN_CHAIN);
  return [...headers].flat();
}

/** What a request repeats from its own body: the context of its trace, and what a modern one has to. */
export function messageHeaders(message: JSONRPCMessage, facts: ConnectionFacts): FlatHeaders {
  if (!('method' in message) || !('id' in message)) return [];
  const meta = message.params?._meta;
  if (meta === undefined) return [];
  const headers = traceHeaders(meta['traceparent'], meta['tracestate']);
  const version = meta[PROTOCOL_VERSION_META_KEY];
  if (typeof version !== 'string') return headers;
  headers.push('mcp-method', message.method);
  if (facts.protocolVersion === undefined) headers.push('mcp-protocol-version', version);
  const name = nameOf(message.method, message.params);
  if (name !== undefined) headers.push('mcp-name', encodeHeaderValue(name));
  return headers;
}

/** What a request says of the protocol itself; undefined where its connection has said so for all. */
export function envelopeOf(message: JSONRPCMessage): JsonObject | undefined {
  const meta = 'method' in message ? message.params?._meta : undefined;
  if (typeof meta?.[PROTOCOL_VERSION_META_KEY] !== 'string') return undefined;
  const keys = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
  return Object.fromEntries(keys.map((key) => [key, meta[key]]));
}

function traceHeaders(parent: unknown, state: unknown): string[] {
  const context = readTraceContext(parent, state);
  if (context === undefined) return [];
  const { traceparent, tracestate } = context;
  return tracestate === undefined
    ? ['traceparent', traceparent]
    : ['traceparent', traceparent, 'tracestate', tracestate];
}

function nameOf(method: string, params: unknown): string | undefined {
  const source = Object.hasOwn(NAME_SOURCE, method) ? NAME_SOURCE[method] : undefined;
  if (source === undefined || !isJsonObject(params)) return undefined;
  const name = params[source];
  return typeof name === 'string' ? name : undefined;
}

/** Statuses whose `Retry-After` means that the next call should wait (RFC 9110, section 10.2.3; RFC 6585, section 4). */
const BUSY_STATUS: ReadonlySet<number> = new Set([429, 503]);

/** From here on a reset is a Unix time in seconds, and from the second on one in milliseconds; below it, seconds from now. */
const UNIX_SECONDS = 1_000_000_000;
const UNIX_MILLISECONDS = 1_000_000_000_000;

const REMAINDER_HEADERS = ['x-ratelimit-remaining', 'ratelimit-remaining', 'ratelimit'] as const;

/** What is left and when there is more, as written. */
interface Remainder {
  readonly remaining: number;
  readonly reset: number;
}

/**
 * What an answer says of its server's rate limit: `Retry-After`, `X-RateLimit-*`, and the fields of
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ in its older and its newer forms. Undefined where
 * it says nothing, as nearly all do.
 */
export function readLimitHeaders(
  status: number,
  headers: ResponseHeaders,
  now: () => number = Date.now,
): AnnouncedLimits | undefined {
  const retryAfterSeconds = BUSY_STATUS.has(status)
    ? readRetryAfter(headerOf(headers, 'retry-after'), now())
    : undefined;
  const remainder = readRemainder(headers);
  if (retryAfterSeconds === undefined && remainder === undefined) return undefined;
  return {
    ...(BUSY_STATUS.has(status) ? { status } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(remainder === undefined ? {} : { remaining: remainder.remaining, resetsAt: momentOf(remainder.reset, now()) }),
  };
}

/** `Retry-After` in seconds or as a date, as whole seconds from now; undefined where it says nothing. */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds));
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - now) / 1_000));
}

/** Of several windows the one with least left. */
function readRemainder(headers: ResponseHeaders): Remainder | undefined {
  // Every answer passes here.
  if (REMAINDER_HEADERS.every((name) => headers[name] === undefined)) return undefined;
  const found = [...readPair(headers, 'x-ratelimit'), ...readPair(headers, 'ratelimit'), ...readField(headers)];
  return found.reduce<Remainder | undefined>(
    (least, each) => (least === undefined || each.remaining < least.remaining ? each : least),
    undefined,
  );
}

function readPair(headers: ResponseHeaders, prefix: string): readonly Remainder[] {
  const remaining = headerOf(headers, `${prefix}-remaining`);
  if (remaining === undefined) return [];
  return toRemainders(remaining, headerOf(headers, `${prefix}-reset`));
}

/** `RateLimit: limit=100, remaining=0, reset=50`, or `RateLimit: "burst";r=0;t=1, "daily";r=9;t=60`. */
function readField(headers: ResponseHeaders): readonly Remainder[] {
  const field = headerOf(headers, 'ratelimit');
  if (field === undefined) return [];
  const windows = field.includes('remaining=') ? [field] : field.split(',');
  return windows.flatMap((window) =>
    toRemainders(/\b(?:r|remaining)=(\d+)/.exec(window)?.[1], /\b(?:t|reset)=(\d+)/.exec(window)?.[1]),
  );
}

function toRemainders(remaining: string | undefined, reset: string | undefined): readonly Remainder[] {
  const found = { remaining: Number.parseFloat(remaining ?? ''), reset: Number.parseFloat(reset ?? '') };
  return Number.isFinite(found.remaining) && Number.isFinite(found.reset) ? [found] : [];
}

/** In milliseconds since the epoch. */
function momentOf(reset: number, now: number): number {
  if (reset >= UNIX_MILLISECONDS) return reset;
  return reset >= UNIX_SECONDS ? reset * 1_000 : now + reset * 1_000;
}
