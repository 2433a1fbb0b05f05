import { ProtocolError, ProtocolErrorCode, type Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json/json.js';
import { cleanText, cutText } from '../../base/lib/text.js';
import type { Caller } from '../../base/protocol/caller.js';
import type { EndpointMode } from '../../config/gateway-config.js';
import type { Gateway, ServerWords } from '../../gateway/gateway.js';
import { taskCapabilities } from './answer-task.js';
import type { RequestId } from './calls-in-flight.js';
import type { LogLevels } from './log-levels.js';
import { ExplainingServer } from './schema-faults.js';
import type { Era, ServerInfo } from './write-result.js';

export interface RequestOrigin {
  readonly caller: Caller;
}

/** The fast path answers them; here they arrive malformed, and the SDK says what is wrong with their params. */
const FAST_METHODS = [
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const;

/** Creates a server of the SDK for one connection, session or request. */
export type SdkServerFactory = (era: Era, originOf: (id: RequestId) => RequestOrigin) => Server;

/** The SDK's server, for what is not answered by the fast path: handshake, discovery, unknown methods, malformed requests. */
export function createSdkServerFactory(gateway: Gateway, serverInfo: ServerInfo, logs: LogLevels): SdkServerFactory {
  const { native } = gateway;
  const capabilitiesOf = (era: Era): ServerCapabilities => {
    const { extensions, experimental, ...offered } = native.capabilities();
    const { extensions: own, ...tasks }: { extensions?: JsonObject } = taskCapabilities(era);
    const all: JsonObject = { ...extensions, ...own };
    const passed: JsonObject = {
      ...(Object.keys(all).length === 0 ? {} : { extensions: all }),
      ...(experimental === undefined ? {} : { experimental }),
    };
    // Any JSON object may be their settings.
    return {
      tools: { listChanged: true },
      logging: {},
      ...offered,
      ...tasks,
      ...(passed as Partial<ServerCapabilities>),
    };
  };
  const optionsOf = (era: Era) => ({
    capabilities: capabilitiesOf(era),
    instructions: writeInstructions(gateway.mode(), gateway.purpose, gateway.serversSay()),
    // The gateway sends its questions to legacy clients itself.
    inputRequired: { legacyShim: false },
  });
  return (era, originOf) => {
    const server = new ExplainingServer(serverInfo, optionsOf(era), era);
    // The list has one page, and a request for it without a cursor is fast.
    server.setRequestHandler('tools/list', () => refuse('Unknown cursor: the list of tools has one page'));
    server.setRequestHandler('logging/setLevel', ({ params }, { mcpReq }) => {
      logs.set(originOf(mcpReq.id).caller.sessionId, params.level);
      return {};
    });
    for (const method of FAST_METHODS) server.setRequestHandler(method, () => refuse(MALFORMED));
    return server;
  };
}

const MALFORMED = 'The request is not in the form that its revision of MCP describes';

function refuse(why: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, why);
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
