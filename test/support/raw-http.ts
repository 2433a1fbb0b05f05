import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { JsonObject } from '../../src/base/json/json.js';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, several buffers one by one without a content-length. */
  readonly body?: JsonObject | readonly JsonObject[] | string | Buffer | readonly Buffer[];
}

const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
};

/** The headers that mirror a modern request. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}

/** Begins a request without a client library, so that a test can send any header and any bytes. */
export function beginHttp(url: string, raw: RawRequest = {}): ClientRequest {
  const { method = 'POST', headers = {}, body } = raw;
  const outgoing = request(url, { method, headers: { ...MCP_HEADERS, ...headers } });
  if (Array.isArray(body) && body.every(Buffer.isBuffer)) for (const chunk of body) outgoing.write(chunk);
  else if (typeof body === 'string' || Buffer.isBuffer(body)) outgoing.write(body);
  else if (body !== undefined) outgoing.write(JSON.stringify(body));
  outgoing.end();
  return outgoing;
}

export function sendHttp(url: string, raw: RawRequest = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    beginHttp(url, raw)
      .once('error', reject)
      .once('response', (response) => readAnswer(response).then(resolve, reject));
  });
}

export async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = response.headers['content-type']?.startsWith('application/json') === true && text !== '';
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

export function initializeMessage(id = 1): JsonObject {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

export function callMessage(id: number | string, args: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'mcp_aql_read', arguments: args } };
}

/** Opens a legacy session and returns its header. */
export async function openSession(url: string): Promise<Record<string, string>> {
  const { headers } = await sendHttp(url, { body: initializeMessage() });
  return { 'mcp-session-id': String(headers['mcp-session-id']) };
}

/** The operation result inside a tool call's answer. */
export function envelopeOf(answer: { readonly result: { readonly content: readonly { readonly text: string }[] } }) {
  return JSON.parse(answer.result.content[0]?.text ?? 'null') as JsonObject;
}
