import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Observer } from '../base/observe/observation.js';
import { hasOperators } from '../config/policy-config.js';
import type { Gateway } from '../gateway/gateway.js';
import { FailedAttempts } from '../server/auth/bearer-tokens.js';
import { addressOf } from '../server/http/responder.js';
import { registerAgents } from './admin/agents-api.js';
import { registerApprovals } from './admin/approvals-api.js';
import { registerOperations } from './admin/operations-api.js';
import { createOperatorAccess, type OperatorAccess } from './admin/operator-access.js';
import type { ConnectPages } from './connect/connect-pages.js';
import type { ConsoleSources } from './layout/page.js';

/**
 * Opens what people use beside MCP: the console and the APIs of operators, and the pages on which users connect accounts.
 * Returns what recognises operators by their tokens.
 */
export function mountPages(
  app: FastifyInstance,
  gateway: Gateway,
  observe: Observer,
  sources: ConsoleSources,
): (request: IncomingMessage) => boolean {
  const access = createOperatorAccess(() => gateway.config.policy.approvals.operators, observe);
  // One bound for both: whoever begins asks an identity provider, and what is begun is kept.
  const begun = new FailedAttempts();
  registerOperators(app, gateway, access, { observe, sources, begun });
  registerConnect(app, gateway, observe, begun);
  return (request) => access.authenticate(request.headers.authorization, addressOf(request)).kind === 'operator';
}

interface OperatorPages {
  readonly observe: Observer;
  readonly sources: ConsoleSources;
  readonly begun: FailedAttempts;
}

/** Opens the APIs under `/admin` and the console at `/ui` where the configuration names operators who may use them. */
function registerOperators(app: FastifyInstance, gateway: Gateway, access: OperatorAccess, more: OperatorPages): void {
  if (!hasOperators(gateway.config.policy.approvals)) return;
  registerApprovals(app, gateway, access);
  registerAgents(app, gateway, access);
  registerOperations(app, gateway, access);
  app.register((ui, _options, done) => {
    import('./console.js')
      .then(({ registerConsole }) => registerConsole(ui, { gateway, access, ...more }))
      .then(() => done(), done);
  });
}

interface PageRequest {
  readonly Params: { readonly server: string };
  readonly Querystring: Readonly<Record<string, unknown>>;
}

/** Answers of authorization servers, and forms, are short. */
const MAX_FORM_BYTES = 16_384;

/**
 * The pages on which users connect their accounts of upstreams: `/connect/NAME` asks, `/connect/callback` takes the answers of
 * authorization servers, `/connect/client.json` describes the gateway to them.
 */
function registerConnect(app: FastifyInstance, gateway: Gateway, observe: Observer, begun: FailedAttempts): void {
  let loaded: Promise<ConnectPages> | undefined;
  /** Loaded with the first visitor. */
  const pages = (): Promise<ConnectPages> => {
    loaded ??= import('./connect/connect-pages.js').then(
      ({ ConnectPages }) => new ConnectPages(gateway, observe, begun),
    );
    return loaded;
  };
  app.register((api, _options, done) => {
    const type = 'application/x-www-form-urlencoded';
    api.addContentTypeParser(type, { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, (_request, body, parsed) =>
      parsed(null, new URLSearchParams(String(body))),
    );
    api.get('/connect/client.json', (_request, reply) => {
      const { connections } = gateway;
      return connections === undefined ? reply.callNotFound() : reply.send(connections.clientDocument);
    });
    api.get('/connect/style.css', async (_request, reply) => {
      const { connectStyle } = await import('./connect/pages.js');
      return reply.header('content-type', 'text/css; charset=utf-8').send(connectStyle());
    });
    api.get<PageRequest>('/connect/callback', ({ query, raw }, reply) =>
      pages().then((all) => all.takeAnswer(query, raw, reply)),
    );
    api.get<PageRequest>('/connect/:server', ({ params, query, raw }, reply) =>
      pages().then((all) => all.ask(params.server, query, raw, reply)),
    );
    api.post<PageRequest>('/connect/:server', ({ params, body, raw }, reply) =>
      pages().then((all) =>
        all.begin(params.server, body instanceof URLSearchParams ? body : new URLSearchParams(), raw, reply),
      ),
    );
    done();
  });
}
