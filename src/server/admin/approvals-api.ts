import type { IncomingMessage } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import type { OperatorConfig } from '../../config/policy-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import { digest } from '../../lib/canonical-json.js';
import type { Observer } from '../../observe/observation.js';
import {
  APPROVAL_STATUSES,
  type Approval,
  type ApprovalService,
  type ApprovalStatus,
} from '../../protocol/approval.js';
import { BearerTokens, FailedAttempts, RefusalNotices } from '../auth/bearer-tokens.js';
import { addressOf } from '../http/responder.js';
import { registerApprovalsPage } from './approvals-page.js';
import {
  type ApprovalsProblem,
  badRequest,
  changed,
  explainFault,
  INTERNAL_ERROR,
  notFound,
  readDecisionBody,
  tooManyAttempts,
  UNAUTHORIZED,
} from './problems.js';

interface ApprovalsApiDeps {
  readonly service: ApprovalService;
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
 * The HTTP API by which operators decide, each with a bearer token of their own:
 * `GET /admin/approvals?status=pending&first=50&after=ID` -> `{approvals, total, next}`, without parameters,
 * `GET /admin/approvals/:id?full=1` -> the approval with the digest of what it says,
 * `POST /admin/approvals/:id/approve` and `.../deny` with `{reason?, digest?}` -> the approval as decided.
 * Refusals are `{error: {code, message}}`.
 */
function registerApprovalsApi(app: FastifyInstance, deps: ApprovalsApiDeps): void {
  const { service, observe } = deps;
  app.register((api, _options, done) => {
    guard(api, deps.authenticate);
    api.setErrorHandler<FastifyError>((cause, _request, reply) => {
      const { statusCode: status = 500, message } = cause;
      if (status < 500) return refuse(reply, { ...badRequest(message), status });
      observe({ kind: 'defect', where: PATH, cause });
      return refuse(reply, INTERNAL_ERROR);
    });
    offerReading(api, service);
    offerDecisions(api, service);
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

interface ListQuery {
  readonly Querystring: { readonly status?: unknown; readonly first?: unknown; readonly after?: unknown };
}

function offerReading(api: FastifyInstance, service: ApprovalService): void {
  api.get<ListQuery>(PATH, async ({ query: { status, first = String(PAGE), after } }, reply) => {
    if (status !== undefined && !isStatus(status)) {
      return refuse(reply, badRequest(`'status' must be one of: ${APPROVAL_STATUSES.join(', ')}.`));
    }
    const count = typeof first === 'string' && /^\d{1,3}$/.test(first) ? Number(first) : 0;
    if (count < 1 || count > MAX_PAGE) return refuse(reply, badRequest(`'first' must be from 1 to ${MAX_PAGE}.`));
    return reply.send(cutPage(await service.list(status), count, after));
  });
  api.get<OneApproval & { readonly Querystring: { readonly full?: unknown } }>(
    `${PATH}/:id`,
    async ({ params: { id }, query: { full } }, reply) => {
      const approval = await service.find(id, full !== undefined);
      return approval === undefined
        ? refuse(reply, notFound(id))
        : reply.send({ ...approval, digest: digestOf(approval) });
    },
  );
}

/** Approvals on one page of the list. */
const PAGE = 50;
const MAX_PAGE = 200;

/** The approvals after one of them, without their parameters: a page of the list stays small, whatever was asked. */
function cutPage(approvals: readonly Approval[], count: number, after: unknown) {
  const start = approvals.findIndex(({ id }) => id === after) + 1;
  const page = approvals.slice(start, start + count);
  const last = page.at(-1);
  return {
    approvals: page.map(({ parameters: _parameters, full: _full, ...summary }) => summary),
    total: approvals.length,
    next: last !== undefined && start + count < approvals.length ? last.id : null,
  };
}

/** Identifies what an operator has read, so that a decision is about nothing else. */
function digestOf(approval: Approval): string {
  const { id, operation, upstream, danger, message, parameters, requester } = approval;
  return digest({ id, operation, upstream, danger, message, parameters, requester });
}

function offerDecisions(api: FastifyInstance, service: ApprovalService): void {
  for (const [verb, verdict] of Object.entries(VERDICTS)) {
    api.post<OneApproval>(`${PATH}/:id/${verb}`, async (request, reply) => {
      const { id } = request.params;
      const body = await readDecisionBody(request.raw, reply.raw);
      if (body.kind === 'problem') return refuse(reply, body.problem);
      const shown = body.digest === undefined ? undefined : await service.find(id);
      if (shown !== undefined && digestOf(shown) !== body.digest) return refuse(reply, changed(id));
      const approver = { name: request.getDecorator<string>(OPERATOR), way: 'http' } as const;
      const decided = await service.decide(id, verdict, approver, body.reason);
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

/** Opens the approvals API and its page where the configuration names operators who may use them. */
export function registerApprovals(app: FastifyInstance, gateway: Gateway, observe: Observer): void {
  const { approvals: service, config } = gateway;
  const { operators } = config.policy.approvals;
  if (service === undefined || operators.length === 0) return;
  registerApprovalsApi(app, { service, authenticate: createOperatorAuthenticator(operators, observe), observe });
  registerApprovalsPage(app);
}

type Authentication =
  | { readonly kind: 'operator'; readonly name: string }
  | {
      readonly kind: 'refused';
      readonly problem: ApprovalsProblem;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Finds the operator who sends a request. */
type OperatorAuthenticator = (request: IncomingMessage) => Authentication;

/**
 * Recognises operators by their tokens. An address that sent too many wrong tokens has to wait; a right token is let through,
 * since behind a proxy all operators have one address, and a token has too many possible values to be guessed.
 */
function createOperatorAuthenticator(
  operators: readonly OperatorConfig[],
  observe: Observer,
  now: () => number = Date.now,
): OperatorAuthenticator {
  const tokens = new BearerTokens(operators);
  const notices = new RefusalNotices(observe, '/admin', now);
  const failed = new FailedAttempts(now);
  return (request) => {
    const { authorization } = request.headers;
    const address = addressOf(request) || 'unknown';
    const name = tokens.holderOf(authorization);
    if (name !== undefined) return { kind: 'operator', name };
    const seconds = failed.secondsToWait(address);
    if (seconds > 0) return refuseOperator(tooManyAttempts(seconds), { 'retry-after': String(seconds) });
    // A request without a token is no guess: browsers and probes send them.
    if (authorization !== undefined) {
      failed.note(address);
      notices.refused(address);
    }
    return refuseOperator(UNAUTHORIZED, { 'www-authenticate': 'Bearer' });
  };
}

function refuseOperator(problem: ApprovalsProblem, headers: Readonly<Record<string, string>>): Authentication {
  return { kind: 'refused', problem, headers };
}
