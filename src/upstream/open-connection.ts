import { setTimeout as delay } from 'node:timers/promises';
import { Client, ProtocolError, ProtocolErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { JsonObject } from '../base/json/json.js';
import { cutText, escapeInvisible } from '../base/lib/text.js';
import type { Observer } from '../base/observe/observation.js';
import { ALL_ABILITIES, writeAbilities } from '../base/protocol/ask.js';
import { maskSecrets } from '../base/protocol/secret-forms.js';
import type { UpstreamEndpoint } from '../config/gateway-config.js';
import { TRANSPORT_FACTS } from '../config/transport-facts.js';
import { BothEras } from './both-eras.js';
import { CallChannel } from './call-channel.js';
import {
  type Attempt,
  type Connection,
  type ConnectionRequest,
  completeConnection,
  describeAsks,
  LEGACY,
} from './connection.js';
import { permit } from './questions/prepare-question.js';
import { describeConnectFailure } from './translate-failure.js';
import { findFault, UpstreamFault } from './transport/fault.js';
import { describeLastWords, KEPT_LINES } from './transport/last-words.js';
import { openTransport } from './transport/open-transport.js';
import { CredentialMasking } from './transport/own-credentials.js';

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
    return await (request.config.protocol === 'auto' ? connectInBothEras(request) : connectInAnyEra(request));
  } catch (error) {
    // That transport has no credentials of users.
    if (!refusesPost(error) || request.signal.aborted || request.config.credentials !== undefined) throw error;
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

/** A second child would cost as much as the first, so a server on a pipe is spoken to in one era. */
async function connectInBothEras(request: ConnectionRequest): Promise<Connection> {
  const both = new BothEras(request);
  const first = await connectInAnyEra(both.requestFor('modern'));
  const second = first.era === 'modern' ? await openSession(both.requestFor('legacy')) : undefined;
  return second === undefined ? both.alone(first) : both.join(first, second);
}

/** The longest that a server may take to open a session beside. */
const SESSION_MS = 5_000;

/** Undefined where the server has no sessions; an operator learns of one that fails. */
async function openSession(request: ConnectionRequest): Promise<Connection | undefined> {
  const { config, memory, credentials, onDiagnostic } = request;
  memory.toolsInSessions ??= new Map();
  const timeoutMs = Math.min(SESSION_MS, config.connectTimeoutMs);
  const inSession = {
    config: { ...config, protocol: '2025-11-25' },
    memory: {},
    tools: memory.toolsInSessions,
  } as const;
  const before = memory.choice;
  memory.choice = undefined;
  try {
    return await connectOnce({ ...request, ...inSession, timeoutMs });
  } catch (error) {
    if (isModernRefusal(error) || request.signal.aborted) return undefined;
    const why = new CredentialMasking(config.endpoint, credentials).current.mask(describeConnectFailure(error));
    memory.choice = `it speaks 2026-07-28, but no session (2025-11-25) could be opened beside: ${why}. What it has there alone is missing ('protocol')`;
    if (memory.choice !== before) onDiagnostic(memory.choice);
    return undefined;
  }
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
    if (request.config.protocol === '2026-07-28') throw error.fault;
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
  const { config, memory, signal, timeoutMs = config.connectTimeoutMs } = request;
  const heard: Heard = { words: [] };
  const attempt = await beginAttempt(request, heard);
  const { channel, client } = attempt;
  const limit = new AttemptLimit(signal, timeoutMs);
  const connect = async (): Promise<Connection> => {
    signal.throwIfAborted();
    const hasSessions = TRANSPORT_FACTS[config.endpoint.type].isLegacy || config.protocol === '2025-11-25';
    const prior = hasSessions ? LEGACY : memory.prior;
    // The SDK's own time-out comes second: ours knows the phase, and closes.
    await client.connect(channel, { timeout: timeoutMs * 2, ...(prior === undefined ? {} : { prior }) });
    return completeConnection(request, attempt);
  };
  try {
    // No transport can hold an attempt: one that never settles is left behind.
    return await Promise.race([connect(), limit.reached]);
  } catch (error) {
    const closed = channel.abandon(new UpstreamFault('lost', 'the attempt to connect was given up'));
    // When the gateway closes, it waits until nothing is left, but not for ever; a next attempt need not.
    if (signal.aborted) await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
    throw withLastWords(reasonOf(error, channel, limit.isExpired ? timeoutMs : undefined), heard, config.endpoint);
  } finally {
    limit.end();
  }
}

/** The longest that the end of an attempt is waited for when the gateway closes. */
const CLOSE_MS = 5_000;

/** Ends an attempt to connect: when its time is over, or when the gateway closes. */
class AttemptLimit {
  /** Rejects when there. */
  readonly reached: Promise<never>;
  isExpired = false;
  end: () => void = () => undefined;

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.reached = new Promise((_, reject) => {
      const onAbort = (): void => reject(new UpstreamFault('unavailable', 'the gateway is closing'));
      const timer = setTimeout(() => {
        this.isExpired = true;
        reject(new UpstreamFault('timeout', 'the time is over'));
      }, timeoutMs);
      signal.addEventListener('abort', onAbort);
      this.end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
    });
    this.reached.catch(() => undefined);
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

/** What a server has said while it was connected. */
interface Heard {
  /** What it printed last. */
  readonly words: string[];
  /** What it sent where an answer was due: the last of it, an answer of its own kind first. */
  instead?: string;
}

/** How much of what a server sends instead of an answer is kept, and shown. */
const SHOWN_INSTEAD = 200;

function hearInstead(heard: Heard, text: string, isAnswer: boolean): void {
  if (isAnswer || heard.instead === undefined) heard.instead = text.slice(0, 2 * SHOWN_INSTEAD);
}

function describeInstead({ instead }: Heard): string {
  if (instead === undefined) return '';
  const line = maskSecrets(escapeInvisible(instead.replace(/\s+/g, ' ').trim()), () => false);
  return `; what it sent instead: ${cutText(line, SHOWN_INSTEAD)}`;
}

/** A server that runs on, or has refused, may have told its trouble on stderr, or have answered in words of its own. How one ended says that already. */
function withLastWords(error: unknown, heard: Heard, endpoint: UpstreamEndpoint): unknown {
  const fault = error instanceof ProbeFailure ? error.fault : findFault(error);
  if (fault?.kind === 'exited' || fault?.kind === 'command') return error;
  const said = describeInstead(heard) + describeLastWords(heard.words) + doubtCertificate(endpoint, fault);
  if (said === '') return error;
  if (error instanceof ProbeFailure)
    return new ProbeFailure(new UpstreamFault(error.fault.kind, `${error.fault.message}${said}`));
  if (fault !== undefined) return new UpstreamFault(fault.kind, `${fault.message}${said}`, { cause: error });
  return error instanceof ProtocolError
    ? ProtocolError.fromError(error.code, `${error.message}${said}`, error.data)
    : error;
}

/** TLS 1.3 refuses a client after its handshake, and the alert that says so may be lost with the connection. */
function doubtCertificate(endpoint: UpstreamEndpoint, fault: UpstreamFault | undefined): string {
  if (endpoint.type === 'stdio' || endpoint.tls?.cert === undefined) return '';
  return /^connection (?:closed|reset)/.test(fault?.message ?? '')
    ? "; it may not accept the certificate 'tls.cert'"
    : '';
}

function silence(method: string | undefined, timeoutMs: number, cause: unknown): UpstreamFault {
  const what = method === undefined ? 'no connection' : `no answer to '${method}'`;
  return new UpstreamFault('timeout', `${what} within ${timeoutMs / 1000} s ('connectTimeoutMs')`, { cause });
}

/** @param heard gets what the server says */
async function beginAttempt(request: ConnectionRequest, heard: Heard): Promise<Attempt> {
  const { config, around, memory, onLimits, credentials } = request;
  const { timeoutMs = config.connectTimeoutMs } = request;
  const probeTimeoutMs = memory.modern === true ? timeoutMs : request.probeTimeoutMs;
  const onStderr = (line: string): void => {
    heard.words.push(line);
    if (heard.words.length > KEPT_LINES) heard.words.shift();
    request.onStderr?.(line);
  };
  const transport = await openTransport(config, around, {
    onLimits,
    onStderr,
    credentials,
    onNoise: (line) => hearInstead(heard, line, false),
  });
  const channel = new CallChannel(transport, config);
  const note = noteUnknownAnswers(config.slug, around.observe);
  channel.onunknown = (message) => {
    hearInstead(heard, JSON.stringify(message), 'result' in message || 'error' in message);
    note(message.id);
  };
  const lost = new Promise<UpstreamFault>((resolve) => {
    channel.onlost = resolve;
  });
  // The SDK's client calls the handler that it finds, then its own.
  const closed = new Promise<void>((resolve) => {
    channel.onclose = resolve;
  });
  const probe = { timeoutMs: transport.kind === 'stdio' ? probeTimeoutMs : timeoutMs };
  const asks = describeAsks(request);
  channel.answerQuestions(asks);
  // What clients of the gateway may be asked. Which of them is, and whether it can be, is known with each question.
  const abilities = around.servesClients === true ? declareAbilities(request) : {};
  const { extensions, experimental } = config;
  const passed: JsonObject = { ...(extensions && { extensions }), ...(experimental && { experimental }) };
  const client = new Client(around.clientInfo, {
    capabilities: { ...abilities, ...passed },
    versionNegotiation: { mode: config.protocol === '2026-07-28' ? { pin: config.protocol } : 'auto', probe },
  });
  client.onerror = ({ message }) =>
    around.observe({ kind: 'notice', level: 'debug', message: `${config.slug}: ${message}` });
  return { channel, client, lost, closed };
}

function declareAbilities({ config }: ConnectionRequest): JsonObject {
  const permitted = permit(ALL_ABILITIES, config.asks);
  return { ...writeAbilities(permitted), ...(permitted.roots ? { roots: { listChanged: true } } : {}) };
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
