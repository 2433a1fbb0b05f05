import type { FastifyInstance } from 'fastify';
import { isJsonObject } from '../../base/json/json.js';
import type { Gateway } from '../../gateway/gateway.js';
import { guardOperators, OPERATOR, type OperatorAccess, refuse } from './operator-access.js';
import { badRequest, readJsonBody } from './problems.js';

const PATH = '/admin/agents';

interface OneChallenge {
  readonly Params: { readonly id: string };
}

/**
 * The HTTP API by which operators see and decide about agents, each with a bearer token of their own:
 * `GET /admin/agents` -> `{blocked, challenges}`, those that wait for a person,
 * `POST /admin/agents/challenges/:id/agree` -> the challenge; the agent goes on, and a block ends,
 * `POST /admin/agents/challenges/:id/code` -> `{code}`, a new one in place of the one that was sent,
 * `POST /admin/agents/unblock` with `{subject, agent?, reason?}` -> `{lifted}`.
 * Refusals are `{error: {code, message}}`.
 */
export function registerAgents(app: FastifyInstance, { safety }: Gateway, access: OperatorAccess): void {
  if (safety === undefined) return;
  app.register((api, _options, done) => {
    guardOperators(api, access, PATH);
    api.get(PATH, async (_request, reply) => reply.send(await safety.overview()));
    api.post<OneChallenge>(`${PATH}/challenges/:id/agree`, async (request, reply) => {
      const agreed = await safety.agree(request.params.id, operatorOf(request));
      return agreed === undefined ? refuse(reply, NOTHING_WAITS) : reply.send(agreed);
    });
    api.post<OneChallenge>(`${PATH}/challenges/:id/code`, async (request, reply) => {
      const code = await safety.showCode(request.params.id, operatorOf(request));
      return code === undefined ? refuse(reply, NOTHING_WAITS) : reply.send({ code });
    });
    api.post(`${PATH}/unblock`, async (request, reply) => {
      const body = await readJsonBody(request.raw, reply.raw);
      if (body.kind === 'problem') return refuse(reply, body.problem);
      const { subject, agent, reason } = isJsonObject(body.value) ? body.value : {};
      if (typeof subject !== 'string' || !isTextOrAbsent(agent) || !isTextOrAbsent(reason))
        return refuse(
          reply,
          badRequest(
            'Send {"subject": "..."}, "agent" to lift one agent\'s block alone, and "reason" for the audit trail.',
          ),
        );
      const operator = { ...operatorOf(request), ...(reason === undefined ? {} : { reason }) };
      return reply.send({ lifted: await safety.unblock(subject, agent, operator) });
    });
    done();
  });
}

const NOTHING_WAITS = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'No such challenge waits: it is answered, expired or unknown. GET /admin/agents lists those that wait.',
} as const;

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function operatorOf(request: { getDecorator<T>(name: string): T }) {
  return { name: request.getDecorator<string>(OPERATOR), way: 'http' } as const;
}
