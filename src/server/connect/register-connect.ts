import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { ConnectPages } from './connect-pages.js';

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
export function registerConnect(app: FastifyInstance, gateway: Gateway, observe: Observer): void {
  let loaded: Promise<ConnectPages> | undefined;
  /** Loaded with the first visitor. */
  const pages = (): Promise<ConnectPages> => {
    loaded ??= import('./connect-pages.js').then(({ ConnectPages }) => new ConnectPages(gateway, observe));
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
