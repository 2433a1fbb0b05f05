import { randomUUID } from 'node:crypto';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/caller.js';
import type { Seat } from './http-exchange.js';
import { IdleMap } from './idle-map.js';

/** Names come from clients and are kept as long as the client is: not at any length. */
const MAX_NAME_LENGTH = 100;

/** A modern client, which has no session of its own. */
export interface ModernClient extends Seat {
  readonly caller: Caller;
}

export interface ModernCallers {
  /** The client behind a request; undefined when there are too many and all are in use. */
  find(address: string, clientName: string): ModernClient | undefined;
  sweep(now: number): void;
}

/**
 * Gives stateless clients (2026-07-28) the session that the gateway's own state needs: "the authenticated client plus an
 * idle time-out". Without authentication a client is its network address and the name it gives itself. That keeps apart
 * what is honest and no more: two clients of one name on one machine share a session, and behind a proxy whole networks do.
 */
export function createModernCallers(settings: GatewayConfig['server'], observe: Observer): ModernCallers {
  const clients = new IdleMap<ModernClient>(settings.sessionIdleMs, settings.maxSessions, ({ caller }) =>
    observe({ kind: 'session', sessionId: caller.sessionId, event: 'expired' }),
  );
  return {
    find(address, givenName) {
      const clientName = givenName.slice(0, MAX_NAME_LENGTH);
      const key = `${address} ${clientName}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const caller: Caller = { sessionId: randomUUID(), clientName, transport: 'http' };
      const client = { caller, open: 0, lastUsedAt: Date.now() };
      if (!clients.add(key, client)) return undefined;
      observe({ kind: 'session', sessionId: caller.sessionId, event: 'opened' });
      return client;
    },
    sweep: (now) => clients.sweep(now),
  };
}
