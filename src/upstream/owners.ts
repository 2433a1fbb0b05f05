import { getOrMake, RecentMap } from '../base/lib/collections.js';
import { type Caller, principalOf } from '../base/protocol/caller.js';
import type { IsolationMode, StateLoss, Upstream } from './upstream.js';

/** The owner of the connection for requests that belong to no caller, such as reading lists. */
export const OWN_REQUESTS = 'gateway';

/** Whose connection a call takes. A client that did not authenticate is its session. */
export function ownerOf(caller: Caller, mode: Exclude<IsolationMode, 'shared'>): string {
  const principal = mode === 'client' ? principalOf(caller) : undefined;
  return principal === undefined ? sessionOwner(caller.sessionId) : `${principal.kind} ${principal.name}`;
}

export function sessionOwner(sessionId: string): string {
  return `session ${sessionId}`;
}

/** Owners that are remembered when their connection was ended for being idle. */
const MOST_LAPSED = 10_000;

interface CountsLosses {
  readonly losses: number;
}

/** What becomes of the state that owners had on connections of their own; each is told once. */
export class StateLosses {
  /** The owners whose connection was ended before they were, and why. */
  readonly #lapsed = new RecentMap<string, StateLoss>(MOST_LAPSED);
  /** How often a connection had been lost when its owner called last. */
  readonly #seen = new WeakMap<CountsLosses, number>();

  note(owner: string, why: StateLoss): void {
    this.#lapsed.set(owner, why);
  }

  forget(owner: string): void {
    this.#lapsed.take(owner);
  }

  /** Why the owner finds another state than it left; undefined where it does not, and for what it has been told. */
  find(owner: string, upstream: CountsLosses): StateLoss | undefined {
    const lapsed = this.#lapsed.take(owner);
    const seen = this.#seen.get(upstream);
    const { losses } = upstream;
    this.#seen.set(upstream, losses);
    return lapsed ?? (seen !== undefined && losses > seen ? 'restarted' : undefined);
  }
}

/** A connection that is in use until `leave`. */
export interface Entered<Connected extends Pick<Upstream, 'watchResource'>> {
  readonly upstream: Connected;
  leave(): void;
}

type Watching = Entered<Pick<Upstream, 'watchResource'>>;

/** A resource of which the server should tell changes. */
export interface WatchedResource {
  readonly uri: string;
  /** Whose it is, where callers have resources of their own. */
  readonly owner?: string;
}

/**
 * The resources that owners of connections of their own watch. Each keeps its connection in use: one that tells of changes is not
 * idle, however long its owner sends no call.
 */
export class OwnedWatches {
  /** By owner: its watches by URI. */
  readonly #watches = new Map<string, Map<string, Watching>>();

  all(): readonly WatchedResource[] {
    return [...this.#watches].flatMap(([owner, own]) => [...own.keys()].map((uri) => ({ uri, owner })));
  }

  /** @param enter takes the owner's connection into use */
  async begin(owner: string, uri: string, enter: () => Promise<Watching>): Promise<void> {
    if (this.#watches.get(owner)?.has(uri) === true) return;
    const entered = await enter();
    try {
      await entered.upstream.watchResource(uri, true);
    } catch (error) {
      entered.leave();
      throw error;
    }
    const own = getOrMake(this.#watches, owner, () => new Map<string, Watching>());
    // Two that begin at once are one watch.
    if (own.has(uri)) entered.leave();
    else own.set(uri, entered);
  }

  async end(owner: string, uri: string): Promise<void> {
    const own = this.#watches.get(owner);
    const entered = own?.get(uri);
    if (own === undefined || entered === undefined) return;
    own.delete(uri);
    if (own.size === 0) this.#watches.delete(owner);
    try {
      await entered.upstream.watchResource(uri, false);
    } finally {
      entered.leave();
    }
  }
}
