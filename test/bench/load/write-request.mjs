import { textOf } from './payload.mjs';

export const LEGACY_VERSION = '2025-11-25';
export const MODERN_VERSION = '2026-07-28';

/** Ids have one width, so that answers to equal calls have equal lengths. */
export const FIRST_ID = 10_000_000;
const PLACEHOLDER = 88_888_888;

const CLIENT_INFO = { name: 'bench-client', version: '1.0.0' };

/** What a stateless client says with each request. */
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The legacy era's opening, for every target alike. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo: CLIENT_INFO },
});
export const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

/** Returns a function from an id to a request's JSON text. The writing is done here, once, not per call. */
export function compileRequests(target, payload) {
  const pieces = payload.operations.map((operation) =>
    JSON.stringify(requestOf(target, payload, operation)).split(String(PLACEHOLDER)),
  );
  return (id) => pieces[id % pieces.length].join(String(id));
}

/** The MCP tool that a request names; undefined for `tools/list`. */
export function toolOf(target, payload, operation) {
  if (payload.kind === 'tools') return undefined;
  if (target.speaks === 'tools') return operation;
  return `mcp_aql_${payload.family ?? 'read'}`;
}

function requestOf(target, payload, operation) {
  const meta = target.era === 'modern' ? { _meta: MODERN_META } : {};
  const name = toolOf(target, payload, operation);
  if (name === undefined) return { jsonrpc: '2.0', id: PLACEHOLDER, method: 'tools/list', params: meta };
  const params = paramsOf(payload);
  const args = target.speaks === 'tools' ? params : { operation, params };
  return { jsonrpc: '2.0', id: PLACEHOLDER, method: 'tools/call', params: { name, arguments: args, ...meta } };
}

function paramsOf({ kind, size, params }) {
  if (kind === 'call') return JSON.parse(JSON.stringify(params).replaceAll('$id', PLACEHOLDER));
  return kind === 'text' ? { text: textOf(PLACEHOLDER, size) } : {};
}
