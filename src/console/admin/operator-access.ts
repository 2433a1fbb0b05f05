import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import type { Observer } from '../../base/observe/observation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { OperatorConfig } from '../../config/policy-config.js';
import { BearerTokens, FailedAttempts, RefusalNotices } from '../../server/auth/bearer-tokens.js';
import { addressOf } from '../../server/http/responder.js';
import {
  type ApprovalsProblem,
  badRequest,
  INTERNAL_ERROR,
  tooManyAttempts,
  UNAUTHORIZED,
  unavailable,
} from './problems.js';

/** Lets operators into the APIs under `/admin`, and into the console. */
export interface OperatorAccess {
  readonly authenticate: OperatorAuthenticator;
  /** Whose token an `Authorization` header brings at this moment; a wrong one is not counted. */
  readonly holderOf: (authorization: string | undefined) => string | undefined;
  readonly observe: Observer;
}

/** Whom a request's token belongs to. */
export const OPERATOR = 'operator';

/** @param operatorsNow those who may use the APIs at this moment */
export function createOperatorAccess(operatorsNow: () => readonly OperatorConfig[], observe: Observer): OperatorAccess {
  const holderOf = createTokenReader(operatorsNow);
  return { holderOf, authenticate: createOperatorAuthenticator(holderOf, observe), observe };
}

/** Lets operators in alone, and answers what fails as the APIs do. */
export function guardOperators(api: FastifyInstance, { authenticate, observe }: OperatorAccess, where: string): void {
  api.setErrorHandler<FastifyError>((cause, _request, reply) => {
    const seconds = retryAfter(cause);
    if (seconds !== undefined) return refuse(reply.header('retry-after', String(seconds)), unavailable(seconds));
    const { statusCode: status = 500, message } = cause;
    if (status < 500) return refuse(reply, { ...badRequest(message), status });
    observe({ kind: 'defect', where, cause });
    return refuse(reply, INTERNAL_ERROR);
  });
  api.decorateRequest(OPERATOR, '');
  api.addHook('onRequest', (request, reply, next) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    const authentication = authenticate(request.headers.authorization, addressOf(request.raw));
    if (authentication.kind === 'operator') {
      request.setDecorator(OPERATOR, authentication.name);
      next();
      return;
    }
    reply.headers(authentication.headers);
    refuse(reply, authentication.problem);
  });
}

/** In how many seconds what is away can be asked again. */
function retryAfter(cause: unknown): number | undefined {
  const { retryable, retry_after_seconds: seconds } = cause instanceof OperationError ? cause.details : {};
  return retryable === true && typeof seconds === 'number' ? seconds : undefined;
}

export function refuse(reply: FastifyReply, { status, code, message }: ApprovalsProblem): FastifyReply {
  return reply.code(status).send({ error: { code, message } });
}

type Authentication =
  | { readonly kind: 'operator'; readonly name: string }
  | {
      readonly kind: 'refused';
      readonly problem: ApprovalsProblem;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Finds the operator who sends a request. @param address where it comes from */
type OperatorAuthenticator = (authorization: string | undefined, address: string) => Authentication;

function createTokenReader(operatorsNow: () => readonly OperatorConfig[]): OperatorAccess['holderOf'] {
  let operators = operatorsNow();
  let tokens = new BearerTokens(operators);
  return (authorization) => {
    const current = operatorsNow();
    // A reload may have changed or revoked tokens.
    if (current !== operators) [operators, tokens] = [current, new BearerTokens(current)];
    return tokens.holderOf(authorization);
  };
}

/**
 * Recognises operators by their tokens. An address that sent too many wrong tokens has to wait; a right token is let through,
 * since behind a proxy all operators have one address, and a token has too many possible values to be guessed.
 */
function createOperatorAuthenticator(
  holderOf: OperatorAccess['holderOf'],
  observe: Observer,
  now: () => number = Date.now,
): OperatorAuthenticator {
  const notices = new RefusalNotices(observe, '/admin', now);
  const failed = new FailedAttempts(now);
  return (authorization, from) => {
    const address = from || 'unknown';
    const name = holderOf(authorization);
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
