import type { Caller } from '../../protocol/caller.js';
import type { CallsInFlight } from './calls-in-flight.js';

/** Whom a request came from, as far as its connection or session knows. */
export interface Peer {
  readonly caller: Caller;
  /** Where its unanswered requests can be found by id; absent where only a disconnect cancels. */
  readonly calls?: CallsInFlight;
  /** Whether its client has declared that it asks its user when a request of ours says so (protocol up to 2025-11-25). */
  readonly elicits?: boolean;
}
