import { randomUUID } from 'node:crypto';
import type { Caller } from '../../base/protocol/call.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Authenticated } from '../auth/authenticated.js';
import { type Fullness, IdleMap, toBounds } from './idle-map.js';
import type { Occupancy } from './responder.js';
import { anyoneIn, ownerOf, type SessionEvents, type SessionOrigin } from './sessions.js';

export interface ModernCallers {
  /** The client behind a request, or what is full. */
  find(origin: ModernOrigin): ModernClient | Fullness;
  all(): Iterable<ModernClient>;
  /** Forgets a client and frees what belongs to it: its next request begins anew. False where there is none. */
  end(sessionId: string): boolean;
  sweep(now: number): void;
  /** Ends the sessions of unauthenticated clients. Those of authenticated clients outlive this process. */
  endAll(): void;
}

/** A modern client, which has no session of its own. */
interface ModernClient extends Occupancy {
  /** As of the latest request. */
  caller: Caller;
  holder: Authenticated | undefined;
  /** By which it is found. */
  readonly key: string;
  /** In milliseconds since the epoch. */
  readonly openedAt: number;
  /** Whether it has made a second request. Whoever sends another name with each request makes none. */
  hasReturned: boolean;
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
 * two clients of one name on one machine share a session, and so do all clients of one name behind a proxy. Where an address has as many
 * names as it may have, a new one takes the place of one that was never used again.
 *
 * @param view of which they are: a client has another session in each
 * @param isShared whether other replicas have the session of an authenticated client too
 */
export function createModernCallers(
  settings: GatewayConfig['server'],
  events: SessionEvents,
  { view, isShared }: { readonly view?: string | undefined; readonly isShared: boolean },
): ModernCallers {
  const clients = new IdleMap<ModernClient>(
    toBounds(settings),
    ({ caller, holder }) => events.ended(caller.sessionId, 'expired', isShared && holder !== undefined),
    ({ hasReturned }) => !hasReturned,
  );
  return {
    find({ address, clientName, client }) {
      const whose = client === undefined ? `${address} ${clientName}` : client.session;
      const key = view === undefined ? whose : `${whose} view:${view}`;
      const known = clients.get(key);
      if (known !== undefined) {
        known.hasReturned = true;
        if (known.holder === client) return known;
        known.holder = client;
        known.caller = { ...anyoneIn(known.caller), ...client?.identity };
        return known;
      }
      const sessionId = client === undefined ? randomUUID() : key;
      const caller: Caller = {
        sessionId,
        clientName,
        transport: 'http',
        era: 'modern',
        peer: address,
        requestId: undefined,
        ...client?.identity,
      };
      const now = Date.now();
      const opened = { key, caller, holder: client, open: 0, openedAt: now, lastUsedAt: now, hasReturned: false };
      const full = clients.add(key, opened, ownerOf({ address, client }), opened.lastUsedAt);
      if (full !== undefined) return full;
      events.opened(caller.sessionId);
      return opened;
    },
    all: () => clients.values(),
    end(sessionId) {
      const client = [...clients.values()].find(({ caller }) => caller.sessionId === sessionId);
      if (client === undefined || !clients.remove(client.key)) return false;
      events.ended(sessionId, 'closed', false);
      return true;
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
