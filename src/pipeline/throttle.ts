import type { Quota } from '../policy/quota.js';
import type { AuthorizedCall } from './authorize.js';

/** Counts the call against its budgets. A call is refused here when a rate limit or a quota is used up. */
export async function throttle(call: AuthorizedCall, quota: Quota): Promise<AuthorizedCall> {
  const counted = quota(call.operation, call.raw.caller);
  if (counted !== undefined) await counted;
  return call;
}
