import { OwnedMap, type Owner } from '../base/lib/owned-map.js';
import type { Caller } from '../base/protocol/caller.js';
import type { Upstream } from './upstream.js';

/** By whose eyes it is seen what servers have: of each server what belongs to one owner, or what everybody sees. */
export interface Reader {
  ownerOf(upstream: string): Owner;
  /** Of all who see the same the one who came last, in whose name servers are asked; undefined for what everybody sees. */
  readonly caller: Caller | undefined;
}

/** Who sees what everybody may see, and nothing of any owner. */
export const EVERYBODY: Reader = { ownerOf: () => undefined, caller: undefined };

/** One whose calls go to connections of their own. */
class OwnReader implements Reader {
  caller: Caller;
  readonly #owners: ReadonlyMap<string, string>;

  constructor(caller: Caller, owners: ReadonlyMap<string, string>) {
    this.caller = caller;
    this.#owners = owners;
  }

  ownerOf(upstream: string): Owner {
    return this.#owners.get(upstream);
  }
}

/** Everybody who reads: callers whose things are the same at each server are one. */
export class Readers {
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  /** Of no one server; the key names the owner at each. */
  readonly #known = new OwnedMap<OwnReader>();

  constructor(upstreams: ReadonlyMap<string, Upstream>) {
    this.#upstreams = upstreams;
  }

  of(caller: Caller | undefined): Reader {
    if (caller === undefined) return EVERYBODY;
    let owners: Map<string, string> | undefined;
    for (const [slug, upstream] of this.#upstreams) {
      const owner = upstream.isIsolated ? upstream.readerOf(caller) : undefined;
      if (owner !== undefined) owners = (owners ?? new Map<string, string>()).set(slug, owner);
    }
    if (owners === undefined) return EVERYBODY;
    const whose = { upstream: '', owner: JSON.stringify([...owners]) };
    const known = this.#known.get(whose) ?? new OwnReader(caller, owners);
    this.#known.set(whose, known);
    known.caller = caller;
    return known;
  }
}
