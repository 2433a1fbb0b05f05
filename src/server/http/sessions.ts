import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { networkOf } from '../../base/lib/network-of.js';
import type { Observer } from '../../base/observe/observation.js';
import type { Caller } from '../../base/protocol/call.js';
import type { LogLevel } from '../../base/protocol/log-message.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Authenticated } from '../auth/authenticated.js';
import { CallsInFlight, type Peer } from '../mcp/calls-in-flight.js';
import { type Fullness, IdleMap, toBounds } from './idle-map.js';
import { type Occupancy, toSseEvent } from './responder.js';
import type { SessionClaim, SessionIds } from './session-ids.js';
import type { SessionRecord, SharedSessions } from './shared-sessions.js';

/** One legacy client between `initialize` and DELETE, or until it has been idle for too long. */
export interface LegacySession extends Occupancy, Required<Omit<Peer, 'caller'>> {
  /** As of the latest request: a client's next token may grant more or less. */
  caller: Caller;
  /** Whose token came with that request; absent where authentication is not required. */
  holder: Authenticated | undefined;
  /** In milliseconds since the epoch. */
  readonly openedAt: number;
  /** What the client sends as `Mcp-Session-Id`. It is a secret that gives access to the session: never log it. */
  readonly id: string;
  /** Carries the messages that belong to no request. */
  readonly stream: StandaloneStream;
  /** Which of the servers' log messages it has asked for. */
  logLevel?: LogLevel;
}

export interface LegacySessions {
  all(): Iterable<LegacySession>;
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
  notify(text: string, isWanted?: (caller: Caller) => boolean): void;
  /** Ends the sessions that have been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void;
  /** Ends every standalone stream, or those of these clients; sessions and calls go on. */
  endStreams(isOf?: (client: Authenticated | undefined) => boolean): void;
  endAll(): void;
}

/** A session, or what is full, or that there is none. */
export type FoundSession = LegacySession | Fullness | undefined;

interface Sharing {
  /** Absent where there are no replicas. */
  readonly shared: SharedSessions | undefined;
  readonly setLogLevel: (sessionId: string, level: LogLevel) => void;
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
export function ownerOf({ address, client }: SessionOrigin): string {
  return client === undefined ? `address:${networkOf(address)}` : client.owner;
}

export function createLegacySessions(
  settings: GatewayConfig['server'],
  ids: SessionIds,
  events: SessionEvents,
  sharing: Sharing,
): LegacySessions {
  return new StoredSessions(settings, ids, events, sharing);
}

/** For so long a session that its client has ended in another replica goes on in this one. */
const LOOK_MS = 1_000;

class StoredSessions implements LegacySessions {
  readonly #ids: SessionIds;
  readonly #events: SessionEvents;
  readonly #sharing: Sharing;
  readonly #sessions: IdleMap<LegacySession>;
  /** Ids of earlier processes whose sessions have ended in this one. */
  readonly #ended: RecentIds;
  /** By id: requests of one session that come together wait for one look at its record. */
  readonly #taking = new Map<string, Promise<FoundSession>>();
  /** When it was asked whether another replica has ended a session, by its id in logs. */
  readonly #lookedAt = new Map<string, number>();
  #sweptAt = Date.now();

  constructor(settings: GatewayConfig['server'], ids: SessionIds, events: SessionEvents, sharing: Sharing) {
    this.#ids = ids;
    this.#events = events;
    this.#sharing = sharing;
    this.#sessions = new IdleMap(toBounds(settings), (session) => this.#close(session, 'expired'));
    this.#ended = new RecentIds(settings.maxSessions);
  }

  all(): Iterable<LegacySession> {
    return this.#sessions.values();
  }

  open(client: LegacyClient): LegacySession | Fullness {
    return this.#begin(this.#ids.create({ ...client, client: client.client?.key }), client);
  }

  find(id: string, origin: SessionOrigin): FoundSession | Promise<FoundSession> {
    const session = this.#sessions.get(id);
    const { shared } = this.#sharing;
    if (session !== undefined) {
      if (shared === undefined || !this.#isDue(session)) return forToken(session, origin);
      return this.#endWhereEnded(session, shared).then((hasEnded) =>
        hasEnded ? undefined : forToken(session, origin),
      );
    }
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
    return session.holder && this.#sharing.shared?.end(session.caller.sessionId, session.holder.owner);
  }

  notify(text: string, isWanted: (caller: Caller) => boolean = () => true): void {
    for (const { stream, caller } of this.#sessions.values()) if (isWanted(caller)) stream.write(text);
  }

  sweep(now: number): void {
    this.#sessions.sweep(now);
    const { shared } = this.#sharing;
    if (shared === undefined) return;
    for (const { caller, open, lastUsedAt, holder } of this.#sessions.values()) {
      if (holder !== undefined && (open > 0 || lastUsedAt >= this.#sweptAt)) shared.renew(caller.sessionId);
    }
    this.#sweptAt = now;
    void this.#endIdle(shared);
  }

  endStreams(isOf: (client: Authenticated | undefined) => boolean = () => true): void {
    for (const { stream, holder } of this.#sessions.values()) if (isOf(holder)) stream.end();
  }

  endAll(): void {
    for (const session of [...this.#sessions.values()]) {
      if (this.#sessions.remove(session.id)) this.#close(session, 'closed');
    }
  }

  /** Whether the session may have been ended in another replica since it was last asked for; notes that it is asked for now. */
  #isDue({ caller: { sessionId }, holder }: LegacySession): boolean {
    const now = Date.now();
    if (holder === undefined || now - (this.#lookedAt.get(sessionId) ?? 0) < LOOK_MS) return false;
    this.#lookedAt.set(sessionId, now);
    return true;
  }

  /** A client that has ended its session elsewhere does not come back: what the session has here ends too. */
  async #endIdle(shared: SharedSessions): Promise<void> {
    for (const session of [...this.#sessions.values()])
      if (session.open === 0 && this.#isDue(session)) await this.#endWhereEnded(session, shared);
  }

  async #endWhereEnded(session: LegacySession, shared: SharedSessions): Promise<boolean> {
    if (!(await shared.hasEnded(session.caller.sessionId))) return false;
    if (this.#sessions.remove(session.id)) this.#finish(session, 'closed', false);
    return true;
  }

  #begin(id: string, client: LegacyClient): LegacySession | Fullness {
    const session = createSession(id, client);
    const full = this.#sessions.add(id, session, ownerOf(client), session.lastUsedAt);
    if (full !== undefined) return full;
    this.#lookedAt.set(session.caller.sessionId, session.lastUsedAt);
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
    this.#lookedAt.delete(caller.sessionId);
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
  const { identity } = client ?? {};
  const origin = { transport: 'http', era: 'legacy', peer: address } as const;
  const caller: Caller = { sessionId, clientName, ...origin, requestId: undefined, ...identity };
  const [calls, stream] = [new CallsInFlight(), new StandaloneStream()];
  const now = Date.now();
  return { id, holder: client, caller, calls, abilities, structured, stream, open: 0, openedAt: now, lastUsedAt: now };
}

/** The id on the wire and the one in logs differ, so that a log gives no access to sessions. */
function sessionIdOf(id: string): string {
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(createHash('sha256').update(id).digest('hex')) ?? [];
  return parts.join('-');
}

/** A caller without what its token said of it. */
export function anyoneIn({ sessionId, clientName, transport, era, peer }: Caller): Caller {
  return {
    sessionId,
    clientName,
    transport,
    ...(era === undefined ? {} : { era }),
    ...(peer === undefined ? {} : { peer }),
    requestId: undefined,
  };
}

/** Called once for each session when it begins and once when it ends. */
export interface SessionEvents {
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
