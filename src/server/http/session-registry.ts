import type { Caller } from '../../base/protocol/call.js';
import type { ModernCallers } from './modern-callers.js';
import type { LegacySessions } from './sessions.js';

/** A client at this moment, as operators see it. */
export interface ListedSession {
  /** As in the log and the audit trail; it gives nobody access to the session. */
  readonly id: string;
  /** Whether its client opened it, or only sends requests (2026-07-28). */
  readonly era: 'legacy' | 'modern';
  readonly caller: Caller;
  /** The view; absent where it sees the whole. */
  readonly view?: string | undefined;
  /** In milliseconds since the epoch. */
  readonly openedAt: number;
  readonly lastUsedAt: number;
  /** Requests that are not answered yet. */
  readonly inFlight: number;
}

/** The clients of the gateway. */
export interface SessionRegistry {
  list(): readonly ListedSession[];
  /** Ends a session and its calls in flight; false where there is none. */
  end(id: string): boolean;
}

/** Lists the clients of one endpoint. @param view that it shows */
export function createSessionRegistry(
  sessions: Pick<LegacySessions, 'all' | 'end'>,
  callers: Pick<ModernCallers, 'all' | 'end'>,
  view: string | undefined,
): SessionRegistry {
  return {
    list: () => [
      ...[...sessions.all()].map(({ caller, openedAt, lastUsedAt, calls }): ListedSession => {
        return { id: caller.sessionId, era: 'legacy', caller, view, openedAt, lastUsedAt, inFlight: calls.size };
      }),
      ...[...callers.all()].map(({ caller, openedAt, lastUsedAt, open }): ListedSession => {
        return { id: caller.sessionId, era: 'modern', caller, view, openedAt, lastUsedAt, inFlight: open };
      }),
    ],
    end(id) {
      const session = [...sessions.all()].find(({ caller }) => caller.sessionId === id);
      if (session === undefined) return callers.end(id);
      void sessions.end(session);
      return true;
    },
  };
}

/** The clients of several endpoints. */
export function joinRegistries(registries: () => readonly SessionRegistry[]): SessionRegistry {
  return {
    list: () => registries().flatMap((registry) => registry.list()),
    end: (id) => registries().some((registry) => registry.end(id)),
  };
}
