import type { IncomingMessage } from 'node:http';
import type { OperatorConfig } from '../../config/policy-config.js';
import type { Observer } from '../../observe/observation.js';
import { BearerTokens } from '../bearer-tokens.js';
import { RefusalNotices } from '../refusal-notices.js';
import { type ApprovalsProblem, tooManyAttempts, UNAUTHORIZED } from './approvals-problem.js';
import { FailedAttempts } from './failed-attempts.js';

export type Authentication =
  | { readonly kind: 'operator'; readonly name: string }
  | {
      readonly kind: 'refused';
      readonly problem: ApprovalsProblem;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Finds out which operator sends a request. */
export type OperatorAuthenticator = (request: IncomingMessage) => Authentication;

/**
 * Knows operators by their tokens. An address that has tried too many wrong ones has to wait, with the right one too: else
 * guessing could go on behind the refusals.
 */
export function createOperatorAuthenticator(
  operators: readonly OperatorConfig[],
  observe: Observer,
  now: () => number = Date.now,
): OperatorAuthenticator {
  const tokens = new BearerTokens(operators);
  const notices = new RefusalNotices(observe, '/admin', now);
  const failed = new FailedAttempts(now);
  return ({ headers: { authorization }, socket }) => {
    const address = socket.remoteAddress ?? 'unknown';
    const seconds = failed.secondsToWait(address);
    if (seconds > 0) return refuse(tooManyAttempts(seconds), { 'retry-after': String(seconds) });
    const name = tokens.holderOf(authorization);
    if (name !== undefined) return { kind: 'operator', name };
    // A request without a token is no guess: browsers and probes send them.
    if (authorization !== undefined) {
      failed.note(address);
      notices.refused(address);
    }
    return refuse(UNAUTHORIZED, { 'www-authenticate': 'Bearer' });
  };
}

function refuse(problem: ApprovalsProblem, headers: Readonly<Record<string, string>>): Authentication {
  return { kind: 'refused', problem, headers };
}
