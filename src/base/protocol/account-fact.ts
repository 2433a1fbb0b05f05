/** What an answer says of the account behind a server's connection. */
export interface AccountAnswer {
  readonly state: 'cannot_write' | 'can_write' | 'unknown';
  /** In words. */
  readonly answer: string;
}

/** One thing that is known of an account, with its evidence. */
export interface AccountFact extends AccountAnswer {
  /** What was asked, and by which way. */
  readonly asked: string;
  /** `account`: what no call can change by itself; `session`: what a statement may set otherwise, so that nothing rests on it. */
  readonly proves: 'account' | 'session';
  /** ISO 8601. */
  readonly at: string;
}

const STATES = { cannot_write: 'cannot write', can_write: 'can write', unknown: 'not known' } as const;

/** `PostgreSQL privileges, by 'query': cannot write: 0 ways to write (2026-01-01T10:00:00.000Z)` */
export function describeFact({ asked, state, answer, proves, at }: AccountFact): string {
  const worth = proves === 'session' ? ', and nothing rests on it' : '';
  return `${asked}: ${STATES[state]}: ${answer}${worth} (${at})`;
}
