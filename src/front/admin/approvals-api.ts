import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import type { Observer } from '../../observe/observation.js';
import { APPROVAL_STATUSES, type ApprovalDesk, type ApprovalStatus } from '../../protocol/approval.js';
import { type ApprovalsProblem, badRequest, explainFault, INTERNAL_ERROR, notFound } from './approvals-problem.js';
import type { OperatorAuthenticator } from './authenticate-operator.js';
import { readDecisionBody } from './read-decision-body.js';

export interface ApprovalsApiDeps {
  readonly desk: ApprovalDesk;
  readonly authenticate: OperatorAuthenticator;
  readonly observe: Observer;
}

const PATH = '/admin/approvals';

/** Whom a request's token belongs to. */
const OPERATOR = 'operator';

const VERDICTS = { approve: 'approved', deny: 'denied' } as const;

interface OneApproval {
  readonly Params: { readonly id: string };
}

/**
 * Where operators decide over HTTP, each with a bearer token of its own:
 * `GET /admin/approvals?status=pending` -> `{approvals}`, `GET /admin/approvals/:id` -> the approval,
 * `POST /admin/approvals/:id/approve` and `.../deny` with `{reason?}` -> the approval as decided.
 * Refusals are `{error: {code, message}}`.
 */
export function registerApprovalsApi(app: FastifyInstance, deps: ApprovalsApiDeps): void {
  const { desk, observe } = deps;
  app.register((api, _options, done) => {
    guard(api, deps.authenticate);
    api.setErrorHandler<FastifyError>((cause, _request, reply) => {
      const { statusCode: status = 500, message } = cause;
      if (status < 500) return refuse(reply, { ...badRequest(message), status });
      observe({ kind: 'defect', where: PATH, cause });
      return refuse(reply, INTERNAL_ERROR);
    });
    offerReading(api, desk);
    offerDecisions(api, desk);
    done();
  });
}

function guard(api: FastifyInstance, authenticate: OperatorAuthenticator): void {
  api.decorateRequest(OPERATOR, '');
  api.addHook('onRequest', (request, reply, next) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    const authentication = authenticate(request.raw);
    if (authentication.kind === 'operator') {
      request.setDecorator(OPERATOR, authentication.name);
      next();
      return;
    }
    reply.headers(authentication.headers);
    refuse(reply, authentication.problem);
  });
}

function offerReading(api: FastifyInstance, desk: ApprovalDesk): void {
  api.get<{ readonly Querystring: { readonly status?: unknown } }>(PATH, async ({ query: { status } }, reply) => {
    if (status === undefined || isStatus(status)) return reply.send({ approvals: await desk.list(status) });
    return refuse(reply, badRequest(`'status' must be one of: ${APPROVAL_STATUSES.join(', ')}.`));
  });
  api.get<OneApproval>(`${PATH}/:id`, async ({ params: { id } }, reply) => {
    const approval = await desk.find(id);
    return approval === undefined ? refuse(reply, notFound(id)) : reply.send(approval);
  });
}

function offerDecisions(api: FastifyInstance, desk: ApprovalDesk): void {
  for (const [verb, verdict] of Object.entries(VERDICTS)) {
    api.post<OneApproval>(`${PATH}/:id/${verb}`, async (request, reply) => {
      const { id } = request.params;
      const body = await readDecisionBody(request.raw, reply.raw);
      if (body.kind === 'problem') return refuse(reply, body.problem);
      const approver = { name: request.getDecorator<string>(OPERATOR), way: 'http' } as const;
      const decided = await desk.decide(id, verdict, approver, body.reason);
      return decided.ok
        ? reply.send(decided.approval)
        : refuse(reply, explainFault(decided.fault, id, decided.approval));
    });
  }
}

function isStatus(value: unknown): value is ApprovalStatus {
  return APPROVAL_STATUSES.some((status) => status === value);
}

function refuse(reply: FastifyReply, { status, code, message }: ApprovalsProblem): FastifyReply {
  return reply.code(status).send({ error: { code, message } });
}
