import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../../gateway.js';
import type { Observer } from '../../observe/observation.js';
import { registerApprovalsApi } from './approvals-api.js';
import { registerApprovalsPage } from './approvals-page.js';
import { createOperatorAuthenticator } from './authenticate-operator.js';

/** Opens the approvals API and its page where the configuration names operators who may use them. */
export function registerApprovals(app: FastifyInstance, gateway: Gateway, observe: Observer): void {
  const { approvals: desk, config } = gateway;
  const { operators } = config.policy.approvals;
  if (desk === undefined || operators.length === 0) return;
  registerApprovalsApi(app, { desk, authenticate: createOperatorAuthenticator(operators, observe), observe });
  registerApprovalsPage(app);
}
