import { OperationError } from '../protocol/operation-error.js';
import type { StateStore } from '../store/state-store.js';

/** Failed attempts in one minute of one subject (specification, section 8.8.5). */
const MOST_FAILURES = 10;

/** Challenges that replace used-up ones, of one subject in one minute: each of them reaches people. */
const MOST_RENEWALS = 5;

/** Challenges of one subject in one minute that are brought to people; operators see the others when they look. */
const MOST_ANNOUNCED = 20;

const MINUTE_MS = 60_000;

/** Counts what could be used for guessing, in minutes of the clock, over all processes and restarts. */
export class Attempts {
  readonly #store: Pick<StateStore, 'increment'>;
  readonly #now: () => number;

  constructor(store: Pick<StateStore, 'increment'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Counts an attempt before its code is looked at, so that attempts at one time cannot exceed the limit together; an attempt with the right
   * code is taken off again. Rejects with RATE_LIMIT_EXCEEDED.
   */
  async begin(subject: string): Promise<{ readonly takeOff: () => Promise<void> }> {
    const expiresAt = endOfMinute(this.#now());
    const counter = `challenge-failures/${subject}/${expiresAt}`;
    const { added } = await this.#store.increment(counter, 1, { expiresAt, limit: MOST_FAILURES });
    if (!added) throw limitExceeded(expiresAt, this.#now());
    return { takeOff: async () => void (await this.#store.increment(counter, -1, { expiresAt })) };
  }

  /** Whether one more challenge may take the place of one that is used up. */
  mayRenew(subject: string): Promise<boolean> {
    return this.#count(`challenge-renewals/${subject}`, MOST_RENEWALS);
  }

  /** Whether one more code may be sent to people, so that an agent that starts again and again does not flood them. */
  mayAnnounce(subject: string): Promise<boolean> {
    return this.#count(`challenge-announcements/${subject}`, MOST_ANNOUNCED);
  }

  async #count(name: string, limit: number): Promise<boolean> {
    const expiresAt = endOfMinute(this.#now());
    return (await this.#store.increment(`${name}/${expiresAt}`, 1, { expiresAt, limit })).added;
  }
}

function endOfMinute(now: number): number {
  return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
}

function limitExceeded(resetsAt: number, now: number): OperationError {
  const seconds = Math.ceil((resetsAt - now) / 1_000);
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `Limit of ${MOST_FAILURES} failed verifications per minute reached. Try again in ${seconds} seconds`,
    {
      limit: MOST_FAILURES,
      remaining: 0,
      window: 'minute',
      resets_at: new Date(resetsAt).toISOString(),
      retry_after_seconds: seconds,
    },
  );
}
