import type { JsonObject } from '../../base/json/json.js';

/**
 * The JSON-RPC error codes that the servers themselves send: those of JSON-RPC 2.0, and from its range for servers the two
 * that MCP's SDKs use for HTTP (-32000: refused, -32001: session not found), MCP's own for resources up to 2025-11-25, and three of
 * MCP 2026-07-28 (-32020: headers contradict the body, -32021: the client lacks a capability, -32022: no such revision is spoken), and one of MCP 2025-11-25 (-32042: the
 * user has to open a page first).
 */
export const RPC_ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
  sessionNotFound: -32001,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042,
} as const;

export type RpcErrorCode = (typeof RPC_ERROR)[keyof typeof RPC_ERROR];

/** Writes a JSON-RPC error response. `id` is null where the request's own could not be read. */
export function writeRpcError(id: string | number | null, code: number, message: string, data?: JsonObject): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${writeErrorMember(code, message, data)}}`;
}

/** Its member that says what went wrong. */
export function writeErrorMember(code: number, message: string, data?: JsonObject): string {
  return `"error":${JSON.stringify(data === undefined ? { code, message } : { code, message, data })}`;
}
