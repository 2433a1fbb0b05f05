import { OperationError } from '../../protocol/operation-error.js';
import type { StateStore } from '../../store/state-store.js';
import type { Approval } from './approval.js';

const MAX_PER_SESSION = 100;
const MAX_IN_ALL = 10_000;

/** Bounds how many requests wait for a decision at one time: 100 of a session, 10,000 of all. */
export interface PendingLimit {
  /** Takes a place; rejects with RATE_LIMIT_EXCEEDED where there is none. */
  take(session: string): Promise<void>;
  /** Gives back the place of a request that has been decided. */
  free(approval: Approval): Promise<void>;
  /** False where the session certainly has no request pending. */
  mayWait(session: string): Promise<boolean>;
}

interface Bound {
  readonly name: string;
  readonly max: number;
  readonly explain: string;
}

/**
 * Counts instead of listing what is pending, which would cost most when there is most of it. A request that nobody decides
 * gives back no place, so each count is kept for a window as long as a request lives: what is pending was filed in this window
 * or in the one before. The sum is never too small; a request that has expired takes a place for one window more.
 *
 * @param lifetimeSeconds of a request
 * @param now milliseconds since the epoch
 */
export function createPendingLimit(
  store: Pick<StateStore, 'increment' | 'count'>,
  lifetimeSeconds: number,
  now: () => number,
): PendingLimit {
  const windowMs = lifetimeSeconds * 1_000;
  const windowOf = (time: number): number => Math.floor(time / windowMs);
  const counterOf = (window: number, name: string): string => `approvals/${lifetimeSeconds}/${window}/${name}`;
  // A window longer than it is read, in case the store's clock is ahead of this one.
  const add = (window: number, name: string, by: number, limit?: number) =>
    store.increment(counterOf(window, name), by, {
      expiresAt: (window + 3) * windowMs,
      ...(limit === undefined ? {} : { limit }),
    });
  const take = async ({ name, max, explain }: Bound): Promise<void> => {
    const at = now();
    const window = windowOf(at);
    const before = await store.count(counterOf(window - 1, name));
    const { added } = await add(window, name, 1, Math.max(0, max - before));
    if (!added) throw tooManyPending(max, explain, (window + 1) * windowMs, at);
  };

  return {
    async take(session) {
      const window = windowOf(now());
      await take(boundOfSession(session));
      try {
        await take(BOUND_OF_ALL);
      } catch (error) {
        await add(window, boundOfSession(session).name, -1);
        throw error;
      }
    },
    async free({ requestedAt, requester }) {
      const window = windowOf(Date.parse(requestedAt));
      await add(window, boundOfSession(requester.session).name, -1);
      await add(window, BOUND_OF_ALL.name, -1);
    },
    async mayWait(session) {
      const window = windowOf(now());
      const { name } = boundOfSession(session);
      const counts = [store.count(counterOf(window, name)), store.count(counterOf(window - 1, name))];
      return (await Promise.all(counts)).some((count) => count > 0);
    },
  };
}

const BOUND_OF_ALL: Bound = { name: 'all', max: MAX_IN_ALL, explain: 'wait for an operator' };

function boundOfSession(session: string): Bound {
  return { name: `session/${session}`, max: MAX_PER_SESSION, explain: 'of this session wait for an operator' };
}

function tooManyPending(limit: number, explain: string, resetsAt: number, now: number): OperationError {
  const seconds = Math.ceil((resetsAt - now) / 1_000);
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `Limit of ${limit} undecided requests reached: as many ${explain}. Have some decided, or try again in ${seconds} seconds`,
    { limit, remaining: 0, resets_at: new Date(resetsAt).toISOString(), retry_after_seconds: seconds },
  );
}
