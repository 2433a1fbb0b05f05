import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fastify, { type FastifyInstance } from 'fastify';
import type { CallRates } from '../../base/observe/call-rates.js';
import type { ServerFigures } from '../../base/observe/metrics/figures.js';
import type { Observer } from '../../base/observe/observation.js';
import type { OAuthConfig } from '../../config/access-config.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { hasOperators } from '../../config/policy-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import { describeResource, METADATA_PATH } from '../auth/resource-metadata.js';
import type { ServerInfo } from '../mcp/write-result.js';
import type { AccessSettings } from './admit.js';
import {
  createFront,
  MCP_PATH,
  OpenRequests,
  PacedConnections,
  paceRequests,
  type Stopping,
  withFastMcp,
} from './front.js';
import { registerHealth } from './health.js';
import { registerLandingPage } from './landing-page.js';
import { createNodeServer } from './node-server.js';
import type { SessionRegistry } from './session-registry.js';
import { stopServer } from './stop-server.js';
import { UnreadAnswers } from './unread-answers.js';
import { createMcpEndpoints, type McpEndpoints } from './view-endpoints.js';

/** What is open at this moment. */
type ServerLoad = Omit<ServerFigures, 'receivedBytes' | 'sentBytes'>;

/** What watches the server from outside. */
export interface ServerMonitor {
  /** Sees every connection. */
  watch?(server: Server): void;
  /** Answers `/metrics`, where that is served here. */
  readonly metrics?: RequestListener;
  /** How often is called, for operators. */
  readonly rates?: Omit<CallRates, 'observe'>;
  /** What is made of each response, and what goes around the answer to each request, where requests are logged. */
  readonly log?: {
    readonly ServerResponse: typeof ServerResponse;
    readonly around: (listener: RequestListener) => RequestListener;
  };
}

/** A listening HTTP server. */
export interface HttpGatewayServer {
  /** What a client on this machine connects to: `http://127.0.0.1:3333/mcp`. */
  readonly url: string;
  readonly address: AddressInfo;
  load(): ServerLoad;
  /**
   * Stops in three steps: requests are still taken for `lameDuckMs` and while they keep coming, while `/readyz` says 503 and answers
   * close their connections; then calls in flight may go on for `drainMs`; the rest are answered that their outcome is unknown.
   */
  close(): Promise<void>;
}

/**
 * Opens routes for people beside those of MCP: the console, the API of operators, the pages on which accounts are connected.
 * Returns what recognises operators by their tokens.
 */
type Mount = (
  app: FastifyInstance,
  gateway: Gateway,
  observe: Observer,
  sources: { readonly sessions: SessionRegistry; readonly rates: ServerMonitor['rates']; readonly version: string },
) => (request: IncomingMessage) => boolean;

interface HttpServerDeps {
  readonly observe: Observer;
  readonly serverInfo: ServerInfo;
  readonly monitor?: ServerMonitor | undefined;
  readonly mount?: Mount;
  /** How the time passes in which a stopping server still takes requests. */
  readonly pause?: (ms: number) => Promise<void>;
  /** How often the certificate's files are looked at, in milliseconds. */
  readonly lookMs?: number;
}

/** Explains to the operator why listening failed, by system error code. */
const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'does not belong to this machine',
  ENOTFOUND: 'is unknown',
};

/**
 * Serves MCP at `/mcp` and each view at `/mcp/NAME`, health at `/healthz` and `/readyz`, and where there are operators their APIs under `/admin`
 * and the console at `/ui`, on `config.server.host` and `port` (0 takes a free one).
 * Rejects with a readable message when it cannot listen.
 */
export async function openHttpServer(gateway: Gateway, deps: HttpServerDeps): Promise<HttpGatewayServer> {
  const { host, port } = gateway.config.server;
  const endpoint = createMcpEndpoints(gateway, deps.serverInfo, deps.observe);
  const stopping: Stopping = { stopping: false };
  const requests = new OpenRequests();
  const unread = new UnreadAnswers(gateway.config.server, () => requests.values());
  const resource = { current: gateway.config.server.oauth };
  const app = buildApp(gateway, endpoint, requests, stopping, deps);
  deps.monitor?.watch?.(app.server);
  registerResourceMetadata(app, resource);
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await endpoint.endStreams();
    endpoint.close();
    unread.close();
    throw explainListenFailure(cause, host, port);
  }
  const address = app.server.address() as AddressInfo;
  let access = accessOf(gateway.config);
  const stopFollowing = gateway.onReloaded((config) => {
    const next = accessOf(config);
    if (isDeepStrictEqual(access, next)) return;
    access = next;
    resource.current = next.oauth;
    endpoint.replaceAccess(next);
  });
  let closed: Promise<void> | undefined;
  return {
    url: describeUrl(host, address.port, gateway.config.server.tls !== undefined),
    address,
    load: () => ({ ...endpoint.load(), requests: requests.size }),
    close() {
      stopping.stopping = true;
      stopFollowing();
      closed ??= stopServer({ app, endpoint, requests, unread }, gateway.config.server, deps.pause ?? delay);
      return closed;
    },
  };
}

function accessOf({ clients, server: { oauth } }: GatewayConfig): AccessSettings {
  return { clients, oauth };
}

/** No route has a schema, so fastify need not load its compilers, half of its code. */
const WITHOUT_SCHEMAS = {
  compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
};

function refuseSchemas(): never {
  throw new Error('no route has a schema');
}

function buildApp(
  gateway: Gateway,
  endpoint: McpEndpoints,
  requests: OpenRequests,
  state: Stopping,
  deps: HttpServerDeps,
): FastifyInstance {
  const front = createFront(gateway.config.server, endpoint, requests, state);
  const { admits, serveMcp, serveView } = front;
  // Requests on kept connections are answered to the end; a stopping gateway has not lost its upstreams yet.
  const app = fastify({
    // On a slow disk loading the console takes longer than the ten seconds that fastify gives it.
    pluginTimeout: 0,
    logger: false,
    return503OnClosing: false,
    schemaController: WITHOUT_SCHEMAS,
    serverFactory: (serveOthers) => {
      const connections = new PacedConnections();
      const listener = paceRequests(withFastMcp({ ...front, serveOthers }, admits, deps.observe), connections);
      const server = createNodeServer(gateway.config.server, listener, { ...deps, log: deps.monitor?.log });
      const opened = gateway.config.server.tls === undefined ? 'connection' : 'secureConnection';
      return server.on(opened, (socket: Socket) => connections.opened(socket)).once('close', connections.end);
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (admits(request.raw, reply.raw)) done();
    else reply.hijack();
  });
  // The endpoint reads bodies itself: it must see their size and encoding before anything parses them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  // Clients are told addresses with a slash at their end, too.
  for (const end of ['', '/']) {
    app.all(`${MCP_PATH}${end}`, (request, reply) => {
      reply.hijack();
      serveMcp(request.raw, reply.raw);
    });
    app.all<{ Params: { view: string } }>(`${MCP_PATH}/:view${end}`, (request, reply) => {
      reply.hijack();
      serveView(request.params.view, request.raw, reply.raw);
    });
  }
  const isOperator = deps.mount?.(app, gateway, deps.observe, {
    sessions: endpoint.sessions,
    rates: deps.monitor?.rates,
    version: deps.serverInfo.version,
  });
  registerHealth(app, gateway, state, isOperator);
  registerMetrics(app, deps.monitor?.metrics);
  const hasConsole = hasOperators(gateway.config.policy.approvals);
  registerLandingPage(app, { serverInfo: deps.serverInfo, hasConsole });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: `Not found. MCP is at ${MCP_PATH}; / says what else there is.` }),
  );
  return app;
}

/** The figures for Prometheus, where they have no listener of their own. */
function registerMetrics(app: FastifyInstance, answer: RequestListener | undefined): void {
  if (answer === undefined) return;
  app.get('/metrics', (request, reply) => {
    reply.hijack();
    answer(request.raw, reply.raw);
  });
}

/** Says which authorization servers issue tokens for MCP here (RFC 9728). Anyone may ask. */
function registerResourceMetadata(app: FastifyInstance, resource: { readonly current: OAuthConfig | undefined }): void {
  for (const path of [METADATA_PATH, `${METADATA_PATH}/*`]) {
    app.get(path, ({ url }, reply) => {
      if (resource.current === undefined) return reply.callNotFound();
      return reply.send(describeResource(resource.current, url.slice(METADATA_PATH.length)));
    });
  }
}

/** The URL for clients. A client cannot connect to a wildcard address, so `localhost` replaces it. */
function describeUrl(host: string, port: number, isSecure: boolean): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${isSecure ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}${MCP_PATH}`;
}

export function explainListenFailure(cause: unknown, host: string, port: number): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const problem = LISTEN_PROBLEMS[code] ?? `cannot be listened on (${code || 'unknown reason'})`;
  return new Error(`${host}:${port} ${problem}. Choose another with server.host and server.port.`, { cause });
}
