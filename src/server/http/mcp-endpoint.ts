import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerFigures } from '../../base/observe/metrics/figures.js';
import type { Observer } from '../../base/observe/observation.js';
import type { LogLevel } from '../../base/protocol/log-message.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Authenticated } from '../auth/authenticated.js';
import type { Peer } from '../mcp/calls-in-flight.js';
import { openMcpServer } from '../mcp/mcp-server.js';
import { passNewsOn } from '../mcp/pass-news-on.js';
import type { Received } from '../mcp/read-message.js';
import { type MessageReceiver, type Sender, writeFault } from '../mcp/receive-message.js';
import { RPC_ERROR } from '../mcp/rpc-error.js';
import { createResultWriter, type ServerInfo } from '../mcp/write-result.js';
import { type AccessSettings, Admission } from './admit.js';
import { HeaderCarrier } from './header-carrier.js';
import { explainFullness } from './idle-map.js';
import { KeptAnswers } from './kept-answers.js';
import { createLegacyEndpoint, type LegacyEndpoint } from './legacy-endpoint.js';
import { findArgumentMismatch, findMismatch, revisionOf } from './mirror-headers.js';
import { createModernCallers, type ModernCallers } from './modern-callers.js';
import { createPostReceiver, type MessageRouter } from './receive-post.js';
import {
  addressOf,
  createHttpExchanges,
  createSseStreams,
  type HttpExchanges,
  notesOf,
  type Occupancy,
  occupy,
  type RequestHandler,
  sendJson,
  sendNothing,
  sendRpcError,
} from './responder.js';
import { createSessionIds, readSessionKey } from './session-ids.js';
import { createSessionRegistry, type SessionRegistry } from './session-registry.js';
import { createLegacySessions, createSessionEvents, type LegacySession, UNNAMED } from './sessions.js';
import { SharedSessions } from './shared-sessions.js';
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
  const levels = {
    setLogLevel(sessionId: string, level: LogLevel) {
      gateway.setLogLevel(sessionId, level);
      sessions.noteLogLevel(sessionId, level);
    },
  };
  const mcp = openMcpServer({ gateway, serverInfo, observe, writer, levels });
  const { questions, parked, logs, subscriptions } = mcp;
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
  questions.notifySession = (text, sessionId) => sessions.notify(text, (caller) => caller.sessionId === sessionId);
  const followToken: RequestHandler = (request, response, client) => admission.follow(request, response, client);
  const legacy = createLegacyEndpoint({ sessions, streams, kept, settings, observe, followToken });
  const route = createMessageRouter({
    gateway,
    legacy,
    callers,
    receive: mcp.receive,
    exchanges,
    settings,
    followToken,
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
    subscriptions.end(isOf);
  };
  const stopListening = passNewsOn(gateway, { notify: sessions.notify.bind(sessions), subscriptions, logs });
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
      subscriptions.close();
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

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports: the stream of a request is the request. */
const CANCELLED_BY_CLOSING =
  'Bad Request: over HTTP, revision 2026-07-28 cancels a request by closing its response; this notification cancels nothing';

interface MessageRouterDeps {
  readonly gateway: Gateway;
  readonly legacy: LegacyEndpoint;
  readonly callers: ModernCallers;
  readonly receive: MessageReceiver;
  readonly exchanges: HttpExchanges;
  readonly settings: GatewayConfig['server'];
  /** Ends a stream with the token of its request. */
  readonly followToken: RequestHandler;
}

/** What HTTP adds to a message: headers, a session or a client that is found anew with each request, and statuses. */
function createMessageRouter(deps: MessageRouterDeps): MessageRouter {
  const { gateway, legacy, callers, receive, exchanges, settings, followToken } = deps;

  return (message, request, response, authenticated) => {
    const { headers } = request;
    const senderOf = (peer: Peer & Occupancy, session?: LegacySession): Sender => ({
      peer,
      open: () => exchanges.open(response, peer, headers.accept, session),
      acknowledge() {
        occupy(peer, response);
        sendNothing(response, 202);
      },
    });
    const enterStateless = ({ requests, notices }: Received, goOn: (sender: Sender) => void): void => {
      if (notices.some(({ method }) => method === 'notifications/cancelled')) {
        sendRpcError(response, 400, RPC_ERROR.invalidRequest, CANCELLED_BY_CLOSING);
        return;
      }
      const [asked] = requests;
      const clientName = asked?.clientName ?? UNNAMED;
      const client = callers.find({ address: addressOf(request), clientName, client: authenticated });
      if (typeof client === 'string') {
        sendRpcError(response, 503, RPC_ERROR.refused, explainFullness(client, settings), asked?.id);
        return;
      }
      const mismatch = asked && findArgumentMismatch(asked, headers, client.caller, gateway);
      if (mismatch !== undefined) {
        sendJson(response, mismatch.status, writeFault(mismatch, asked?.id ?? null));
        return;
      }
      if (asked?.method === 'subscriptions/listen') followToken(request, response, authenticated);
      goOn(senderOf(client));
    };
    receive(message, {
      revision: revisionOf(headers),
      notes: notesOf(response),
      findMismatch: (received) => findMismatch(received, headers),
      enter(received, goOn) {
        if (received.era === 'modern') enterStateless(received, goOn);
        else legacy.enter(received, request, response, authenticated, (session) => goOn(senderOf(session, session)));
      },
      refuse: (fault, id) => sendJson(response, fault.status, writeFault(fault, id)),
    });
  };
}
