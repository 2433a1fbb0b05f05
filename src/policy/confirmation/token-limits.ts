import type { ConfirmationConfig } from '../../config/policy-config.js';
import type { Caller } from '../../protocol/caller.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { StateStore } from '../../store/state-store.js';
import { keyOfCaller } from '../key-of-caller.js';

const MINUTE_MS = 60_000;

/** How often a caller may ask for tokens and fail with them. Each method rejects with RATE_LIMIT_EXCEEDED beyond the limit. */
export interface TokenLimits {
  countIssue(caller: Caller): Promise<void>;
  /** A failed validation, or a revocation, which could be used for guessing as well. */
  countFailure(caller: Caller): Promise<void>;
  /** Rejects where the next failure would be one too many; counts nothing. */
  checkFailures(caller: Caller): Promise<void>;
}

type Counted = 'issued' | 'failed';

const WORDS: Readonly<Record<Counted, string>> = {
  issued: 'confirmation tokens',
  failed: 'failed confirmations and revocations',
};

/** Counts by the minute of the clock. The counters lie in the store, so that several gateways count together. */
export function createTokenLimits(
  store: Pick<StateStore, 'increment' | 'count'>,
  config: Pick<ConfirmationConfig, 'maxIssuedPerMinute' | 'maxFailuresPerMinute'>,
  now: () => number,
): TokenLimits {
  const limits: Readonly<Record<Counted, number>> = {
    issued: config.maxIssuedPerMinute,
    failed: config.maxFailuresPerMinute,
  };
  const count = async (counted: Counted, caller: Caller): Promise<void> => {
    const at = now();
    const limit = limits[counted];
    // Kept a minute longer than it is read, in case the store's clock is ahead of this one.
    const expiresAt = endOfMinute(at) + MINUTE_MS;
    const { added } = await store.increment(counterOf(counted, caller, at), 1, { expiresAt, limit });
    if (!added) throw limitExceeded(counted, limit, at);
  };
  return {
    countIssue: (caller) => count('issued', caller),
    countFailure: (caller) => count('failed', caller),
    async checkFailures(caller) {
      const at = now();
      const failures = await store.count(counterOf('failed', caller, at));
      if (failures >= limits.failed) throw limitExceeded('failed', limits.failed, at);
    },
  };
}

function counterOf(counted: Counted, caller: Caller, now: number): string {
  return `tokens/${counted}/${Math.floor(now / MINUTE_MS)}/${keyOfCaller(caller)}`;
}

function endOfMinute(now: number): number {
  return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
}

function limitExceeded(counted: Counted, limit: number, now: number): OperationError {
  const resetsAt = endOfMinute(now);
  const seconds = Math.ceil((resetsAt - now) / 1_000);
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `Limit of ${limit} ${WORDS[counted]} per minute reached. Try again in ${seconds} seconds`,
    {
      limit,
      remaining: 0,
      window: 'minute',
      resets_at: new Date(resetsAt).toISOString(),
      retry_after_seconds: seconds,
    },
  );
}
