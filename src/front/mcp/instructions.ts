import type { EndpointMode } from '../../config/gateway-config.js';

const INTROSPECT_FIRST =
  'Before the first use, list what exists with {"operation": "introspect", "params": {"query": "operations"}}; add ' +
  '"name" to see one operation\'s parameters. Each tool\'s description shows where introspect is called. Errors say what ' +
  'to change: correct the call and send it again.';

const ASK_FOR_LESS =
  'Lists take "filter", "sort", "fields" and "first", so ask for what you need. Several calls at once: {"operations": ' +
  '[{"operation": "<name>", "params": {...}}, ...]}.';

const OPENING: Readonly<Record<EndpointMode, string>> = {
  semantic:
    'These tools reach every operation of every connected server, grouped by what an operation does to data. Call one ' +
    'with {"operation": "<name>", "params": {...}}.',
  single:
    'This tool reaches every operation of every connected server. Call it with {"operation": "<name>", "params": {...}}.',
  all:
    'These tools reach every operation of every connected server; the same operations are offered by family and by a ' +
    'single tool. Call one with {"operation": "<name>", "params": {...}}.',
};

/** What a model should know of MCP-AQL before it reads the tools: sent in the handshake of both eras. */
export function writeInstructions(mode: EndpointMode): string {
  return `${OPENING[mode]} ${INTROSPECT_FIRST} ${ASK_FOR_LESS}`;
}
