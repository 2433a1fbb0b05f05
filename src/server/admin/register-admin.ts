import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import { registerAgents } from './agents-api.js';
import { registerApprovals } from './approvals-api.js';
import { registerOperations } from './operations-api.js';
import { createOperatorAccess } from './operator-access.js';

/** Opens what is under `/admin` where the configuration names operators who may use it. */
export function registerAdmin(app: FastifyInstance, gateway: Gateway, observe: Observer): void {
  if (gateway.config.policy.approvals.operators.length === 0) return;
  const access = createOperatorAccess(() => gateway.config.policy.approvals.operators, observe);
  registerApprovals(app, gateway, access);
  registerAgents(app, gateway, access);
  registerOperations(app, gateway, access);
}
