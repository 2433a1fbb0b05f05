import type { QuotaService } from '../policy/quota/quota-types.js';
import type { Warning } from '../protocol/result.js';
import type { AuthorizedCall } from './authorize.js';

const NO_WARNINGS: readonly Warning[] = [];

/**
 * Counts the call against its budgets and returns a warning for each that is nearly used up. A call is refused here when a
 * rate limit or a quota is used up, or when a quota pauses until the caller sends a token.
 */
export async function throttle(call: AuthorizedCall, quota: Pick<QuotaService, 'charge'>): Promise<readonly Warning[]> {
  const { operation, arguments: args, raw, directives } = call;
  const { quotaContinue } = directives;
  const charged = quota.charge({
    operation,
    arguments: args,
    caller: raw.caller,
    ...(quotaContinue === undefined ? {} : { continueToken: quotaContinue }),
  });
  return charged === undefined ? NO_WARNINGS : charged;
}
