import type { Upstream } from './upstream.js';

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
    const own = this.#watches.get(owner) ?? new Map<string, Watching>();
    this.#watches.set(owner, own);
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
