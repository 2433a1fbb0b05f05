import { DANGER_LEVELS, type TrustLevel } from '../../src/base/protocol/operation.js';
import { type ReplayServer, startReplayServer } from './replay-server.js';

/** One operation for each danger level, `do_safe` to `do_forbidden`, and a second one of the level that needs confirmation. */
const LEVELS = [
  ...DANGER_LEVELS.map((level) => [`do_${level}`, level] as const),
  ['do_destructive_too', 'destructive'] as const,
];

const TOOLS = LEVELS.map(([name, level]) => ({
  name,
  description: `Does something ${level}.`,
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, count: { type: 'integer' } },
  },
}));

const OPERATIONS = Object.fromEntries(LEVELS.map(([name, danger]) => [name, { category: 'EXECUTE', danger }]));

/** A real upstream that counts the calls that reach it, with operations of every danger level. */
export async function startDangerUpstream(): Promise<ReplayServer> {
  return startReplayServer(new Map([['danger', TOOLS]]));
}

/** Its entry in `mcpServers`. */
export function dangerEntry(upstream: ReplayServer, trust?: TrustLevel): object {
  return { url: upstream.urlOf('danger'), operations: OPERATIONS, ...(trust === undefined ? {} : { trust }) };
}

/** The tool that reaches every operation above. */
export const EXECUTE = 'mcp_aql_execute';
