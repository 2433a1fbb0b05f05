import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  type JSONRPCNotification,
  PROTOCOL_VERSION_META_KEY,
  type PriorDiscovery,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { type HeaderParameter, paramHeaders, scanHeaderParameters } from '../base/protocol/header-parameters.js';
import type { LogLevel } from '../base/protocol/log-message.js';
import type { Introduction, RawTool } from '../base/protocol/tools.js';
import type { UpstreamConfig, UpstreamEndpoint } from '../config/gateway-config.js';
import { TRANSPORT_FACTS } from '../config/transport-facts.js';
import { sendInRounds } from './answer-rounds.js';
import type { CallChannel } from './call-channel.js';
import type { CallResult } from './call-result.js';
import type { TaskSurroundings } from './drive-task.js';
import type { PingMemory } from './liveness.js';
import { declares, listenForNews, type ResourceWatch, RootsNews, type UpstreamNews } from './news.js';
import type { AskSettings } from './questions/ask-client.js';
import { tellsRoots, withFolders } from './questions/stand-in-roots.js';
import { findTaskCalls, type TaskCalls } from './task-calls.js';
import {
  type Announced,
  coalesce,
  joinAnnounced,
  ListAge,
  pauseAfterReadings,
  readDefinitions,
  readTools,
  type ToolMemory,
  watchToolList,
} from './tool-list.js';
import { isDenied } from './translate-failure.js';
import { UpstreamFault } from './transport/fault.js';
import type { TransportEvents, TransportSurroundings } from './transport/open-transport.js';
import { CredentialMasking } from './transport/own-credentials.js';
import type { RequestCredentials } from './transport/user-rights.js';
import type { UpstreamCall, UpstreamRequest } from './upstream.js';

/** What is remembered of a server over its connections: which protocol era it speaks, so that it is probed once. */
export interface EraMemory {
  /** Set for a server of the older era. One of 2026-07-28 is asked anew each time: what it offers may be other than before. */
  prior?: typeof LEGACY | undefined;
  /** Why a server of 2026-07-28 has no sessions beside. */
  choice?: string | undefined;
  /** What it listed in sessions last, where it speaks both eras. */
  toolsInSessions?: ToolMemory;
  /** It has spoken 2026-07-28, so that it is waited for when it is asked. */
  modern?: boolean;
  /** It speaks the HTTP+SSE transport of protocol 2024-11-05, though its address alone is configured. */
  sse?: boolean;
}

/** A server that is remembered to speak the older era is not probed. */
export const LEGACY = { kind: 'legacy' } as const satisfies PriorDiscovery;

/** What is remembered of a server over its connections. */
export interface ServerMemory {
  readonly era: EraMemory;
  /** Of all connections, so that a list that comes again has the same objects. */
  readonly tools: ToolMemory;
  readonly pings: PingMemory;
}

export function newServerMemory(): ServerMemory {
  return { era: {}, tools: new Map(), pings: { during: new Set() } };
}

/** One live connection to a server, from handshake to loss. It never comes back; the next one is a new object. */
export interface Connection {
  readonly era: 'legacy' | 'modern';
  readonly transport: UpstreamEndpoint['type'];
  readonly protocolVersion: string | undefined;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  /** Whether the server tells it from other connections: it is a process of its own, or has a session id. */
  readonly hasSession: boolean;
  /** Undefined where the server says nothing of itself. */
  readonly introduction: Introduction | undefined;
  /** Resolves with the reason when nothing new can be sent. */
  readonly lost: Promise<UpstreamFault>;
  readonly usable: boolean;
  /** Resolves when nothing is left of it. */
  readonly closed: Promise<void>;
  /** Rejects with an `UpstreamFault`, a `ProtocolError` or an `SdkHttpError`. */
  call(call: UpstreamCall, timeoutMs: number): Promise<CallResult>;
  /** Which log messages the server sends from now on, where it has one setting for all calls. */
  setLogLevel(level: LogLevel): void;
  /** Rejects as `call` does. */
  request(request: UpstreamRequest, timeoutMs: number): Promise<JsonObject>;
  /** The resources of which the server tells changes. */
  readonly watch: ResourceWatch;
  /** What it has said of changes of its lists, and nobody has read. */
  readonly announced: Pick<Announced, 'isDue' | 'read'>;
  /** Lets what is in flight finish, then closes. */
  retire(): void;
  close(): Promise<void>;
}

export interface ConnectionRequest {
  readonly config: UpstreamConfig;
  readonly around: TransportSurroundings;
  /** What its requests carry beside the configured headers. */
  readonly credentials?: RequestCredentials | undefined;
  readonly memory: EraMemory;
  readonly tools: ToolMemory;
  /** What is known of it over its connections; nothing where it has only this one. */
  readonly pings?: PingMemory;
  /** How long this attempt may take; `connectTimeoutMs` unless given. */
  readonly timeoutMs?: number;
  /** How long a child process may stay silent when it is probed for the modern era. */
  readonly probeTimeoutMs: number;
  /** The list, at connect and after each change, and its digest. */
  readonly onTools: (tools: readonly RawTool[], digest: string) => void;
  /** What the server declares, before its tools are read. */
  readonly onCapabilities: (capabilities: JsonObject) => void;
  readonly news: UpstreamNews;
  /** What an answer said of the server's rate limit, and the tool that was called. */
  readonly onLimits?: TransportEvents['onLimits'];
  /** A line that the server prints, masked. */
  readonly onStderr?: TransportEvents['onStderr'];
  /** The server has asked something of a client, and has its answer. */
  readonly onAsked?: AskSettings['onAsked'];
  readonly ownerLog?: AskSettings['ownerLog'];
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** Something an operator should know that ends nothing. */
  readonly onDiagnostic: (message: string) => void;
}

/** By tool name, the arguments that a call repeats in headers. */
type MirroredTools = Map<unknown, readonly HeaderParameter[]>;

/** A connection being made: enough of it to end it early. */
export interface Attempt {
  readonly channel: CallChannel;
  readonly client: Client;
  readonly lost: Promise<UpstreamFault>;
  readonly closed: Promise<void>;
}

/** Makes a connection of an attempt whose handshake is done: reads the tools, and listens for news. */
export async function completeConnection(
  request: ConnectionRequest,
  { channel, client, lost, closed }: Attempt,
): Promise<Connection> {
  const { config, around, memory, onTools, onDiagnostic } = request;
  const { extensions } = config;
  const era = client.getProtocolEra() ?? 'legacy';
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (era === 'modern') channel.useEnvelope(envelope(protocolVersion, request));
  const asks = era === 'modern' ? describeAsks(request) : undefined;
  const knowsRoots = era === 'legacy' && around.servesClients === true && config.asks.roots !== 'deny';
  const roots = knowsRoots ? newsOfRoots(channel, describeAsks(request)) : undefined;

  const capabilities = readCapabilities(client);
  request.onCapabilities(capabilities);
  const requestPart: TaskSurroundings['request'] = (method, params, options) =>
    channel.request(method, params, options);
  const fetch: TaskSurroundings['fetch'] = (method, params, options) => channel.call(method, params, options);
  const tasks = findTaskCalls({ era, request: requestPart, fetch, asks: describeAsks(request) }, capabilities);
  const masking = new CredentialMasking(config.endpoint, request.credentials);
  const mask = (tool: RawTool, written: string): RawTool => masking.current.maskWords(tool, written);
  let mirrored: MirroredTools = new Map();
  const { isPerRequest } = TRANSPORT_FACTS[config.endpoint.type];
  const mirrors = era === 'modern' && isPerRequest;
  const readAll = async (timeoutMs = config.connectTimeoutMs): Promise<void> => {
    const readPage = (params: JsonObject): Promise<JsonObject> => channel.request('tools/list', params, { timeoutMs });
    const { tools, diagnostic, ttlMs = 0 } = await readTools(readPage, era);
    if (diagnostic !== undefined) onDiagnostic(diagnostic);
    const found: MirroredTools = new Map();
    const isUsable = (tool: RawTool): boolean => {
      const fault = mirrors ? noteMirrored(tool, found) : undefined;
      if (fault !== undefined) onDiagnostic(`its tool '${String(tool?.['name'])}' is left out: ${fault}`);
      return fault === undefined;
    };
    const { usable, digest } = await readDefinitions(tools, request.tools, { isUsable, onDiagnostic, mask });
    mirrored = found;
    tasks?.noteTools(usable);
    onTools(usable, digest);
    age?.begin(ttlMs);
  };
  /**
   * What it declares and what it lists, as after a loss: a server over HTTP may have been replaced between two requests. Up to 2025-11-25 it says
   * what it declares at the handshake alone.
   */
  const askAnew = coalesce(
    async () => {
      if (!channel.usable) return;
      const now = era === 'modern' ? await client.discover({ timeout: config.connectTimeoutMs }) : { capabilities };
      if (describeOffer(now.capabilities) !== describeOffer(capabilities)) return channel.retire(changed());
      await readAll();
      for (const kind of ['resources', 'prompts'] as const) request.news.onListChanged(kind);
    },
    { onFailure: () => onDiagnostic('it could not be asked anew what it offers'), pauseOf: pauseAfterReadings },
  );
  const isTold = (): boolean =>
    era === 'modern' ? declares(capabilities, 'tools', 'listChanged') : !channel.isUnheard;
  const age = isPerRequest || !isTold() ? new ListAge(() => isTold() || askAnew.note()) : undefined;
  channel.onMissed(askAnew.note);
  void lost.then(() => age?.end());
  await readAll(request.timeoutMs);
  channel.provePings(request.pings ?? { during: new Set() });
  const tools = watchToolList({ client, era, readAll, onMissed: askAnew.note, onDiagnostic });
  const { connectTimeoutMs: timeoutMs } = config;
  const { watch, lists } = listenForNews({
    client,
    channel,
    era,
    capabilities,
    timeoutMs,
    news: request.news,
    onMissed: askAnew.note,
    onDiagnostic,
  });

  memory.prior = era === 'modern' ? undefined : LEGACY;
  memory.modern = era === 'modern';
  return {
    era,
    transport: config.endpoint.type,
    protocolVersion,
    server: masking.current.maskIdentity(client.getServerVersion()),
    hasSession: !isPerRequest || channel.sessionId !== undefined,
    introduction: masking.current.maskWords(readIntroduction(client)),
    lost,
    closed,
    get usable() {
      return channel.usable;
    },
    setLogLevel(level) {
      if (era === 'modern' || client.getServerCapabilities()?.logging === undefined) return;
      channel
        .request('logging/setLevel', { level }, { timeoutMs: config.connectTimeoutMs })
        .catch(({ message }: Error) =>
          onDiagnostic(`it does not take the level '${level}' of log messages: ${message}`),
        );
    },
    call(call, timeoutMs) {
      age?.use();
      const settings = { timeoutMs, maxMs: config.maxCallMs, mirrored, asks, roots, tasks, extensions };
      const answer = callTool(channel, call, settings);
      const look = (said: unknown): void => {
        if (isDenied(said, call)) tools.note();
      };
      void answer.then(look, look);
      return answer;
    },
    request(request, timeoutMs) {
      age?.use();
      const { method, params, cancellation, onProgress, log } = request;
      const ask = asks === undefined ? request.ask : withFolders(request.ask, request.caller, asks);
      const preface = roots?.(ask);
      const options = { timeoutMs, maxMs: config.maxCallMs, cancellation, onProgress, ask, log, preface };
      const send = async (continuation?: JsonObject, meta = request.meta): Promise<JsonObject> => {
        return channel.request(method, { ...params, ...continuation }, { ...options, meta });
      };
      if (asks === undefined || (ask === undefined && log === undefined)) return send();
      return sendInRounds(send, { ...request, ask, retryable: request.retryable ?? true }, asks, extensions);
    },
    watch,
    announced: joinAnnounced([tools, askAnew, ...lists]),
    retire: () => channel.retire(),
    close: () => channel.close(),
  };
}

/** As plain JSON: what the gateway asks of it is checked where it is asked. */
function readCapabilities(client: Client): JsonObject {
  const declared: unknown = client.getServerCapabilities();
  return isJsonObject(declared) ? declared : {};
}

/** What a server declares, as far as it makes a difference. */
function describeOffer(declared: unknown): string {
  const capabilities = isJsonObject(declared) ? declared : {};
  const offered = ['tools', 'resources', 'prompts', 'completions', 'logging'].filter((name) =>
    declares(capabilities, name),
  );
  const { extensions } = capabilities;
  return JSON.stringify([
    offered.map((name) => [
      name,
      declares(capabilities, name, 'listChanged'),
      declares(capabilities, name, 'subscribe'),
    ]),
    isJsonObject(extensions) ? Object.keys(extensions).sort() : [],
  ]);
}

function changed(): UpstreamFault {
  return new UpstreamFault('forgotten', 'it offers other capabilities than before', { undelivered: true });
}

interface CallSettings {
  readonly timeoutMs: number;
  readonly maxMs: number;
  readonly mirrored: MirroredTools;
  /** Undefined where the server asks by requests of its own. */
  readonly asks: AskSettings | undefined;
  /** What the server should learn of a client's roots before it gets this client's call; undefined where it is not told of roots, or is with each call. */
  readonly roots: ((ask: UpstreamCall['ask']) => JSONRPCNotification | undefined) | undefined;
  /** Undefined where the server has none. */
  readonly tasks: TaskCalls | undefined;
  /** What the server is told that clients have. */
  readonly extensions: JsonObject | undefined;
}

function callTool(channel: CallChannel, call: UpstreamCall, settings: CallSettings): Promise<CallResult> {
  const { timeoutMs, maxMs, mirrored, asks, roots, tasks } = settings;
  const ask = asks === undefined ? call.ask : withFolders(call.ask, call.caller, asks);
  const parameters = mirrored.get(call.tool);
  const task = tasks?.of(call, settings);
  const send = (continuation?: JsonObject, meta = call.meta): Promise<CallResult> =>
    channel.call(
      'tools/call',
      // The channel says what `_meta` is: a copy whose member is there already is made forty times faster.
      { name: call.tool, arguments: call.arguments, _meta: undefined, ...task?.params, ...continuation },
      {
        timeoutMs,
        maxMs,
        cancellation: call.cancellation,
        onProgress: task?.onProgress ?? call.onProgress,
        ask,
        log: call.log,
        meta,
        drive: task?.drive,
        preface: roots?.(ask),
        headers: parameters === undefined ? undefined : paramHeaders(parameters, call.arguments),
      },
    );
  const extensions =
    tasks?.extensions === undefined ? settings.extensions : { ...settings.extensions, ...tasks.extensions };
  const wantsNothing =
    asks === undefined || (ask === undefined && call.log === undefined && tasks?.extensions === undefined);
  return wantsNothing ? send() : sendInRounds(send, { ...call, ask }, asks, extensions);
}

/** Some servers give a text, or one block, where the protocol has a list of blocks. */
export function listContent(result: JsonObject): JsonObject {
  const { content } = result;
  if (typeof content === 'string') return { ...result, content: [{ type: 'text', text: content }] };
  return isJsonObject(content) ? { ...result, content: [content] } : result;
}

function newsOfRoots(channel: CallChannel, asks: AskSettings): NonNullable<CallSettings['roots']> {
  const news = new RootsNews();
  return (ask) =>
    ask?.abilities.roots === true && tellsRoots(asks) ? news.before(ask, channel.hasStoodIn) : undefined;
}

/** Every request's `_meta` in protocol 2026-07-28, built once a connection. */
function envelope(protocolVersion: string | undefined, { around, config }: ConnectionRequest): JsonObject {
  const { extensions } = config;
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: around.clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: extensions === undefined ? {} : { extensions },
  };
}

/** Learns which arguments of a tool go into headers. Returns why it must not be used where its declaration is forbidden. */
function noteMirrored(tool: RawTool, mirrored: MirroredTools): string | undefined {
  const { parameters, fault } = scanHeaderParameters(tool?.['inputSchema']);
  if (fault === undefined && parameters.length > 0) mirrored.set(tool['name'], parameters);
  return fault;
}

export function describeAsks(request: ConnectionRequest): AskSettings {
  const { config, credentials, onAsked = () => undefined, ownerLog } = request;
  const masking = new CredentialMasking(config.endpoint, credentials);
  const mask = (params: JsonObject): JsonObject => masking.current.maskAll(params);
  return { asker: config, mask, onAsked, ownerLog };
}

/** Callers see half of it at most; what is beyond is neither kept nor compared. */
const LONGEST_INTRODUCTION = 8_000;

/** What a server says of itself; undefined where it says nothing. */
function readIntroduction(client: Client): Introduction | undefined {
  const { title, description }: { readonly title?: unknown; readonly description?: unknown } =
    client.getServerVersion() ?? {};
  const said = Object.entries({ title, description, instructions: client.getInstructions() }).flatMap(([name, text]) =>
    typeof text === 'string' && text.trim() !== '' ? [[name, text.slice(0, LONGEST_INTRODUCTION)]] : [],
  );
  return said.length === 0 ? undefined : Object.fromEntries(said);
}
