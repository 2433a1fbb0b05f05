import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../protocol/json.js';
import { encodeHeaderValue } from '../header-value.js';

/** Headers that the protocol or the connection owns; configuration cannot set them. */
const RESERVED = new Set([
  'accept',
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
};

export interface ConnectionFacts {
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
}

/** Name, value, name, value: the form undici sends without looking at it again. */
export type FlatHeaders = readonly string[];

/** What every request carries: the configured headers, the session and the version. Built once per change, not per call. */
export function connectionHeaders(
  configured: Readonly<Record<string, string>>,
  facts: ConnectionFacts,
  userAgent: string,
): FlatHeaders {
  const headers = new Map([['user-agent', userAgent]]);
  for (const [name, value] of Object.entries(configured)) {
    if (!RESERVED.has(name.toLowerCase())) headers.set(name.toLowerCase(), value);
  }
  if (facts.sessionId !== undefined) headers.set('mcp-session-id', facts.sessionId);
  if (facts.protocolVersion !== undefined) headers.set('mcp-protocol-version', facts.protocolVersion);
  return [...headers].flat();
}

/** What a modern request repeats from its own body; nothing for a legacy one. */
export function messageHeaders(message: JSONRPCMessage, facts: ConnectionFacts): FlatHeaders {
  if (!('method' in message) || !('id' in message)) return [];
  const version = message.params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (typeof version !== 'string') return [];
  const headers = ['mcp-method', message.method];
  if (facts.protocolVersion === undefined) headers.push('mcp-protocol-version', version);
  const name = nameOf(message.method, message.params);
  if (name !== undefined) headers.push('mcp-name', encodeHeaderValue(name));
  return headers;
}

function nameOf(method: string, params: unknown): string | undefined {
  const source = Object.hasOwn(NAME_SOURCE, method) ? NAME_SOURCE[method] : undefined;
  if (source === undefined || !isJsonObject(params)) return undefined;
  const name = params[source];
  return typeof name === 'string' ? name : undefined;
}
