import type { FastifyInstance } from 'fastify';
import { digest } from '../../base/json/canonical-json.js';
import {
  APPROVAL_STATUSES,
  type Approval,
  type ApprovalService,
  type ApprovalStatus,
} from '../../base/protocol/approval.js';
import type { Gateway } from '../../gateway/gateway.js';
import { guardOperators, OPERATOR, type OperatorAccess, refuse } from './operator-access.js';
import { badRequest, changed, explainFault, notFound, readDecisionBody } from './problems.js';

const PATH = '/admin/approvals';

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
export function registerApprovals(app: FastifyInstance, { approvals: service }: Gateway, access: OperatorAccess): void {
  if (service === undefined) return;
  app.register((api, _options, done) => {
    guardOperators(api, access, PATH);
    offerReading(api, service);
    offerDecisions(api, service);
    done();
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
export function digestOf(approval: Approval): string {
  const { id, operation, upstream, danger, message, parameters, update, requester } = approval;
  return digest({ id, operation, upstream, danger, message, parameters, update, requester });
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
