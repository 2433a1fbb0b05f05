import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../../gateway/gateway.js';
import { isDirectLoopback } from './trusted-proxies.js';

/**
 * `/healthz` says that the process is alive; a supervisor restarts it when it does not answer. `/readyz` says whether calls
 * can be served: 200 or 503, in both cases with how many upstreams are in which state, and the state of the state store and of the audit
 * journal. While one of the latter fails, what needs it is refused and the rest is served, so that it does not change the status. Anyone may
 * ask, so it says states alone: why a server is down may hold its last words, and those a secret; `list` and the log say it. Which
 * servers there are is told to operators, and to whoever asks on this machine: views hide them from clients.
 *
 * @param server.stopping whether the gateway has been asked to stop, and takes requests only until balancers have noticed.
 */
export function registerHealth(
  app: FastifyInstance,
  gateway: Gateway,
  server: { readonly stopping: boolean },
  isOperator: (request: IncomingMessage) => boolean = () => false,
): void {
  app.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', ({ raw }, reply) => {
    const { ready, operations, upstreams, state } = gateway.status();
    const status = server.stopping ? 'stopping' : ready ? 'ready' : 'not ready';
    const shared = state.replicas && { replicas: state.replicas.state };
    const own = { store: state.store.state, audit: state.audit.state, ...shared };
    const named = upstreams.map(({ name, state, required }) => ({ name, state, ...(required ? { required } : {}) }));
    const mayKnow = isDirectLoopback(raw) || isOperator(raw);
    const counts = { servers: countStates(upstreams), ...(mayKnow && { upstreams: named }) };
    return reply.code(status === 'ready' ? 200 : 503).send({ status, operations, ...own, ...counts });
  });
}

function countStates(upstreams: ReturnType<Gateway['status']>['upstreams']): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of upstreams) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
