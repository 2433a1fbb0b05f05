/** Whose turn something waits for: those of one share are served in turn with other shares, and within it session by session. */
export interface Turn {
  readonly share: string;
  readonly session: string;
}

/**
 * What waits, served round robin: first among the shares, then among the sessions of a share, then in the order of arrival. However
 * much one share has waiting, what another one brings is served after one item of each share at the latest.
 */
export class FairQueue<Item> {
  /** Those that have something waiting, the next one to be served at the front. */
  readonly #shares = new Map<string, Share<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add({ share: name, session }: Turn, item: Item): void {
    const share = this.#shares.get(name) ?? new Share<Item>();
    this.#shares.set(name, share);
    share.add(session, item);
    this.#size += 1;
  }

  /** Whether a share has something waiting. */
  has(share: string): boolean {
    return this.#shares.has(share);
  }

  /** Takes what is served next. */
  next(): Item | undefined {
    return this.take(() => true)?.item;
  }

  /** Takes what is served next of those shares that may be, and says of which it was. */
  take(mayBeServed: (share: string) => boolean): { readonly share: string; readonly item: Item } | undefined {
    for (const [name, share] of this.#shares) {
      if (!mayBeServed(name)) continue;
      const item = share.next();
      if (item === undefined) continue;
      this.#shares.delete(name);
      if (share.size > 0) this.#shares.set(name, share);
      this.#size -= 1;
      return { share: name, item };
    }
    return undefined;
  }

  /** Takes an item out before its turn. Returns whether it was waiting. */
  remove({ share: name, session }: Turn, item: Item): boolean {
    const share = this.#shares.get(name);
    if (share?.remove(session, item) !== true) return false;
    if (share.size === 0) this.#shares.delete(name);
    this.#size -= 1;
    return true;
  }

  /**
   * Takes out the newest item of the share that has most waiting, to make room for one of this share; undefined where no share has
   * clearly more waiting than this one.
   */
  displaceFor({ share: name }: Turn): Item | undefined {
    const own = this.#shares.get(name)?.size ?? 0;
    let largest: readonly [string, Share<Item>] | undefined;
    for (const entry of this.#shares) if (entry[1].size > (largest?.[1].size ?? own + 1)) largest = entry;
    if (largest === undefined) return undefined;
    this.#size -= 1;
    return largest[1].takeNewest();
  }
}

/** The sessions of one share that have something waiting, the next one to be served at the front. */
class Share<Item> {
  readonly #sessions = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(session: string, item: Item): void {
    const items = this.#sessions.get(session);
    if (items === undefined) this.#sessions.set(session, new Set([item]));
    else items.add(item);
    this.#size += 1;
  }

  next(): Item | undefined {
    for (const [session, items] of this.#sessions) {
      for (const item of items) {
        this.remove(session, item);
        // The session goes to the end.
        if (this.#sessions.delete(session)) this.#sessions.set(session, items);
        return item;
      }
    }
    return undefined;
  }

  remove(session: string, item: Item): boolean {
    const items = this.#sessions.get(session);
    if (items?.delete(item) !== true) return false;
    if (items.size === 0) this.#sessions.delete(session);
    this.#size -= 1;
    return true;
  }

  /** Of the session that has most. */
  takeNewest(): Item | undefined {
    const [largest] = [...this.#sessions].sort(([, a], [, b]) => b.size - a.size);
    const newest = largest === undefined ? undefined : [...largest[1]].at(-1);
    if (largest !== undefined && newest !== undefined) this.remove(largest[0], newest);
    return newest;
  }
}
