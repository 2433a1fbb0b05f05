import { randomUUID } from 'node:crypto';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Caller } from '../../protocol/caller.js';
import type { Seat } from './http-exchange.js';
import { IdleMap } from './idle-map.js';
import type { SessionEvents } from './session-events.js';

/** Names come from clients and are kept as long as the client is: not at any length. */
const MAX_NAME_LENGTH = 100;

/** A modern client, which has no session of its own. */
export interface ModernClient extends Seat {
  readonly caller: Caller;
}

/** What a request says of where it came from. */
export interface ModernOrigin {
  /** The network address. */
  readonly address: string;
  /** What the client calls itself. */
  readonly clientName: string;
  /** Who has authenticated, where clients must. */
  readonly client: string | undefined;
}

export interface ModernCallers {
  /** The client behind a request; undefined when there are too many and all are in use. */
  find(origin: ModernOrigin): ModernClient | undefined;
  sweep(now: number): void;
  /** Ends the sessions that nobody can come back to. One of an authenticated client outlives this process. */
  endAll(): void;
}

/**
 * Gives stateless clients (2026-07-28) the session that the gateway's own state needs: "the authenticated client plus an
 * idle time-out". Such a session has the same id in every process, so that it survives restarts and spans replicas.
 *
 * Without authentication a client is its network address and the name it gives itself. That keeps apart what is honest and
 * no more: two clients of one name on one machine share a session, and behind a proxy whole networks do.
 */
export function createModernCallers(settings: GatewayConfig['server'], events: SessionEvents): ModernCallers {
  const clients = new IdleMap<ModernClient>(settings.sessionIdleMs, settings.maxSessions, ({ caller }) =>
    events.ended(caller.sessionId, 'expired'),
  );
  return {
    find({ address, clientName: givenName, client }) {
      const clientName = givenName.slice(0, MAX_NAME_LENGTH);
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
