import type { JsonObject } from '../../base/json/json.js';
import { cleanText, cutText } from '../../base/lib/text.js';
import type { Caller } from '../../base/protocol/caller.js';
import { SESSION_REVISIONS } from '../../base/protocol/envelope.js';
import type { EndpointMode } from '../../config/gateway-config.js';
import type { Gateway, ServerWords } from '../../gateway/gateway.js';
import { taskCapabilities } from './answer-task.js';
import { type Era, MODERN_REVISION, type ServerInfo } from './write-result.js';

type Described = Pick<Gateway, 'native' | 'shown' | 'purpose' | 'serversSay'>;

/** The result of `initialize`. A client that asks for a revision that is not spoken is offered the latest that is. */
export function describeInSession(
  gateway: Described,
  serverInfo: ServerInfo,
  wanted: unknown,
  caller: Caller,
): JsonObject {
  const capabilities = capabilitiesOf(gateway, 'legacy', caller);
  const protocolVersion = SESSION_REVISIONS.find((each) => each === wanted) ?? SESSION_REVISIONS[0];
  return { protocolVersion, capabilities, serverInfo, ...instructionsOf(gateway, caller) };
}

/** The result of `server/discover`. */
export function describeServer(gateway: Described, caller: Caller): JsonObject {
  const capabilities = capabilitiesOf(gateway, 'modern', caller);
  return { supportedVersions: [MODERN_REVISION], capabilities, ...instructionsOf(gateway, caller) };
}

function instructionsOf(gateway: Described, caller: Caller): JsonObject {
  return { instructions: writeInstructions(gateway.shown().mode, gateway.purpose, gateway.serversSay(caller)) };
}

function capabilitiesOf({ native }: Described, era: Era, caller: Caller): JsonObject {
  const { extensions, ...offered } = native.capabilities(caller);
  const { extensions: own, ...tasks }: { extensions?: JsonObject } = taskCapabilities(era);
  const all: JsonObject = { ...extensions, ...own };
  return {
    tools: { listChanged: true },
    logging: {},
    ...offered,
    ...tasks,
    ...(Object.keys(all).length === 0 ? {} : { extensions: all }),
  };
}

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

/** How much servers say of how to use them, each and together, in characters. */
const MOST_OF_ONE = 2_000;
const MOST_OF_ALL = 10_000;

/**
 * What a model should know about MCP-AQL before it reads the tools; sent in the handshake of both eras.
 * @param purpose what the servers are for, in the operator's words
 * @param servers what they say of how to use them, where their tools are shown as they are
 */
export function writeInstructions(mode: EndpointMode, purpose?: string, servers: readonly ServerWords[] = []): string {
  const opening = OPENING[mode];
  const rules = mode === 'passthrough' ? PASSTHROUGH_RULES : [...(opening === undefined ? [] : [opening]), ...RULES];
  const own = [...(purpose === undefined ? [] : [purpose]), ...rules].join(' ');
  return [own, ...quoteServers(servers)].join('\n\n');
}

function quoteServers(servers: readonly ServerWords[]): readonly string[] {
  const share = Math.min(MOST_OF_ONE, Math.floor(MOST_OF_ALL / Math.max(1, servers.length)));
  return servers.map(({ upstream, instructions }) => {
    return `The server '${upstream}' says of its tools: ${cutText(cleanText(instructions), share)}`;
  });
}
