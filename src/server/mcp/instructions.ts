import type { EndpointMode } from '../../config/gateway-config.js';

/** The single tool says the same of itself. */
const OPENING: Readonly<Partial<Record<EndpointMode, string>>> = {
  semantic: 'These tools reach all operations of all servers behind them, grouped by effect.',
  all: 'These tools reach all operations of all servers behind them, by effect or through one.',
};

/** The quotes are single, because clients put the text into JSON. The descriptions of the tools show the requests whole. */
const RULES: readonly string[] = [
  "First call introspect {query: 'upstreams'}: it maps the servers and says how to go on.",
  "Every READ but introspect takes 'filter', 'sort', 'fields', 'first' on its answer.",
  'A batch {operations: [{operation, params}, ...]} runs in order and halts at a confirmation.',
  'To confirm, send the operation with params {_confirmation: details.confirmation_token} alone.',
  'Errors say what to change.',
];

/** Where there are no tools of MCP-AQL. */
const PASSTHROUGH_RULES: readonly string[] = [
  'These are the tools of the servers behind this gateway.',
  'Calls that may destroy ask first: to confirm, call the tool again with the arguments {_confirmation: details.confirmation_token} alone.',
  'Errors say what to change.',
];

/**
 * What a model should know about MCP-AQL before it reads the tools; sent in the handshake of both eras.
 * @param purpose what the servers are for, in the operator's words
 */
export function writeInstructions(mode: EndpointMode, purpose?: string): string {
  const opening = OPENING[mode];
  const rules = mode === 'passthrough' ? PASSTHROUGH_RULES : [...(opening === undefined ? [] : [opening]), ...RULES];
  return [...(purpose === undefined ? [] : [purpose]), ...rules].join(' ');
}
