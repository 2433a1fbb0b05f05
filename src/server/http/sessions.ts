import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/call.js';
import type { LogLevel } from '../../protocol/log-message.js';
import type { Authenticated } from '../auth/authenticated.js';
import { CallsInFlight, type Peer } from '../mcp/calls-in-flight.js';
import { type Fullness, IdleMap } from './idle-map.js';
import { type Occupancy, toSseEvent } from './responder.js';
import type { SessionClaim, SessionIds } from './session-ids.js';
import type { SessionRecord, SharedSessions } from './shared-sessions.js';

/** One legacy client between `initialize` and DELETE, or until it has been idle for too long. */
export interface LegacySession extends Occupancy, Required<Omit<Peer, 'caller'>> {
  /** As of the latest request: a client's next token may grant more or less. */
  caller: Caller;
  /** Whose token came with that request; absent where authentication is not required. */
  holder: Authenticated | undefined;
  /** What the client sends as `Mcp-Session-Id`. It is a secret that gives access to the session: never log it. */
  readonly id: string;
  /** Carries the messages that belong to no request. */
  readonly stream: StandaloneStream;
  /** Which of the servers' log messages it has asked for. */
  logLevel?: LogLevel;
}

export interface LegacySessions {
  /** Opens a session, or says what is full. */
  open(client: LegacyClient): LegacySession | Fullness;
  /**
   * Finds a session of this client; another client's id is as unknown as any other. For an id that an earlier process made
   * for this client, a new session begins; a session of another replica goes on here.
   */
  find(id: string, origin: SessionOrigin): FoundSession | Promise<FoundSession>;
  /** Lets other replicas go on with the session; undefined where there is nothing to wait for. Never rejects. */
  share(session: LegacySession): Promise<void> | undefined;
  /** Which of the servers' log messages the client of a session has asked for. */
  noteLogLevel(sessionId: string, level: LogLevel): void;
  /** Ends a session and the calls in flight in it; resolves when no other replica takes it over, where there are some. */
  end(session: LegacySession): Promise<void> | undefined;
  /** Sends a message (JSON text) to every session that listens, or to those of them that are asked for. */
  notify(text: string, isWanted?: (sessionId: string) => boolean): void;
  /** Ends the sessions that have been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void;
  /** Ends every standalone stream; sessions and calls go on. */
  endStreams(): void;
  endAll(): void;
}

/** A session, or what is full, or that there is none. */
export type FoundSession = LegacySession | Fullness | undefined;

interface Sharing {
  /** Absent where there are no replicas. */
  readonly shared: SharedSessions | undefined;
  readonly setLogLevel: (sessionId: string, level: LogLevel) => void;
}

export interface ModernCallers {
  /** The client behind a request, or what is full. */
  find(origin: ModernOrigin): ModernClient | Fullness;
  sweep(now: number): void;
  /** Ends the sessions of unauthenticated clients. Those of authenticated clients outlive this process. */
  endAll(): void;
}

/** Who sends a request, as far as the connection knows. */
export interface SessionOrigin {
  /** The network address. */
  readonly address: string;
  /** Who was authenticated, where authentication is required. */
  readonly client: Authenticated | undefined;
}

/** What `initialize` says about the client. */
interface LegacyClient extends SessionOrigin, Omit<SessionClaim, 'client'> {
  readonly clientName: string;
}

/** What an id and its request say of a session, without what its client has said. */
type ClaimedSession = Omit<LegacyClient, 'clientName'>;

/** Whose share of the sessions a request draws on. */
function ownerOf({ address, client }: SessionOrigin): string {
  return client === undefined ? `address:${address}` : client.owner;
}

/** The explanation of a refusal for want of space. */
export function explainFullness(
  full: Fullness,
  { maxSessions, maxSessionsPerClient }: GatewayConfig['server'],
): string {
  return full === 'owner'
    ? `You have ${Math.min(maxSessionsPerClient, maxSessions)} sessions, as many as one client or address may have. End one with DELETE, or try again later; the operator can raise server.maxSessionsPerClient.`
    : `Every one of ${maxSessions} sessions is in use. Try again later; the operator can raise server.maxSessions.`;
}

export function createLegacySessions(
  settings: GatewayConfig['server'],
  ids: SessionIds,
  events: SessionEvents,
  sharing: Sharing,
): LegacySessions {
  return new StoredSessions(settings, ids, events, sharing);
}

class StoredSessions implements LegacySessions {
  readonly #ids: SessionIds;
  readonly #events: SessionEvents;
  readonly #sharing: Sharing;
  readonly #sessions: IdleMap<LegacySession>;
  /** Ids of earlier processes whose sessions have ended in this one. */
  readonly #ended: RecentIds;
  /** By id: requests of one session that come together wait for one look at its record. */
  readonly #taking = new Map<string, Promise<FoundSession>>();
  #sweptAt = Date.now();

  constructor(settings: GatewayConfig['server'], ids: SessionIds, events: SessionEvents, sharing: Sharing) {
    this.#ids = ids;
    this.#events = events;
    this.#sharing = sharing;
    this.#sessions = new IdleMap(toBounds(settings), (session) => this.#close(session, 'expired'));
    this.#ended = new RecentIds(settings.maxSessions);
  }

  open(client: LegacyClient): LegacySession | Fullness {
    return this.#begin(this.#ids.create({ ...client, client: client.client?.key }), client);
  }

  find(id: string, origin: SessionOrigin): FoundSession | Promise<FoundSession> {
    const session = this.#sessions.get(id);
    if (session !== undefined) return forToken(session, origin);
    const { shared } = this.#sharing;
    const { client } = origin;
    const claim = shared && client && this.#ids.readShared(id, client.key);
    if (shared === undefined || claim === undefined) return this.#resume(id, origin);
    const taking = this.#taking.get(id) ?? this.#takeOver(id, { ...claim, ...origin }, shared);
    this.#taking.set(id, taking);
    return taking.then((found) => (typeof found === 'object' ? forToken(found, origin) : found));
  }

  share(session: LegacySession): Promise<void> | undefined {
    const { caller, holder, logLevel } = session;
    if (holder === undefined) return undefined;
    const { clientName, sessionId } = caller;
    return this.#sharing.shared?.keep(sessionId, holder.owner, { clientName, ...(logLevel && { logLevel }) });
  }

  noteLogLevel(sessionId: string, level: LogLevel): void {
    for (const session of this.#sessions.values()) {
      if (session.caller.sessionId !== sessionId || session.logLevel === level) continue;
      session.logLevel = level;
      void this.share(session);
    }
  }

  end(session: LegacySession): Promise<void> | undefined {
    if (!this.#sessions.remove(session.id)) return undefined;
    this.#finish(session, 'closed', false);
    return session.holder && this.#sharing.shared?.forget(session.caller.sessionId);
  }

  notify(text: string, isWanted: (sessionId: string) => boolean = () => true): void {
    for (const { stream, caller } of this.#sessions.values()) if (isWanted(caller.sessionId)) stream.write(text);
  }

  sweep(now: number): void {
    this.#sessions.sweep(now);
    const { shared } = this.#sharing;
    if (shared === undefined) return;
    for (const { caller, open, lastUsedAt, holder } of this.#sessions.values()) {
      if (holder !== undefined && (open > 0 || lastUsedAt >= this.#sweptAt)) shared.renew(caller.sessionId);
    }
    this.#sweptAt = now;
  }

  endStreams(): void {
    for (const { stream } of this.#sessions.values()) stream.end();
  }

  endAll(): void {
    for (const session of [...this.#sessions.values()]) {
      if (this.#sessions.remove(session.id)) this.#close(session, 'closed');
    }
  }

  #begin(id: string, client: LegacyClient): LegacySession | Fullness {
    const session = createSession(id, client);
    const full = this.#sessions.add(id, session, ownerOf(client), session.lastUsedAt);
    if (full !== undefined) return full;
    this.#events.opened(session.caller.sessionId);
    return session;
  }

  #resume(id: string, origin: SessionOrigin): FoundSession {
    const claim = this.#ended.has(id) ? undefined : this.#ids.readEarlier(id, origin.client?.key);
    return claim && this.#begin(id, { ...claim, ...origin, clientName: UNNAMED });
  }

  async #takeOver(id: string, claimed: ClaimedSession, shared: SharedSessions): Promise<FoundSession> {
    try {
      const record = await shared.find(sessionIdOf(id));
      if (record === 'ended' || this.#ended.has(id)) return undefined;
      // While the store cannot say, the signature must do, as it does after a restart.
      return this.#goOn(id, claimed, record === 'unknown' ? { clientName: UNNAMED } : record);
    } finally {
      this.#taking.delete(id);
    }
  }

  #goOn(id: string, claimed: ClaimedSession, { clientName, logLevel }: SessionRecord): FoundSession {
    const session = this.#begin(id, { ...claimed, clientName });
    if (typeof session === 'string' || logLevel === undefined) return session;
    session.logLevel = logLevel;
    this.#sharing.setLogLevel(session.caller.sessionId, logLevel);
    return session;
  }

  /** What is not used here may be used in another replica: what belongs to it in the store stays. */
  #close(session: LegacySession, how: 'closed' | 'expired'): void {
    this.#finish(session, how, this.#sharing.shared !== undefined && session.holder !== undefined);
  }

  #finish({ id, caller, calls, stream }: LegacySession, how: 'closed' | 'expired', goesOn: boolean): void {
    if (!goesOn) this.#ended.add(id);
    calls.interruptAll('the session has ended');
    stream.end();
    this.#events.ended(caller.sessionId, how, goesOn);
  }
}

/** The session as this token may use it; undefined for a token of someone else. */
function forToken(session: LegacySession, { client }: SessionOrigin): LegacySession | undefined {
  if (session.holder === client) return session;
  if (session.holder?.key !== client?.key) return undefined;
  // Another token of the same client and user, which may grant more or less.
  session.holder = client;
  session.caller = { ...anyoneIn(session.caller), ...client?.identity };
  return session;
}

/** A client that has not said its name. */
export const UNNAMED = 'unnamed client';

function toBounds({ sessionIdleMs, maxSessions, maxSessionsPerClient }: GatewayConfig['server']) {
  return { idleMs: sessionIdleMs, max: maxSessions, maxPerOwner: maxSessionsPerClient };
}

/** The latest of the ids that were added. */
class RecentIds {
  readonly #ids = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= this.#max) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }
}

/** An authenticated client's session has one id in every process. */
function createSession(
  id: string,
  { clientName, address, client, abilities, structured }: LegacyClient,
): LegacySession {
  const sessionId = client === undefined ? randomUUID() : sessionIdOf(id);
  const caller: Caller = { sessionId, clientName, transport: 'http', peer: address, ...client?.identity };
  const [calls, stream] = [new CallsInFlight(), new StandaloneStream()];
  return { id, holder: client, caller, calls, abilities, structured, stream, open: 0, lastUsedAt: Date.now() };
}

/** The id on the wire and the one in logs differ, so that a log gives no access to sessions. */
function sessionIdOf(id: string): string {
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(createHash('sha256').update(id).digest('hex')) ?? [];
  return parts.join('-');
}

/** A caller without what its token said of it. */
function anyoneIn({ sessionId, clientName, transport, peer }: Caller): Caller {
  return { sessionId, clientName, transport, ...(peer === undefined ? {} : { peer }) };
}

/** Called once for each session when it begins and once when it ends. */
interface SessionEvents {
  opened(sessionId: string): void;
  /** @param goesOn whether another process may go on with it */
  ended(sessionId: string, how: 'closed' | 'expired', goesOn: boolean): void;
}

/** Reports both events to the observer, and the end to those that hold state of sessions. */
export function createSessionEvents(
  holders: readonly Pick<Gateway, 'endSession'>[],
  gateway: Pick<Gateway, 'endSession' | 'leaveSession'>,
  observe: Observer,
): SessionEvents {
  return {
    opened: (sessionId) => observe({ kind: 'session', sessionId, event: 'opened' }),
    ended(sessionId, event, goesOn) {
      observe({ kind: 'session', sessionId, event });
      for (const holder of holders) holder.endSession(sessionId);
      if (goesOn) gateway.leaveSession(sessionId);
      else gateway.endSession(sessionId);
    },
  };
}

/** A modern client, which has no session of its own. */
interface ModernClient extends Occupancy {
  /** As of the latest request. */
  caller: Caller;
  holder: Authenticated | undefined;
}

/** What a request says about its origin. */
interface ModernOrigin extends SessionOrigin {
  /** What the client calls itself. */
  readonly clientName: string;
}

/**
 * Gives stateless clients (2026-07-28) the session that the gateway's own state needs: "the authenticated client plus an
 * idle time-out". Such a session has the same id in every process, so it survives restarts and spans replicas.
 *
 * Without authentication a client is identified by its network address and the name that it sends. This is no protection:
 * two clients of one name on one machine share a session, and so do all clients of one name behind a proxy.
 *
 * @param view of which they are: a client has another session in each
 * @param isShared whether other replicas have the session of an authenticated client too
 */
export function createModernCallers(
  settings: GatewayConfig['server'],
  events: SessionEvents,
  { view, isShared }: { readonly view?: string | undefined; readonly isShared: boolean },
): ModernCallers {
  const clients = new IdleMap<ModernClient>(toBounds(settings), ({ caller, holder }) =>
    events.ended(caller.sessionId, 'expired', isShared && holder !== undefined),
  );
  return {
    find({ address, clientName, client }) {
      const whose = client === undefined ? `${address} ${clientName}` : client.session;
      const key = view === undefined ? whose : `${whose} view:${view}`;
      const known = clients.get(key);
      if (known !== undefined) {
        if (known.holder === client) return known;
        known.holder = client;
        known.caller = { ...anyoneIn(known.caller), ...client?.identity };
        return known;
      }
      const sessionId = client === undefined ? randomUUID() : key;
      const caller: Caller = { sessionId, clientName, transport: 'http', peer: address, ...client?.identity };
      const opened = { caller, holder: client, open: 0, lastUsedAt: Date.now() };
      const full = clients.add(key, opened, ownerOf({ address, client }), opened.lastUsedAt);
      if (full !== undefined) return full;
      events.opened(caller.sessionId);
      return opened;
    },
    sweep: (now) => clients.sweep(now),
    endAll() {
      for (const { caller, holder } of clients.values()) {
        if (holder === undefined) events.ended(caller.sessionId, 'closed', false);
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
