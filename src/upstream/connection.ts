import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  PROTOCOL_VERSION_META_KEY,
  type PriorDiscovery,
} from '@modelcontextprotocol/client';
import type { UpstreamConfig } from '../config/gateway-config.js';
import type { JsonObject } from '../protocol/json.js';
import type { RawTool } from '../protocol/raw-tool.js';
import type { ToolCallResult } from '../protocol/result.js';
import { CallChannel } from './call-channel.js';
import { type HeaderParameter, paramHeaders, scanHeaderParameters } from './mirror-param-headers.js';
import { openTransport, type TransportEvents, type TransportSurroundings } from './open-transport.js';
import { readTools } from './read-tools.js';
import type { UpstreamCall } from './upstream.js';
import { UpstreamFault } from './upstream-fault.js';
import { watchToolList } from './watch-tool-list.js';

/** What is remembered of a server over its connections: which protocol era it speaks, so that it is probed once. */
export interface EraMemory {
  prior?: PriorDiscovery | undefined;
}

export interface ConnectionRequest {
  readonly config: UpstreamConfig;
  readonly around: TransportSurroundings;
  readonly memory: EraMemory;
  /** How long a child process may stay silent when it is probed for the modern era. */
  readonly probeTimeoutMs: number;
  /** The list, at connect and after each change. */
  readonly onTools: (tools: readonly RawTool[]) => void;
  /** What an answer said of the server's rate limit. */
  readonly onLimits?: TransportEvents['onLimits'];
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** Something an operator should know that ends nothing. */
  readonly onOddity: (message: string) => void;
}

/** One live connection to a server, from handshake to loss. It never comes back; the next one is a new object. */
export interface Connection {
  readonly era: 'legacy' | 'modern';
  readonly protocolVersion: string | undefined;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  /** Resolves with the reason when nothing new can be sent. */
  readonly lost: Promise<UpstreamFault>;
  readonly usable: boolean;
  /** Resolves when nothing is left of it. */
  readonly closed: Promise<void>;
  /** Rejects with an `UpstreamFault`, a `ProtocolError` or an `SdkHttpError`. */
  call(call: UpstreamCall, timeoutMs: number): Promise<ToolCallResult>;
  /** Lets what is in flight finish, then closes. */
  retire(): void;
  close(): Promise<void>;
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
  try {
    return await connectOnce(request);
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    // Servers of some older SDKs exit, or fall silent, when their first request is not `initialize`.
    request.memory.prior = LEGACY;
    if (error.fault.kind === 'timeout') throw error.fault;
    return connectOnce(request);
  }
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
    // Whoever gives up for good waits until nothing is left; a next attempt need not.
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

async function beginAttempt({ config, around, probeTimeoutMs, onLimits }: ConnectionRequest): Promise<Attempt> {
  const transport = await openTransport(config, around, { onLimits });
  const channel = new CallChannel(transport);
  const lost = new Promise<UpstreamFault>((resolve) => {
    channel.onlost = resolve;
  });
  // The SDK's client calls the handler that it finds, then its own.
  const closed = new Promise<void>((resolve) => {
    channel.onclose = resolve;
  });
  const probe = { timeoutMs: transport.kind === 'stdio' ? probeTimeoutMs : config.connectTimeoutMs };
  // No capabilities: what a server would ask of a client (sampling, roots, elicitation) has nobody here to answer it.
  const client = new Client(around.clientInfo, { capabilities: {}, versionNegotiation: { mode: 'auto', probe } });
  client.onerror = ({ message }) =>
    around.observe({ kind: 'notice', level: 'debug', message: `${config.slug}: ${message}` });
  return { channel, client, lost, closed };
}

async function completeConnection(
  request: ConnectionRequest,
  { channel, client, lost, closed }: Attempt,
): Promise<Connection> {
  const { config, around, memory, onTools, onOddity } = request;
  const era = client.getProtocolEra() ?? 'legacy';
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (era === 'modern') channel.useEnvelope(envelope(protocolVersion, around.clientInfo));

  const mirrored: MirroredTools = new Map();
  const mirrors = era === 'modern' && config.endpoint.type === 'http';
  const readAll = async (): Promise<void> => {
    const { tools, oddity } = await readTools((params) =>
      channel.request('tools/list', params, { timeoutMs: config.connectTimeoutMs }),
    );
    if (oddity !== undefined) onOddity(oddity);
    onTools(mirrors ? scanTools(tools, mirrored, onOddity) : tools);
  };
  await readAll();
  watchToolList({ client, era, readAll, onOddity });

  const discover = client.getDiscoverResult();
  memory.prior = discover === undefined ? LEGACY : { kind: 'modern', discover };
  return {
    era,
    protocolVersion,
    server: client.getServerVersion(),
    lost,
    closed,
    get usable() {
      return channel.usable;
    },
    call: (call, timeoutMs) => callTool(channel, call, timeoutMs, mirrored),
    retire: () => channel.retire(),
    close: () => channel.close(),
  };
}

function callTool(
  channel: CallChannel,
  call: UpstreamCall,
  timeoutMs: number,
  mirrored: MirroredTools,
): Promise<ToolCallResult> {
  const parameters = mirrored.get(call.tool);
  return channel.request(
    'tools/call',
    { name: call.tool, arguments: call.arguments },
    {
      timeoutMs,
      cancellation: call.cancellation,
      onProgress: call.onProgress,
      headers: parameters === undefined ? undefined : paramHeaders(parameters, call.arguments),
    },
  );
}

/** Every request's `_meta` in protocol 2026-07-28, built once a connection. */
function envelope(protocolVersion: string | undefined, clientInfo: TransportSurroundings['clientInfo']): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
}

/** Learns which arguments go into headers, and leaves out the tools whose declaration the specification forbids to use. */
function scanTools(
  tools: readonly RawTool[],
  mirrored: MirroredTools,
  onOddity: (message: string) => void,
): readonly RawTool[] {
  mirrored.clear();
  return tools.filter((tool) => {
    const { parameters, fault } = scanHeaderParameters(tool?.['inputSchema']);
    if (fault !== undefined) {
      onOddity(`its tool '${String(tool['name'])}' is left out: ${fault}`);
      return false;
    }
    if (parameters.length > 0) mirrored.set(tool['name'], parameters);
    return true;
  });
}
