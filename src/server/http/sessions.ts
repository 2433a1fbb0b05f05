import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/call.js';
import { CallsInFlight, type Peer } from '../mcp/calls-in-flight.js';
import { TOOLS_CHANGED } from '../mcp/write-result.js';
import { type Occupancy, toSseEvent } from './responder.js';

/** One legacy client between `initialize` and DELETE, or until it has been idle for too long. */
export interface LegacySession extends Occupancy, Required<Peer> {
  /** What the client sends as `Mcp-Session-Id`. It is a secret that gives access to the session: never log it. */
  readonly id: string;
  /** Carries the messages that belong to no request. */
  readonly stream: StandaloneStream;
}

export interface LegacySessions {
  /** Opens a session; undefined when there are too many and all are in use. */
  open(client: LegacyClient): LegacySession | undefined;
  /** Finds a session of this client; another client's id is as unknown as any other. */
  find(id: string, client: string | undefined): LegacySession | undefined;
  /** Ends a session and the calls in flight in it. */
  end(session: LegacySession): void;
  notifyToolsChanged(): void;
  /** Ends the sessions that have been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void;
  /** Ends every standalone stream; sessions and calls go on. */
  endStreams(): void;
  endAll(): void;
}

export interface ModernCallers {
  /** The client behind a request; undefined when there are too many and all are in use. */
  find(origin: ModernOrigin): ModernClient | undefined;
  sweep(now: number): void;
  /** Ends the sessions of unauthenticated clients. Those of authenticated clients outlive this process. */
  endAll(): void;
}

/** What `initialize` says about the client, and the authenticated client, where authentication is required. */
interface LegacyClient {
  readonly clientName: string;
  readonly client: string | undefined;
  readonly elicits: boolean;
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
    notifyToolsChanged() {
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

/** The id on the wire and the one in logs differ, so that a log gives no access to sessions. */
function createSession({ clientName, client, elicits }: LegacyClient): LegacySession {
  const anyone: Caller = { sessionId: randomUUID(), clientName, transport: 'http' };
  const caller = client === undefined ? anyone : { ...anyone, client };
  const [calls, stream] = [new CallsInFlight(), new StandaloneStream()];
  return { id: randomUUID(), caller, calls, elicits, stream, open: 0, lastUsedAt: Date.now() };
}

/** Called once for each session when it begins and once when it ends. */
interface SessionEvents {
  opened(sessionId: string): void;
  ended(sessionId: string, how: 'closed' | 'expired'): void;
}

/** Reports both events to the observer, and the end to the gateway, which then drops the session's state. */
export function createSessionEvents(gateway: Pick<Gateway, 'endSession'>, observe: Observer): SessionEvents {
  return {
    opened: (sessionId) => observe({ kind: 'session', sessionId, event: 'opened' }),
    ended(sessionId, event) {
      observe({ kind: 'session', sessionId, event });
      gateway.endSession(sessionId);
    },
  };
}

/** Values that are dropped after an idle time, and the longest idle one earlier when there are too many. */
export class IdleMap<Value extends Occupancy> {
  readonly #values = new Map<string, Value>();
  readonly #idleMs: number;
  readonly #max: number;
  readonly #onExpired: (value: Value) => void;

  /** @param onExpired called with each value that was dropped for being idle. */
  constructor(idleMs: number, max: number, onExpired: (value: Value) => void) {
    this.#idleMs = idleMs;
    this.#max = max;
    this.#onExpired = onExpired;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  values(): IterableIterator<Value> {
    return this.#values.values();
  }

  /** Adds a value; false when the map is full of values that are in use. */
  add(key: string, value: Value): boolean {
    if (this.#values.size >= this.#max && !this.#dropLongestIdle()) return false;
    this.#values.set(key, value);
    return true;
  }

  /** Takes a value out; false when it is not there. */
  remove(key: string): boolean {
    return this.#values.delete(key);
  }

  /** Takes everything out. */
  clear(): void {
    this.#values.clear();
  }

  /** Drops everything that has been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void {
    for (const [key, value] of this.#values) {
      if (value.open === 0 && now - value.lastUsedAt >= this.#idleMs) this.#drop(key, value);
    }
  }

  #dropLongestIdle(): boolean {
    let oldest: [string, Value] | undefined;
    for (const entry of this.#values) {
      const [, value] = entry;
      if (value.open === 0 && (oldest === undefined || value.lastUsedAt < oldest[1].lastUsedAt)) oldest = entry;
    }
    if (oldest === undefined) return false;
    this.#drop(...oldest);
    return true;
  }

  #drop(key: string, value: Value): void {
    this.#values.delete(key);
    this.#onExpired(value);
  }
}

/** A modern client, which has no session of its own. */
interface ModernClient extends Occupancy {
  readonly caller: Caller;
}

/** What a request says about its origin. */
interface ModernOrigin {
  /** The network address. */
  readonly address: string;
  /** What the client calls itself. */
  readonly clientName: string;
  /** The authenticated client, where authentication is required. */
  readonly client: string | undefined;
}

/**
 * Gives stateless clients (2026-07-28) the session that the gateway's own state needs: "the authenticated client plus an
 * idle time-out". Such a session has the same id in every process, so it survives restarts and spans replicas.
 *
 * Without authentication a client is identified by its network address and the name that it sends. This is no protection:
 * two clients of one name on one machine share a session, and so do all clients of one name behind a proxy.
 */
export function createModernCallers(settings: GatewayConfig['server'], events: SessionEvents): ModernCallers {
  const clients = new IdleMap<ModernClient>(settings.sessionIdleMs, settings.maxSessions, ({ caller }) =>
    events.ended(caller.sessionId, 'expired'),
  );
  return {
    find({ address, clientName, client }) {
      const key = client === undefined ? `${address} ${clientName}` : `client:${client}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const caller: Caller =
        client === undefined
          ? { sessionId: randomUUID(), clientName, transport: 'http' }
          : { sessionId: key, clientName, client, transport: 'http' };
      const opened = { caller, open: 0, lastUsedAt: Date.now() };
      if (!clients.add(key, opened)) return undefined;
      events.opened(caller.sessionId);
      return opened;
    },
    sweep: (now) => clients.sweep(now),
    endAll() {
      for (const { caller } of clients.values()) {
        if (caller.client === undefined) events.ended(caller.sessionId, 'closed');
      }
      clients.clear();
    },
  };
}

/** A legacy session's GET stream, while there is one. */
class StandaloneStream {
  #response: ServerResponse | undefined;

  /** Attaches an open event stream. A client that opens another stream has lost the first one, which is ended. */
  attach(response: ServerResponse): void {
    this.end();
    this.#response = response;
    response.once('close', () => {
      if (this.#response === response) this.#response = undefined;
    });
  }

  /** Sends a message (JSON text); without a stream it is dropped, as the protocol allows. */
  write(text: string): void {
    this.#response?.write(toSseEvent(text));
  }

  end(): void {
    this.#response?.end();
    this.#response = undefined;
  }
}
