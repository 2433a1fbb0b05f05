import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/call.js';
import type { Authenticated } from '../auth/authenticated.js';
import { CallsInFlight, type Peer } from '../mcp/calls-in-flight.js';
import { type Occupancy, toSseEvent } from './responder.js';
import type { SessionClaim, SessionIds } from './session-ids.js';

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
}

export interface LegacySessions {
  /** Opens a session, or says what is full. */
  open(client: LegacyClient): LegacySession | Fullness;
  /**
   * Finds a session of this client; another client's id is as unknown as any other. For an id that an earlier process made
   * for this client, a new session begins.
   */
  find(id: string, origin: SessionOrigin): LegacySession | Fullness | undefined;
  /** Ends a session and the calls in flight in it. */
  end(session: LegacySession): void;
  /** Sends a message (JSON text) to every session that listens, or to those of them that are asked for. */
  notify(text: string, isWanted?: (sessionId: string) => boolean): void;
  /** Ends the sessions that have been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void;
  /** Ends every standalone stream; sessions and calls go on. */
  endStreams(): void;
  endAll(): void;
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
): LegacySessions {
  const closeSession = ({ caller, calls, stream }: LegacySession, how: 'closed' | 'expired'): void => {
    calls.interruptAll('the session has ended');
    stream.end();
    events.ended(caller.sessionId, how);
  };
  const sessions = new IdleMap<LegacySession>(toBounds(settings), (session) => {
    ended.add(session.id);
    closeSession(session, 'expired');
  });
  // Ids of earlier processes whose sessions have ended in this one.
  const ended = new RecentIds(settings.maxSessions);
  const end = (session: LegacySession): void => {
    if (!sessions.remove(session.id)) return;
    ended.add(session.id);
    closeSession(session, 'closed');
  };
  const begin = (id: string, client: LegacyClient): LegacySession | Fullness => {
    const session = createSession(id, client);
    const full = sessions.add(id, session, ownerOf(client), session.lastUsedAt);
    if (full !== undefined) return full;
    events.opened(session.caller.sessionId);
    return session;
  };
  const resume = (id: string, origin: SessionOrigin): LegacySession | Fullness | undefined => {
    const claim: SessionClaim | undefined = ended.has(id) ? undefined : ids.readEarlier(id, origin.client?.key);
    return claim && begin(id, { ...claim, ...origin, clientName: UNNAMED });
  };

  return {
    open: (client) => begin(ids.create({ ...client, client: client.client?.key }), client),
    find(id, origin) {
      const session = sessions.get(id);
      if (session === undefined) return resume(id, origin);
      if (session.holder === origin.client) return session;
      if (session.holder?.key !== origin.client?.key) return undefined;
      // Another token of the same client and user, which may grant more or less.
      session.holder = origin.client;
      session.caller = { ...anyoneIn(session.caller), ...origin.client?.identity };
      return session;
    },
    end,
    notify(text, isWanted = () => true) {
      for (const { stream, caller } of sessions.values()) if (isWanted(caller.sessionId)) stream.write(text);
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

/** The id on the wire and the one in logs differ, so that a log gives no access to sessions. */
function createSession(
  id: string,
  { clientName, address, client, abilities, structured }: LegacyClient,
): LegacySession {
  const caller: Caller = { sessionId: randomUUID(), clientName, transport: 'http', peer: address, ...client?.identity };
  const [calls, stream] = [new CallsInFlight(), new StandaloneStream()];
  return { id, holder: client, caller, calls, abilities, structured, stream, open: 0, lastUsedAt: Date.now() };
}

/** A caller without what its token said of it. */
function anyoneIn({ sessionId, clientName, transport, peer }: Caller): Caller {
  return { sessionId, clientName, transport, ...(peer === undefined ? {} : { peer }) };
}

/** Called once for each session when it begins and once when it ends. */
interface SessionEvents {
  opened(sessionId: string): void;
  ended(sessionId: string, how: 'closed' | 'expired'): void;
}

/** Reports both events to the observer, and the end to those that hold state of sessions. */
export function createSessionEvents(holders: readonly Pick<Gateway, 'endSession'>[], observe: Observer): SessionEvents {
  return {
    opened: (sessionId) => observe({ kind: 'session', sessionId, event: 'opened' }),
    ended(sessionId, event) {
      observe({ kind: 'session', sessionId, event });
      for (const holder of holders) holder.endSession(sessionId);
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
 */
export function createModernCallers(
  settings: GatewayConfig['server'],
  events: SessionEvents,
  view?: string,
): ModernCallers {
  const clients = new IdleMap<ModernClient>(toBounds(settings), ({ caller }) =>
    events.ended(caller.sessionId, 'expired'),
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
        if (holder === undefined) events.ended(caller.sessionId, 'closed');
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

/** How many values there may be, and how long an unused one stays. */
interface IdleMapBounds {
  /** A value that is unused for so long is dropped. */
  readonly idleMs: number;
  readonly max: number;
  /** Of one owner. */
  readonly maxPerOwner: number;
}

/** What was added to a full map: `owner` where its own share is used up, `all` where the whole map is. */
export type Fullness = 'owner' | 'all';

/** A value that has been used within this time is never dropped for another. */
const IN_USE_MS = 60_000;

interface Entry<Value> {
  readonly value: Value;
  readonly owner: string;
}

/**
 * Values that are dropped after an idle time. Each belongs to an owner: an authenticated client or a network address. A full
 * map drops a value that was unused for a minute, and only one of the new value's owner or of an owner that has at least as
 * many: who opens many loses their own, not those of others.
 */
export class IdleMap<Value extends Occupancy> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #counts = new Map<string, number>();
  readonly #bounds: IdleMapBounds;
  readonly #onExpired: (value: Value) => void;

  /** @param onExpired called with each value that was dropped for being idle. */
  constructor(bounds: IdleMapBounds, onExpired: (value: Value) => void) {
    this.#bounds = bounds;
    this.#onExpired = onExpired;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  *values(): IterableIterator<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** Adds a value. Says what is full where it cannot be added. `now` in milliseconds since the epoch. */
  add(key: string, value: Value, owner: string, now: number): Fullness | undefined {
    const { max, maxPerOwner } = this.#bounds;
    const own = this.#counts.get(owner) ?? 0;
    const full = own >= maxPerOwner ? 'owner' : this.#entries.size >= max ? 'all' : undefined;
    if (full !== undefined && !this.#makeSpace(full === 'owner' ? owner : undefined, own, now)) return full;
    this.#entries.set(key, { value, owner });
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1);
    return undefined;
  }

  /** Takes a value out; false when it is not there. */
  remove(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    const count = (this.#counts.get(entry.owner) ?? 1) - 1;
    if (count === 0) this.#counts.delete(entry.owner);
    else this.#counts.set(entry.owner, count);
    return true;
  }

  /** Takes everything out. */
  clear(): void {
    this.#entries.clear();
    this.#counts.clear();
  }

  /** Drops everything that has been idle for too long. `now` in milliseconds since the epoch. */
  sweep(now: number): void {
    for (const [key, { value }] of this.#entries) {
      if (value.open === 0 && now - value.lastUsedAt >= this.#bounds.idleMs) this.#drop(key, value);
    }
  }

  /**
   * Drops one unused value: of those whose owner has most, the one unused for longest.
   * @param owner whose value it must be; anybody's with at least `least` values where left out.
   */
  #makeSpace(owner: string | undefined, least: number, now: number): boolean {
    let best: { readonly key: string; readonly value: Value; readonly count: number } | undefined;
    for (const [key, entry] of this.#entries) {
      const { value } = entry;
      if (value.open > 0 || now - value.lastUsedAt < IN_USE_MS || (owner !== undefined && entry.owner !== owner))
        continue;
      const count = this.#counts.get(entry.owner) ?? 0;
      if (count < least || (best !== undefined && !isBetter(count, value, best))) continue;
      best = { key, value, count };
    }
    if (best === undefined) return false;
    this.#drop(best.key, best.value);
    return true;
  }

  #drop(key: string, value: Value): void {
    this.remove(key);
    this.#onExpired(value);
  }
}

function isBetter(
  count: number,
  value: Occupancy,
  best: { readonly value: Occupancy; readonly count: number },
): boolean {
  return count === best.count ? value.lastUsedAt < best.value.lastUsedAt : count > best.count;
}
