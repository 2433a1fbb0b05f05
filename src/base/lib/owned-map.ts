import { getOrMake } from './collections.js';

/**
 * Whose something is that a server has said: of everybody who sees the same of it (`undefined`), or of the owner of a connection, who alone
 * is shown it. See docs/adr/0069-what-a-connection-says-belongs-to-its-owner.md.
 */
export type Owner = string | undefined;

/** A server, and whose it is what it has said. */
export interface Whose {
  readonly upstream: string;
  readonly owner: Owner;
}

/** Owners of whom something is kept for one server; the one who was new longest ago is forgotten, and then asked for anew. */
const MOST_OWNERS = 1_000;

/** What is kept of servers, which nobody can ask for without saying whose it is. */
export class OwnedMap<Value> {
  readonly #servers = new Map<string, Map<Owner, Value>>();

  get({ upstream, owner }: Whose): Value | undefined {
    return this.#servers.get(upstream)?.get(owner);
  }

  set({ upstream, owner }: Whose, value: Value): void {
    const owned = getOrMake(this.#servers, upstream, () => new Map<Owner, Value>());
    owned.set(owner, value);
    if (owned.size <= MOST_OWNERS) return;
    for (const oldest of owned.keys()) {
      if (oldest === undefined) continue;
      owned.delete(oldest);
      return;
    }
  }

  delete({ upstream, owner }: Whose): void {
    this.#servers.get(upstream)?.delete(owner);
  }

  /** What is kept of a server, of everybody who has something there. */
  ofServer(upstream: string): ReadonlyMap<Owner, Value> {
    return this.#servers.get(upstream) ?? new Map();
  }

  /** A server is not what it was, for anybody. */
  deleteServer(upstream: string): void {
    this.#servers.delete(upstream);
  }
}
