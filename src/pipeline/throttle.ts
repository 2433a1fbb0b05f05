import type { Charged, QuotaService } from '../policy/quota/quota-types.js';
import type { Operation } from '../protocol/operation.js';
import type { AuthorizedCall } from './authorize.js';

/**
 * Counts the call against its budgets; undefined where none applies. A call is refused here when a rate limit or a quota is used
 * up, or when a quota pauses until the caller sends a token.
 * @param partOf the operation whose stored answer the call reads on
 */
export function throttle(
  call: AuthorizedCall,
  quota: Pick<QuotaService, 'charge'>,
  partOf: Operation | undefined,
): undefined | Promise<Charged> {
  const { operation, arguments: args, raw, directives } = call;
  const { quotaContinue } = directives;
  const { caller, answerBytes } = raw;
  return quota.charge({
    operation,
    arguments: args,
    caller,
    ...(quotaContinue === undefined ? {} : { continueToken: quotaContinue }),
    ...(partOf === undefined ? {} : { partOf }),
    ...(answerBytes === undefined ? {} : { answerBytes }),
  });
}
