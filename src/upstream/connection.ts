import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  type JSONRPCNotification,
  PROTOCOL_VERSION_META_KEY,
  type PriorDiscovery,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { Observer } from '../base/observe/observation.js';
import { ALL_ABILITIES, writeAbilities } from '../base/protocol/ask.js';
import { type HeaderParameter, paramHeaders, scanHeaderParameters } from '../base/protocol/header-parameters.js';
import type { LogLevel } from '../base/protocol/log-message.js';
import type { Introduction, RawTool } from '../base/protocol/tools.js';
import { inTime, runInSlices } from '../base/turns/turns.js';
import type { QueueBounds } from '../config/connection-config.js';
import type { UpstreamConfig, UpstreamEndpoint } from '../config/gateway-config.js';
import { sendInRounds } from './answer-rounds.js';
import { CallChannel } from './call-channel.js';
import { CallQueue, type Wait } from './call-queue.js';
import type { CallResult } from './call-result.js';
import type { TaskSurroundings } from './drive-task.js';
import { readIntroduction } from './introduction.js';
import { listenForNews, type ResourceWatch, RootsNews, type UpstreamNews } from './news.js';
import type { AskSettings } from './questions/ask-client.js';
import { permit } from './questions/prepare-question.js';
import { findTaskCalls, type TaskCalls } from './task-calls.js';
import { readDefinitions, readTools, type ToolMemory, watchToolList } from './tool-list.js';
import { UpstreamFault } from './transport/fault.js';
import { openTransport, type TransportEvents, type TransportSurroundings } from './transport/open-transport.js';
import { CredentialMasking } from './transport/own-credentials.js';
import type { RequestCredentials } from './transport/user-rights.js';
import { writeAhead } from './transport/wire-messages.js';
import type { CallCounts, UpstreamCall, UpstreamRequest } from './upstream.js';

/** What is remembered of a server over its connections: which protocol era it speaks, so that it is probed once. */
export interface EraMemory {
  prior?: PriorDiscovery | undefined;
  /** It speaks the HTTP+SSE transport of protocol 2024-11-05, though its address alone is configured. */
  sse?: boolean;
}

/** What is remembered of a server over its connections. */
export interface ServerMemory {
  readonly era: EraMemory;
  /** Of all connections, so that a list that comes again has the same objects. */
  readonly tools: ToolMemory;
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
  /** Lets what is in flight finish, then closes. */
  retire(): void;
  close(): Promise<void>;
}

interface ConnectionRequest {
  readonly config: UpstreamConfig;
  readonly around: TransportSurroundings;
  /** What its requests carry beside the configured headers. */
  readonly credentials?: RequestCredentials | undefined;
  readonly memory: EraMemory;
  readonly tools: ToolMemory;
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
interface Attempt {
  readonly channel: CallChannel;
  readonly client: Client;
  readonly lost: Promise<UpstreamFault>;
  readonly closed: Promise<void>;
}

/**
 * Connects, shakes hands and reads the tools, all within the configured time.
 *
 * @throws UpstreamFault or an error of the SDK; nothing is left running then.
 */
export async function openConnection(request: ConnectionRequest): Promise<Connection> {
  const { endpoint } = request.config;
  if (endpoint.type !== 'http') return connectInAnyEra(request);
  const overSse = { ...request, config: { ...request.config, endpoint: { ...endpoint, type: 'sse' as const } } };
  if (request.memory.sse === true) return connectOnce(overSse);
  try {
    return await connectInAnyEra(request);
  } catch (error) {
    // That transport has no credentials of users.
    if (!refusesPost(error) || request.signal.aborted || request.credentials !== undefined) throw error;
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
    const connection = await connectOnce(overSse).catch(() => undefined);
    if (connection === undefined) throw error;
    request.memory.sse = true;
    return connection;
  }
}

/** Statuses by which a server of the older HTTP transport refuses the POST of a newer one. */
const POST_REFUSALS: ReadonlySet<number> = new Set([400, 404, 405]);

function refusesPost(error: unknown): boolean {
  return error instanceof SdkHttpError && POST_REFUSALS.has(error.status);
}

async function connectInAnyEra(request: ConnectionRequest): Promise<Connection> {
  try {
    return await connectOnce(request);
  } catch (error) {
    if (isModernRefusal(error) && request.memory.prior === undefined) {
      // It was slow to answer the probe, and refuses the old handshake: this time it is waited for.
      return connectOnce({ ...request, probeTimeoutMs: request.config.connectTimeoutMs });
    }
    if (!(error instanceof ProbeFailure)) throw error;
    // Servers of some older SDKs exit, or fall silent, when their first request is not `initialize`.
    request.memory.prior = LEGACY;
    if (error.fault.kind === 'timeout') throw error.fault;
    return connectOnce(request);
  }
}

/** Only servers of the 2026-07-28 protocol refuse `initialize` with this code; it names the versions that they speak. */
function isModernRefusal(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ProtocolErrorCode.UnsupportedProtocolVersion;
}

/** The server ended or stayed silent while it was probed for the modern era. */
class ProbeFailure extends Error {
  readonly fault: UpstreamFault;

  constructor(fault: UpstreamFault) {
    super(fault.message, { cause: fault });
    this.fault = fault;
  }
}

async function connectOnce(request: ConnectionRequest): Promise<Connection> {
  const { config, memory, signal } = request;
  const timeoutMs = config.connectTimeoutMs;
  const attempt = await beginAttempt(request);
  const { channel, client } = attempt;
  const giveUp = (): void => void channel.close();
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener('abort', giveUp);
  const started = performance.now();
  try {
    signal.throwIfAborted();
    const prior = config.endpoint.type === 'sse' ? LEGACY : memory.prior;
    // The SDK's own time-out comes second: ours knows the phase, and closes.
    await client.connect(channel, { timeout: timeoutMs * 2, ...(prior === undefined ? {} : { prior }) });
    return await completeConnection(request, attempt);
  } catch (error) {
    const closed = channel.close();
    // When the gateway closes, it waits until nothing is left; a next attempt need not.
    if (signal.aborted) await closed;
    throw reasonOf(error, channel, performance.now() - started >= timeoutMs - 1 ? timeoutMs : undefined);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** Silence and the end of the process explain more than the SDK's error that follows from them. */
function reasonOf(
  error: unknown,
  { reportedLoss, lastMethod }: CallChannel,
  expiredAfterMs: number | undefined,
): unknown {
  const fault = expiredAfterMs === undefined ? reportedLoss : silence(lastMethod, expiredAfterMs, error);
  const ended = fault?.kind === 'exited' || fault?.kind === 'timeout';
  if (fault !== undefined && ended && lastMethod === 'server/discover') return new ProbeFailure(fault);
  return fault ?? error;
}

const LEGACY: PriorDiscovery = { kind: 'legacy' };

function silence(method: string | undefined, timeoutMs: number, cause: unknown): UpstreamFault {
  const what = method === undefined ? 'no connection' : `no answer to '${method}'`;
  return new UpstreamFault('timeout', `${what} within ${timeoutMs / 1000} s`, { cause });
}

async function beginAttempt(request: ConnectionRequest): Promise<Attempt> {
  const { config, around, probeTimeoutMs, onLimits, onStderr, credentials } = request;
  const transport = await openTransport(config, around, { onLimits, onStderr, credentials });
  const channel = new CallChannel(transport, config);
  channel.onunknown = noteUnknownAnswers(config.slug, around.observe);
  const lost = new Promise<UpstreamFault>((resolve) => {
    channel.onlost = resolve;
  });
  // The SDK's client calls the handler that it finds, then its own.
  const closed = new Promise<void>((resolve) => {
    channel.onclose = resolve;
  });
  const probe = { timeoutMs: transport.kind === 'stdio' ? probeTimeoutMs : config.connectTimeoutMs };
  const asks = describeAsks(request);
  channel.answerQuestions(asks);
  // What clients of the gateway may be asked. Which of them is, and whether it can be, is known with each question.
  const capabilities = around.servesClients === true ? declareAbilities(request) : {};
  const client = new Client(around.clientInfo, { capabilities, versionNegotiation: { mode: 'auto', probe } });
  client.onerror = ({ message }) =>
    around.observe({ kind: 'notice', level: 'debug', message: `${config.slug}: ${message}` });
  return { channel, client, lost, closed };
}

function declareAbilities({ config }: ConnectionRequest): JsonObject {
  const permitted = permit(ALL_ABILITIES, config.asks);
  return { ...writeAbilities(permitted), ...(permitted.roots ? { roots: { listChanged: true } } : {}) };
}

function describeAsks(request: ConnectionRequest): AskSettings {
  const { config, credentials, onAsked = () => undefined, ownerLog } = request;
  const masking = new CredentialMasking(config.endpoint, credentials);
  const mask = (params: JsonObject): JsonObject => masking.current.maskAll(params);
  return { asker: config, mask, onAsked, ...(ownerLog === undefined ? {} : { ownerLog }) };
}

/** How often a server's answers to nothing are reported. */
const UNKNOWN_NOTED_MS = 60_000;

/** Such a server may have answered a call with the wrong id, so that the call times out: the log says why. */
function noteUnknownAnswers(slug: string, observe: Observer): (id: unknown) => void {
  let count = 0;
  let notedAt = Number.NEGATIVE_INFINITY;
  return (id) => {
    count += 1;
    if (performance.now() - notedAt < UNKNOWN_NOTED_MS) return;
    notedAt = performance.now();
    const what = `${slug} answered requests that were never sent (${count} so far; the last id: ${excerpt(id)}); dropped`;
    observe({ kind: 'notice', level: 'warn', message: what });
  };
}

/** An id is the server's text. */
function excerpt(id: unknown): string {
  return JSON.stringify(id ?? null).slice(0, 60);
}

async function completeConnection(
  request: ConnectionRequest,
  { channel, client, lost, closed }: Attempt,
): Promise<Connection> {
  const { config, around, memory, onTools, onDiagnostic } = request;
  const era = client.getProtocolEra() ?? 'legacy';
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (era === 'modern') channel.useEnvelope(envelope(protocolVersion, around.clientInfo));
  const asks = era === 'modern' ? describeAsks(request) : undefined;
  const knowsRoots = era === 'legacy' && around.servesClients === true && config.asks.roots === 'allow';
  const roots = knowsRoots ? new RootsNews() : undefined;

  const capabilities = readCapabilities(client);
  request.onCapabilities(capabilities);
  const requestPart: TaskSurroundings['request'] = (method, params, options) =>
    channel.request(method, params, options);
  const fetch: TaskSurroundings['fetch'] = (method, params, options) => channel.call(method, params, options);
  const tasks = findTaskCalls({ era, request: requestPart, fetch, asks: describeAsks(request) }, capabilities);
  const masking = new CredentialMasking(config.endpoint, request.credentials);
  const mask = (tool: RawTool, written: string): RawTool => masking.current.maskWords(tool, written);
  let mirrored: MirroredTools = new Map();
  const mirrors = era === 'modern' && config.endpoint.type === 'http';
  const readAll = async (): Promise<void> => {
    const { tools, diagnostic } = await readTools((params) =>
      channel.request('tools/list', params, { timeoutMs: config.connectTimeoutMs }),
    );
    if (diagnostic !== undefined) onDiagnostic(diagnostic);
    const found: MirroredTools = new Map();
    const isUsable = (tool: RawTool): boolean => {
      const fault = mirrors ? noteMirrored(tool, found) : undefined;
      if (fault !== undefined) onDiagnostic(`its tool '${String(tool?.['name'])}' is left out: ${fault}`);
      return fault === undefined;
    };
    const reading = readDefinitions(tools, request.tools, { isUsable, onDiagnostic, mask });
    const { usable, digest } = await runInSlices(inTime(reading));
    mirrored = found;
    tasks?.noteTools(usable);
    onTools(usable, digest);
  };
  await readAll();
  watchToolList({ client, era, readAll, onDiagnostic });
  const { connectTimeoutMs: timeoutMs } = config;
  const watch = listenForNews({ client, channel, era, capabilities, timeoutMs, news: request.news, onDiagnostic });

  const discover = client.getDiscoverResult();
  memory.prior = discover === undefined ? LEGACY : { kind: 'modern', discover };
  return {
    era,
    transport: config.endpoint.type,
    protocolVersion,
    server: masking.current.maskIdentity(client.getServerVersion()),
    hasSession: config.endpoint.type !== 'http' || channel.sessionId !== undefined,
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
    call: (call, timeoutMs) =>
      callTool(channel, call, { timeoutMs, maxMs: config.maxCallMs, mirrored, asks, roots, tasks }),
    request(request, timeoutMs) {
      const { method, params, cancellation, onProgress, ask, log } = request;
      const preface = newsBefore(ask, roots);
      const options = { timeoutMs, maxMs: config.maxCallMs, cancellation, onProgress, ask, log, preface };
      const { arguments: args } = params;
      const writing = isJsonObject(args) ? writeAhead(args) : undefined;
      const send = async (continuation?: JsonObject, meta = request.meta): Promise<JsonObject> => {
        if (writing !== undefined) await writing;
        return channel.request(method, { ...params, ...continuation }, { ...options, meta });
      };
      if (asks === undefined || (ask === undefined && log === undefined)) return send();
      return sendInRounds(send, { ...request, retryable: true }, asks);
    },
    watch,
    retire: () => channel.retire(),
    close: () => channel.close(),
  };
}

/** As plain JSON: what the gateway asks of it is checked where it is asked. */
function readCapabilities(client: Client): JsonObject {
  const declared: unknown = client.getServerCapabilities();
  return isJsonObject(declared) ? declared : {};
}

interface CallSettings {
  readonly timeoutMs: number;
  readonly maxMs: number;
  readonly mirrored: MirroredTools;
  /** Undefined where the server asks by requests of its own. */
  readonly asks: AskSettings | undefined;
  /** Undefined where the server is not told of roots, or is with each call. */
  readonly roots: RootsNews | undefined;
  /** Undefined where the server has none. */
  readonly tasks: TaskCalls | undefined;
}

function callTool(channel: CallChannel, call: UpstreamCall, settings: CallSettings): Promise<CallResult> {
  const writing = writeAhead(call.arguments);
  return writing === undefined
    ? sendCall(channel, call, settings)
    : writing.then(() => sendCall(channel, call, settings));
}

function sendCall(channel: CallChannel, call: UpstreamCall, settings: CallSettings): Promise<CallResult> {
  const { timeoutMs, maxMs, mirrored, asks, roots, tasks } = settings;
  const { ask } = call;
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
        preface: newsBefore(ask, roots),
        headers: parameters === undefined ? undefined : paramHeaders(parameters, call.arguments),
      },
    );
  const extensions = tasks?.extensions;
  const wantsNothing = asks === undefined || (ask === undefined && call.log === undefined && extensions === undefined);
  return wantsNothing ? send() : sendInRounds(send, call, asks, extensions);
}

/** Some servers give a text, or one block, where the protocol has a list of blocks. */
export function listContent(result: JsonObject): JsonObject {
  const { content } = result;
  if (typeof content === 'string') return { ...result, content: [{ type: 'text', text: content }] };
  return isJsonObject(content) ? { ...result, content: [content] } : result;
}

/** What the server should learn of a client's roots before it gets this client's call. */
function newsBefore(ask: UpstreamCall['ask'], roots: RootsNews | undefined): JSONRPCNotification | undefined {
  return ask?.abilities.roots === true ? roots?.before(ask) : undefined;
}

/** Every request's `_meta` in protocol 2026-07-28, built once a connection. */
function envelope(protocolVersion: string | undefined, clientInfo: TransportSurroundings['clientInfo']): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
}

/** Learns which arguments of a tool go into headers. Returns why it must not be used where its declaration is forbidden. */
function noteMirrored(tool: RawTool, mirrored: MirroredTools): string | undefined {
  const { parameters, fault } = scanHeaderParameters(tool?.['inputSchema']);
  if (fault === undefined && parameters.length > 0) mirrored.set(tool['name'], parameters);
  return fault;
}

/** Calls in progress, of which only so many are in flight at once; what they use can be ended after the last of them. */
export class CallsInProgress {
  readonly #max: number;
  readonly #bounds: QueueBounds;
  /** Made by the first call that waits. */
  #queue: CallQueue | undefined;
  #active = 0;
  #whenNone: (() => void)[] = [];

  /** @param max no bound where absent */
  constructor(max = Number.POSITIVE_INFINITY, queue: QueueBounds = { max: Number.POSITIVE_INFINITY }) {
    this.#max = max;
    this.#bounds = queue;
  }

  /** Takes a place if one is free. */
  tryEnter(): boolean {
    if (this.#active >= this.#max) return false;
    this.#active += 1;
    return true;
  }

  /** Waits for a place: see `CallQueue.enter`. */
  enter(wait: Wait): Promise<void> {
    this.#queue ??= new CallQueue(this.#max, this.#bounds);
    return this.#queue.enter(wait);
  }

  /** Gives a place back, or on to the one whose turn it is: it does not become free in between, so that no newer call can take it. */
  leave(): void {
    if (this.#queue?.admitNext() === true) return;
    this.#active -= 1;
    if (this.#active > 0 || this.#whenNone.length === 0) return;
    for (const resume of this.#whenNone) resume();
    this.#whenNone = [];
  }

  /** How many are in flight and how many wait, at this moment. */
  stats(): CallCounts {
    return { inFlight: this.#active, waiting: this.#queue?.size ?? 0 };
  }

  /** Resolves when none is in progress. */
  whenNone(): Promise<void> {
    if (this.#active === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenNone.push(resolve));
  }
}
