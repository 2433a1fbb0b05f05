import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../json/json.js';

/** The gateways that have started this one, the outermost first, in the environment of what a gateway starts. */
export const CHAIN_VARIABLE = 'MCP_AQL_GATEWAY_CHAIN';

/** The same in the requests that a gateway sends, with that gateway. */
export const CHAIN_HEADER = 'mcp-aql-gateway-chain';

/** The same in `_meta` of a handshake, which a bridge between two gateways passes on where it drops headers. */
const CHAIN_META_KEY = 'mcp-aql/gateway-chain';

/** The requests by which connections begin, in both eras. */
export const HANDSHAKES: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/** This process, as other gateways know it. */
const INSTANCE = randomUUID();

/** Longer chains are refused long before. */
const LONGEST = 1_000;

const ancestors = read(process.env[CHAIN_VARIABLE]);

/** What this gateway tells those that it starts and asks. */
export const OWN_CHAIN = [...ancestors, INSTANCE].join(',');

/** How many gateways have started one another before this one. */
export const OWN_DEPTH = ancestors.length;

/** A gateway may be a server of another; what is started by one of those is, but for a mistake, the first again. */
export const DEEPEST = 1;

/** Whether a request comes from this gateway itself, or from one that it has started. */
export function isOwnRequest(header: string | readonly string[]): boolean {
  return read(String(header)).includes(INSTANCE);
}

/**
 * A request as it is sent, marked where it is a handshake. Over HTTP only that of 2026-07-28, which has `_meta` in any case: servers of both eras tell by
 * `_meta` which one a request is of.
 */
export function markHandshake<T extends object>(message: T, isOnPipe: boolean): T {
  const { method, params } = message as { readonly method?: unknown; readonly params?: unknown };
  if (!HANDSHAKES.has(method) || (method === 'initialize' && !isOnPipe)) return message;
  const given = isJsonObject(params) ? params : {};
  const meta = isJsonObject(given['_meta']) ? given['_meta'] : {};
  return { ...message, params: { ...given, _meta: { ...meta, [CHAIN_META_KEY]: OWN_CHAIN } } };
}

/** Whether a handshake is of this gateway itself, or of one that it has started. */
export function isOwnHandshake({ params }: JsonObject): boolean {
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  const chain = isJsonObject(meta) ? meta[CHAIN_META_KEY] : undefined;
  return typeof chain === 'string' && isOwnRequest(chain);
}

/** How a gateway is told that it is its own server. */
export const LOOP = 'Loop: this gateway is a server of its own';

/** What to do about a gateway that is, over others or not, a server of its own. */
export const LOOP_CURE =
  "Remove the entry of 'mcpServers' whose command starts mcp-aql-gateway, or whose url is an address of this gateway";

function read(chain = ''): readonly string[] {
  return chain
    .slice(0, LONGEST)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
