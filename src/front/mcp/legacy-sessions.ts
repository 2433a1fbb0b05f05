import { randomUUID } from 'node:crypto';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/caller.js';
import { CallsInFlight } from './calls-in-flight.js';
import type { Seat } from './http-exchange.js';
import { IdleMap } from './idle-map.js';
import { StandaloneStream } from './standalone-stream.js';
import { TOOLS_CHANGED } from './tool-result.js';

/** One legacy client between `initialize` and DELETE, or until it has been idle for too long. */
export interface LegacySession extends Seat {
  /** What the client sends as `Mcp-Session-Id`. Whoever knows it is the session: never log it. */
  readonly id: string;
  readonly caller: Caller;
  readonly calls: CallsInFlight;
  /** Where messages go that belong to no request. */
  readonly stream: StandaloneStream;
}

export interface LegacySessions {
  /** Opens a session; undefined when there are too many and all are in use. */
  open(clientName: string): LegacySession | undefined;
  find(id: string): LegacySession | undefined;
  /** Ends a session and whatever is in flight in it. */
  end(session: LegacySession): void;
  tellToolsChanged(): void;
  /** Ends what has been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void;
  /** Ends every standalone stream; sessions and calls go on. */
  endStreams(): void;
  endAll(): void;
}

export function createLegacySessions(settings: GatewayConfig['server'], observe: Observer): LegacySessions {
  const closeSession = ({ caller, calls, stream }: LegacySession, event: 'closed' | 'expired'): void => {
    observe({ kind: 'session', sessionId: caller.sessionId, event });
    calls.cancelAll('the session ended');
    stream.end();
  };
  const sessions = new IdleMap<LegacySession>(settings.sessionIdleMs, settings.maxSessions, (session) =>
    closeSession(session, 'expired'),
  );
  const end = (session: LegacySession): void => {
    if (sessions.remove(session.id)) closeSession(session, 'closed');
  };

  return {
    open(clientName) {
      const session = createSession(clientName);
      if (!sessions.add(session.id, session)) return undefined;
      observe({ kind: 'session', sessionId: session.caller.sessionId, event: 'opened' });
      return session;
    },
    find: (id) => sessions.get(id),
    end,
    tellToolsChanged() {
      for (const { stream } of sessions.values()) stream.write(TOOLS_CHANGED);
    },
    sweep: (now) => sessions.sweep(now),
    endStreams() {
      for (const { stream } of sessions.values()) stream.end();
    },
    endAll() {
      for (const session of [...sessions.values()]) end(session);
    },
  };
}

/** The id on the wire and the one in logs differ, so that a log does not give sessions away. */
function createSession(clientName: string): LegacySession {
  const caller: Caller = { sessionId: randomUUID(), clientName, transport: 'http' };
  const [calls, stream] = [new CallsInFlight(), new StandaloneStream()];
  return { id: randomUUID(), caller, calls, stream, open: 0, lastUsedAt: Date.now() };
}
