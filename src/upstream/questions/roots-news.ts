import type { JSONRPCNotification } from '@modelcontextprotocol/client';
import { RecentMap } from '../../lib/recent-map.js';
import type { AskChannel } from '../../protocol/ask.js';

/** Sessions whose news is remembered; one that is forgotten is told of again, which costs the server one question. */
const MOST_SESSIONS = 1_000;

const ROOTS_CHANGED: JSONRPCNotification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };

/**
 * What one connection has said of changed roots. A server of the older era learns of them with the client's next call, as that is when it can
 * ask for them: between two calls there is no request that its question would belong to.
 */
export class RootsNews {
  /** By session: how often its roots had changed when the server was told last. */
  readonly #told = new RecentMap<string, number>(MOST_SESSIONS);

  /** What the server should learn before a call of a client that has roots; undefined for most calls. */
  before({ rootsChanges: changes = 0, caller: { sessionId } }: AskChannel): JSONRPCNotification | undefined {
    if (changes === 0) return undefined;
    if (this.#told.get(sessionId) === changes) return undefined;
    this.#told.set(sessionId, changes);
    return ROOTS_CHANGED;
  }
}
