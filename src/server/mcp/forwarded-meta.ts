import type { JsonObject } from '../../base/json/json.js';

/** Of more than this, in characters of JSON, the entries that come first are forwarded. */
const MOST_CHARACTERS = 8_192;

/**
 * Keys that are between a client and the gateway: the token of its progress, those that MCP reserves for itself, by the first or second
 * label of their prefix (https://modelcontextprotocol.io/specification/2025-11-25/basic#meta), and the gateway's own.
 */
const NOT_FORWARDED = /^(?:progressToken$|(?:[^./]+\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\/|mcp-aql\/)/;

/** What the upstream gets of a request's `_meta`: trace context, and whatever clients and servers say to each other. Undefined for nothing. */
export function forwardedMeta(sent: JsonObject): JsonObject | undefined {
  let left = MOST_CHARACTERS;
  const kept = Object.entries(sent).filter(([key, value]) => {
    if (value === undefined || NOT_FORWARDED.test(key)) return false;
    left -= key.length + JSON.stringify(value).length;
    return left >= 0;
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
