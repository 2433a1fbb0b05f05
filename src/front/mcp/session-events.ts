import type { Gateway } from '../../gateway.js';
import type { Observer } from '../../observe/observation.js';

/** What is told of each session, once: that it began, and that it is over. */
export interface SessionEvents {
  opened(sessionId: string): void;
  ended(sessionId: string, how: 'closed' | 'expired'): void;
}

/** Tells the observer, and the gateway of the end: what belongs to a session ends with it. */
export function createSessionEvents(gateway: Pick<Gateway, 'endSession'>, observe: Observer): SessionEvents {
  return {
    opened: (sessionId) => observe({ kind: 'session', sessionId, event: 'opened' }),
    ended(sessionId, event) {
      observe({ kind: 'session', sessionId, event });
      gateway.endSession(sessionId);
    },
  };
}
