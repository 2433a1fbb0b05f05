import { randomUUID } from 'node:crypto';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Caller } from '../../protocol/caller.js';
import { CallsInFlight } from './calls-in-flight.js';
import type { Seat } from './http-exchange.js';
import { IdleMap } from './idle-map.js';
import type { Peer } from './peer.js';
import type { SessionEvents } from './session-events.js';
import { StandaloneStream } from './standalone-stream.js';
import { TOOLS_CHANGED } from './tool-result.js';

/** One legacy client between `initialize` and DELETE, or until it has been idle for too long. */
export interface LegacySession extends Seat, Required<Peer> {
  /** What the client sends as `Mcp-Session-Id`. Whoever knows it is the session: never log it. */
  readonly id: string;
  /** Where messages go that belong to no request. */
  readonly stream: StandaloneStream;
}

/** What `initialize` says of the client, and who has authenticated, where clients must. */
export interface LegacyClient {
  readonly clientName: string;
  readonly client: string | undefined;
  readonly elicits: boolean;
}

export interface LegacySessions {
  /** Opens a session; undefined when there are too many and all are in use. */
  open(client: LegacyClient): LegacySession | undefined;
  /** Finds a session of this client; another client's id is as unknown as any other. */
  find(id: string, client: string | undefined): LegacySession | undefined;
  /** Ends a session and whatever is in flight in it. */
  end(session: LegacySession): void;
  tellToolsChanged(): void;
  /** Ends what has been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void;
  /** Ends every standalone stream; sessions and calls go on. */
  endStreams(): void;
  endAll(): void;
}

export function createLegacySessions(settings: GatewayConfig['server'], events: SessionEvents): LegacySessions {
  const closeSession = ({ caller, calls, stream }: LegacySession, how: 'closed' | 'expired'): void => {
    calls.cancelAll('the session ended');
    stream.end();
    events.ended(caller.sessionId, how);
  };
  const sessions = new IdleMap<LegacySession>(settings.sessionIdleMs, settings.maxSessions, (session) =>
    closeSession(session, 'expired'),
  );
  const end = (session: LegacySession): void => {
    if (sessions.remove(session.id)) closeSession(session, 'closed');
  };

  return {
    open(client) {
      const session = createSession(client);
      if (!sessions.add(session.id, session)) return undefined;
      events.opened(session.caller.sessionId);
      return session;
    },
    find(id, client) {
      const session = sessions.get(id);
      return session?.caller.client === client ? session : undefined;
    },
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
function createSession({ clientName, client, elicits }: LegacyClient): LegacySession {
  const anyone: Caller = { sessionId: randomUUID(), clientName, transport: 'http' };
  const caller = client === undefined ? anyone : { ...anyone, client };
  const [calls, stream] = [new CallsInFlight(), new StandaloneStream()];
  return { id: randomUUID(), caller, calls, elicits, stream, open: 0, lastUsedAt: Date.now() };
}
