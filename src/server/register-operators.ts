import type { FastifyInstance } from 'fastify';
import { hasOperators } from '../config/policy-config.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Observer } from '../observe/observation.js';
import { registerAgents } from './admin/agents-api.js';
import { registerApprovals } from './admin/approvals-api.js';
import { registerOperations } from './admin/operations-api.js';
import { createOperatorAccess } from './admin/operator-access.js';
import type { ConsoleSources } from './console/page.js';

/** Opens the APIs under `/admin` and the console at `/ui` where the configuration names operators who may use them. */
export function registerOperators(
  app: FastifyInstance,
  gateway: Gateway,
  observe: Observer,
  sources: ConsoleSources,
): void {
  if (!hasOperators(gateway.config.policy.approvals)) return;
  const access = createOperatorAccess(() => gateway.config.policy.approvals.operators, observe);
  registerApprovals(app, gateway, access);
  registerAgents(app, gateway, access);
  registerOperations(app, gateway, access);
  app.register((ui, _options, done) => {
    import('./console/console.js')
      .then(({ registerConsole }) => registerConsole(ui, { gateway, access, observe, sources }))
      .then(() => done(), done);
  });
}
