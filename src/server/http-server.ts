import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Observer } from '../observe/observation.js';
import { registerApprovals } from './admin/approvals-api.js';
import { registerHealth } from './admin/health.js';
import { createHostGuard } from './http/admit.js';
import { registerLandingPage } from './http/landing-page.js';
import { createMcpEndpoint, type McpEndpoint, REQUEST_TIMEOUT_MS } from './http/mcp-route.js';
import type { ServerInfo } from './mcp/write-result.js';

/** A listening HTTP server. */
export interface HttpGatewayServer {
  /** What a client on this machine connects to: `http://127.0.0.1:3333/mcp`. */
  readonly url: string;
  readonly address: AddressInfo;
  /**
   * Stops in three steps: requests are still taken for `lameDuckMs`, while `/readyz` says 503 and answers close their
   * connections; then calls in flight may go on for `drainMs`; the rest are answered that their outcome is unknown.
   */
  close(): Promise<void>;
}

interface HttpServerDeps {
  readonly observe: Observer;
  readonly serverInfo: ServerInfo;
  /** How the time passes in which a stopping server still takes requests. */
  readonly pause?: (ms: number) => Promise<void>;
}

const MCP_PATH = '/mcp';

/** How long the answers to interrupted calls may take to be sent. */
const FLUSH_MS = 1_000;

/** Explains to the operator why listening failed, by system error code. */
const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'does not belong to this machine',
  ENOTFOUND: 'is unknown',
};

/**
 * Serves MCP at `/mcp`, health at `/healthz` and `/readyz`, and where there are operators approvals at `/admin/approvals` and
 * `/ui/approvals`, on `config.server.host` and `port` (0 takes a free one).
 * Rejects with a readable message when it cannot listen.
 */
export async function openHttpServer(gateway: Gateway, deps: HttpServerDeps): Promise<HttpGatewayServer> {
  const { host, port } = gateway.config.server;
  const endpoint = createMcpEndpoint(gateway, deps.serverInfo, deps.observe);
  const stopping: Stopping = { stopping: false };
  const requests = new OpenRequests();
  const app = buildApp(gateway, endpoint, requests, stopping, deps);
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await endpoint.endStreams();
    endpoint.close();
    throw explainListenFailure(cause, host, port);
  }
  const address = app.server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  return {
    url: describeUrl(host, address.port),
    address,
    close() {
      stopping.stopping = true;
      closed ??= closeServer(app, endpoint, requests, gateway.config.server, deps.pause ?? delay);
      return closed;
    },
  };
}

/** Whether the server has been asked to stop. */
interface Stopping {
  stopping: boolean;
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
  endpoint: McpEndpoint,
  requests: OpenRequests,
  state: Stopping,
  deps: HttpServerDeps,
): FastifyInstance {
  // Requests on kept connections are answered to the end; a stopping gateway has not lost its upstreams yet.
  const app = fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    schemaController: WITHOUT_SCHEMAS,
  });
  const guard = createHostGuard(gateway.config.server);
  app.addHook('onRequest', (request, reply, done) => {
    // The client opens its next connection elsewhere.
    if (state.stopping) reply.raw.setHeader('connection', 'close');
    if (guard(request.raw, reply.raw)) done();
    else reply.hijack();
  });
  // The endpoint reads bodies itself: it must see their size and encoding before anything parses them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.all(MCP_PATH, (request, reply) => {
    reply.hijack();
    requests.enter(reply.raw);
    endpoint.handle(request.raw, reply.raw);
  });
  registerHealth(app, gateway, state);
  registerApprovals(app, gateway, deps.observe);
  const { operators } = gateway.config.policy.approvals;
  const approvals = gateway.approvals === undefined || operators.length === 0 ? undefined : '/ui/approvals';
  registerLandingPage(app, { serverInfo: deps.serverInfo, approvals });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: `Not found. MCP is at ${MCP_PATH}; / says what else there is.` }),
  );
  return app;
}

async function closeServer(
  app: FastifyInstance,
  endpoint: McpEndpoint,
  requests: OpenRequests,
  { lameDuckMs, drainMs }: GatewayConfig['server'],
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  requests.closeConnections();
  if (lameDuckMs > 0) await pause(lameDuckMs);
  const closed = app.close();
  await endpoint.endStreams();
  await requests.settle(drainMs);
  endpoint.interruptCalls();
  await requests.settle(FLUSH_MS);
  endpoint.close();
  // Node does not count a connection as idle that has not carried a request yet.
  app.server.closeAllConnections();
  await closed;
}

/** The URL for clients. A client cannot connect to a wildcard address, so `localhost` replaces it. */
function describeUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}${MCP_PATH}`;
}

function explainListenFailure(cause: unknown, host: string, port: number): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const problem = LISTEN_PROBLEMS[code] ?? `cannot be listened on (${code || 'unknown reason'})`;
  return new Error(`${host}:${port} ${problem}. Choose another with server.host and server.port.`, { cause });
}

/** The HTTP requests that are not completely answered, so that closing can wait for exactly these. */
class OpenRequests {
  readonly #open = new Set<ServerResponse>();
  #whenNone: (() => void) | undefined;

  enter(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#whenNone?.();
    });
  }

  /** Closes the connections of the open requests after their answers. */
  closeConnections(): void {
    for (const response of this.#open) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Resolves when no request is open, at the latest after `graceMs`. */
  async settle(graceMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
