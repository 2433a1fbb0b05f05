import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject } from '../../base/json/json.js';
import type { ServerFigures } from '../../base/observe/metrics/figures.js';
import type { Observer } from '../../base/observe/observation.js';
import { findHeaderMismatch } from '../../base/protocol/header-parameters.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Authenticated } from '../auth/authenticated.js';
import { hasUnusableId, readId } from '../mcp/calls-in-flight.js';
import { OpenQuestions } from '../mcp/elicitation.js';
import {
  clientNameOf,
  createFastAnswerer,
  type FastAnswerer,
  headersAgree,
  isLegacyTraffic,
  noteMethod,
  readMirrorHeaders,
  recogniseFastRequest,
} from '../mcp/fast-path.js';
import { LogLevels } from '../mcp/log-levels.js';
import { ParkedCalls } from '../mcp/parked-calls.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { createModernHandler, type ModernHandler } from '../mcp/sdk-handler.js';
import { createSdkServerFactory } from '../mcp/sdk-server.js';
import { createSdkAnswerer } from '../mcp/sdk-transport.js';
import { createStreamWatches } from '../mcp/stream-watches.js';
import { createResultWriter, type ServerInfo } from '../mcp/write-result.js';
import { type AccessSettings, Admission } from './admit.js';
import { HeaderCarrier } from './header-carrier.js';
import { explainFullness } from './idle-map.js';
import { KeptAnswers } from './kept-answers.js';
import { createLegacyEndpoint, type LegacyEndpoint } from './legacy-endpoint.js';
import { createModernCallers, type ModernCallers } from './modern-callers.js';
import { createPostReceiver, type MessageRouter } from './receive-post.js';
import {
  acceptsStream,
  addressOf,
  createHttpExchanges,
  createSseStreams,
  type HttpExchanges,
  KEEP_ALIVE,
  notesOf,
  occupy,
  type RequestHandler,
  type SseStreams,
  sendRpcError,
  toSseEvent,
} from './responder.js';
import { createSessionIds, readSessionKey } from './session-ids.js';
import { createSessionRegistry, type SessionRegistry } from './session-registry.js';
import { createLegacySessions, createSessionEvents, UNNAMED } from './sessions.js';
import { SharedSessions } from './shared-sessions.js';
import { isSubscription, passNewsOn, Subscriptions } from './subscriptions.js';
import { isForView, refuseAt, type ServedView, type ViewAccess } from './view-access.js';

/** What is open at an endpoint at this moment. */
export type EndpointLoad = Pick<ServerFigures, 'streams' | 'tasks'>;

export interface McpEndpoint {
  /** Answers one HTTP request of any method. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Replaces who may use it, for the next request of each client. Streams end, so that who may no longer is gone. */
  replaceAccess(access: AccessSettings): void;
  /** The same for who may use the view that it serves; the others' streams go on, as they hear of what changes in it. */
  replaceViewAccess(access: ViewAccess | undefined): void;
  /** Answers a request for what is not here, once its sender has been authenticated. */
  refuse(request: IncomingMessage, response: ServerResponse, refusalOf: ViewAccess): void;
  /** Ends the streams that wait for changes; calls go on. */
  endStreams(): Promise<void>;
  /** Resolves when the calls that are in flight now have been answered. */
  settled(): Promise<void>;
  /** Ends every call in flight with an answer that says that its outcome is unknown. */
  interruptCalls(): void;
  load(): EndpointLoad;
  /** The clients at this moment. */
  readonly sessions: SessionRegistry;
  /** Ends every session. */
  close(): void;
}

/** The sweep for idle sessions runs four times per idle time, and at least twice a minute. */
const MAX_SWEEP_MS = 30_000;

/**
 * MCP over Streamable HTTP, both eras on one path. Builds the parts and owns what they share: one timer, one listener.
 * @param gateway as the view shows it
 */
export function createMcpEndpoint(
  gateway: Gateway,
  serverInfo: ServerInfo,
  observe: Observer,
  view: ServedView = {},
): McpEndpoint {
  const { server: settings } = gateway.config;
  let { limits } = gateway.config;
  const stopFollowing = gateway.onReloaded((config) => {
    limits = config.limits;
  });
  const admission = new Admission({ clients: gateway.config.clients, oauth: settings.oauth }, observe);
  const writer = createResultWriter(serverInfo, gateway.config.endpoint);
  const questions = new OpenQuestions(settings.questionTimeoutMs);
  const parked = new ParkedCalls();
  const logs = new LogLevels({
    setLogLevel(sessionId, level) {
      gateway.setLogLevel(sessionId, level);
      sessions.noteLogLevel(sessionId, level);
    },
  });
  const answerFast = createFastAnswerer({ gateway, writer, questions, parked, logs, observe });
  const createServer = createSdkServerFactory(gateway, serverInfo, logs);
  const streams = createSseStreams(settings.longCallKeepAliveMs);
  const kept = new KeptAnswers(gateway.replicas?.results);
  const events = createSessionEvents([questions, parked, logs, kept], gateway, observe);
  const shared = gateway.replicas && new SharedSessions(gateway.replicas, settings.sessionIdleMs);
  const carrier = new HeaderCarrier(gateway);
  const exchanges = createHttpExchanges(streams, observe, { carrier, kept, keepAliveMs: settings.longCallKeepAliveMs });
  const ids = createSessionIds(readSessionKey(gateway.config.dataDir, observe), view.name, () => shared?.key);
  const sessions = createLegacySessions(settings, ids, events, {
    shared,
    setLogLevel: (sessionId, level) => logs.set(sessionId, level),
  });
  const callers = createModernCallers(settings, events, { view: view.name, isShared: shared !== undefined });
  questions.notifySession = (text, sessionId) => sessions.notify(text, (id) => id === sessionId);
  const answerWithSdk = createSdkAnswerer(createServer, observe);
  const legacy = createLegacyEndpoint({
    sessions,
    answerFast,
    answerWithSdk,
    streams,
    exchanges,
    kept,
    questions,
    settings,
    observe,
    capabilities: () => [gateway.native.capabilities(), gateway.mode(), gateway.purpose, gateway.serversSay()],
    followToken: (request, response, client) => admission.follow(request, response, client),
  });
  const modern = createModernHandler(createServer, settings.maxSessions, observe, (sent) => carrier.carry?.(sent));
  const subscriptions = new Subscriptions(settings.maxSessions);
  const route = createMessageRouter({
    gateway,
    subscriptions,
    legacy,
    modern,
    callers,
    answerFast,
    exchanges,
    settings,
    observe,
    followToken: (request, response, client) => admission.follow(request, response, client),
    streamWhenSilent: (response) => streamWhenSilent(response, streams, settings.longCallKeepAliveMs),
  });
  const timing = { limits: () => limits, requestTimeoutMs: settings.requestTimeoutMs };
  const receive = createPostReceiver({ ...timing, route, writer, observe });
  const handlers: ReadonlyMap<string | undefined, RequestHandler> = new Map([
    ['POST', receive],
    ['GET', legacy.get],
    ['DELETE', legacy.delete],
  ]);
  const handleMethod: RequestHandler = (request, response, client) => {
    if (client === undefined || isForView(client, view.name))
      (handlers.get(request.method) ?? refuseMethod)(request, response, client);
    else admission.gate?.refuseAddress(request, response);
  };
  const entryFor = (access: ViewAccess | undefined): RequestHandler =>
    access === undefined ? handleMethod : refuseAt(access, handleMethod);
  let enter = entryFor(view.access);
  const handle = (request: IncomingMessage, response: ServerResponse, answer: RequestHandler = enter): void => {
    const { gate } = admission;
    if (gate === undefined) answer(request, response, undefined);
    else gate.admit(request, response, answer);
  };
  const endStreamsOf = (isOf: (client: Authenticated | undefined) => boolean): void => {
    sessions.endStreams(isOf);
    subscriptions.endStreams(isOf);
  };
  const stopListening = passNewsOn(gateway, { sessions, modern, logs });
  const sweep = (): void => {
    const now = Date.now();
    sessions.sweep(now);
    callers.sweep(now);
  };
  const sweeper = setInterval(sweep, Math.min(settings.sessionIdleMs / 4, MAX_SWEEP_MS)).unref();

  return {
    handle,
    refuse: (request, response, refusalOf) => handle(request, response, refuseAt(refusalOf, refuseMethod)),
    replaceAccess(access) {
      admission.replace(access);
      endStreamsOf(() => true);
    },
    replaceViewAccess(access) {
      enter = entryFor(access);
      if (access !== undefined) endStreamsOf((client) => access(client?.identity ?? {}) !== undefined);
    },
    async endStreams() {
      stopListening();
      sessions.endStreams();
      await modern.close();
    },
    settled: exchanges.settled,
    interruptCalls() {
      parked.endAll();
      exchanges.interruptAll('the gateway is stopping');
    },
    load: () => ({ streams: streams.size, tasks: parked.tasks.size }),
    sessions: createSessionRegistry(sessions, callers, view.name),
    close() {
      stopFollowing();
      carrier.stop();
      clearInterval(sweeper);
      sessions.endAll();
      callers.endAll();
      exchanges.close();
      streams.close();
    },
  };
}

function refuseMethod(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('allow', 'GET, POST, DELETE, OPTIONS');
  sendRpcError(response, 405, RPC_ERROR.refused, 'Method not allowed.');
}

const UNUSABLE_ID = 'Bad Request: the id is neither a text nor an integer of up to 9007199254740991';

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports: the stream of a request is the request. */
const CANCELLED_BY_CLOSING =
  'Bad Request: over HTTP, revision 2026-07-28 cancels a request by closing its response; this notification cancels nothing';

interface MessageRouterDeps {
  readonly gateway: Gateway;
  readonly subscriptions: Subscriptions;
  readonly legacy: LegacyEndpoint;
  readonly modern: ModernHandler;
  readonly callers: ModernCallers;
  readonly answerFast: FastAnswerer;
  readonly exchanges: HttpExchanges;
  readonly settings: GatewayConfig['server'];
  readonly observe: Observer;
  /** Ends a stream with the token of its request. */
  readonly followToken: RequestHandler;
  /** Turns a response that others write into an event stream when it has been silent for long. */
  readonly streamWhenSilent: (response: ServerResponse) => void;
}

/** Sends fast requests to the gateway, other legacy ones to their session, and everything else to the SDK's handler. */
function createMessageRouter(deps: MessageRouterDeps): MessageRouter {
  const { gateway, subscriptions, legacy, modern, callers, answerFast, exchanges, settings, observe, followToken } =
    deps;
  const watches = createStreamWatches(gateway.native);

  return (message, request, response, authenticated) => {
    const headers = readMirrorHeaders(request.headers);
    const recognised = recogniseFastRequest(message);
    const fast = recognised !== undefined && headersAgree(recognised, headers) ? recognised : undefined;
    if (fast === undefined) noteMethod(notesOf(response), message);
    if (recognised === undefined && hasUnusableId(message)) {
      sendRpcError(response, 400, RPC_ERROR.invalidRequest, UNUSABLE_ID);
      return;
    }
    if (fast?.era === 'legacy' || (fast === undefined && isLegacyTraffic(message, headers))) {
      legacy.post(message, fast, request, response, authenticated);
      return;
    }
    if (isJsonObject(message) && message['method'] === 'notifications/cancelled') {
      sendRpcError(response, 400, RPC_ERROR.invalidRequest, CANCELLED_BY_CLOSING);
      return;
    }
    const mismatch = findMismatch(message, request, gateway);
    if (mismatch !== undefined) {
      sendRpcError(response, 400, RPC_ERROR.headerMismatch, `Bad Request: ${mismatch}`, readId(message));
      return;
    }
    const client = callers.find({
      address: addressOf(request),
      clientName: fast?.clientName ?? clientNameOf(message) ?? UNNAMED,
      client: authenticated,
    });
    const refusal =
      typeof client === 'string'
        ? explainFullness(client, settings)
        : isSubscription(message)
          ? subscriptions.open(client.caller.sessionId, response, authenticated)
          : undefined;
    if (typeof client === 'string' || refusal !== undefined) {
      sendRpcError(response, 503, RPC_ERROR.refused, refusal ?? '', readId(message));
      return;
    }
    if (fast === undefined) {
      occupy(client, response);
      const origin = { caller: client.caller };
      const watch = isSubscription(message) ? watches.open(message, client.caller) : undefined;
      if (isSubscription(message)) followToken(request, response, authenticated);
      if (watch === undefined) {
        deps.streamWhenSilent(response);
        modern.handle(request, response, message, origin);
        return;
      }
      response.once('close', watch.end);
      watch.honored.then(
        (honored) => modern.handle(request, response, honored, origin),
        (cause) => observe({ kind: 'defect', where: 'subscriptions/listen', cause }),
      );
      return;
    }
    answerFast(fast, client, exchanges.open(response, client, request.headers.accept));
  };
}

/**
 * How the `Mcp-Param-*` headers of a call contradict its arguments: proxies route by the headers, so that both have to say the same.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers from tool parameters)
 */
function findMismatch(message: unknown, { headers }: IncomingMessage, gateway: Gateway): string | undefined {
  if (!isJsonObject(message) || message['method'] !== 'tools/call' || !isJsonObject(message['params']))
    return undefined;
  const { name, arguments: args } = message['params'];
  return typeof name === 'string' ? findHeaderMismatch(gateway.headerParametersOf(name), args, headers) : undefined;
}

/**
 * Turns a response that has been silent for long into an event stream, where its client reads these: intermediaries close a connection
 * on which nothing comes. Whoever answers it is not aware of that; an answer in JSON becomes the event of the stream.
 * @param afterMs without a header
 */
function streamWhenSilent(response: ServerResponse, streams: Pick<SseStreams, 'open'>, afterMs: number): void {
  if (!acceptsStream(response.req.headers.accept)) return;
  const timer = setTimeout(() => {
    if (response.headersSent || response.destroyed) return;
    streams.open(response);
    response.write(KEEP_ALIVE);
    passEventsOn(response);
  }, afterMs).unref();
  response.once('close', () => clearTimeout(timer));
}

/** Makes events of what is written from now on: the head has been sent already. */
function passEventsOn(response: ServerResponse): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const parts: Buffer[] = [];
  let isJson = true;
  const own = {
    writeHead(_status: number, headers: Readonly<Record<string, string>> = {}): ServerResponse {
      isJson = headers['content-type']?.startsWith('text/event-stream') !== true;
      return response;
    },
    write(chunk: Uint8Array | string): boolean {
      if (!isJson || chunk === KEEP_ALIVE) return write(chunk);
      parts.push(Buffer.from(chunk as Uint8Array));
      return true;
    },
    end(): ServerResponse {
      return parts.length === 0 ? end() : end(toSseEvent(Buffer.concat(parts).toString('utf8')));
    },
  };
  Object.assign(response, own);
}
