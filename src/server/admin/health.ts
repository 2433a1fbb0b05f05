import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../../gateway/gateway.js';

/**
 * `/healthz` says that the process is alive; a supervisor restarts it when it does not answer. `/readyz` says whether calls
 * can be served: 200 or 503, in both cases with the state of each upstream.
 */
export function registerHealth(app: FastifyInstance, gateway: Gateway): void {
  app.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => {
    const { ready, operations, upstreams } = gateway.status();
    const states = upstreams.map(({ name, state, problem }) => ({
      name,
      state,
      ...(problem === undefined ? {} : { problem }),
    }));
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', operations, upstreams: states });
  });
}
