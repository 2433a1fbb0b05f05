import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Whose } from '../../base/lib/owned-map.js';
import type { OperationError } from '../../base/protocol/operation-error.js';
import type { Reader } from '../../upstream/readers.js';
import { kindOf, type ListName, type PrimitiveLists, type Upstreams } from './primitive-lists.js';
import type { Entry } from './read-list.js';

/** The last list that an upstream gave. */
interface UpstreamList {
  readonly upstream: string;
  readonly entries: readonly Entry[];
}

/** The lists as one reader sees them: its own where it has some, else those that everybody sees. */
export class ReaderLists {
  readonly #lists: PrimitiveLists;
  readonly #upstreams: Upstreams;
  readonly #reader: Reader;

  constructor(lists: PrimitiveLists, upstreams: Upstreams, reader: Reader) {
    this.#lists = lists;
    this.#upstreams = upstreams;
    this.#reader = reader;
  }

  #whose(upstream: string): Whose {
    return { upstream, owner: this.#reader.ownerOf(upstream) };
  }

  #shown(upstream: string, list: ListName): ReturnType<PrimitiveLists['shownTo']> {
    return this.#lists.shownTo(this.#whose(upstream), list);
  }

  /** What an upstream declared when it was connected last. */
  capabilitiesOf(slug: string): JsonObject | undefined {
    return this.#upstreams.get(slug)?.capabilities(this.#reader.ownerOf(slug));
  }

  /** The upstreams that declare a capability, as they did when they were connected last. */
  declaring(capability: string): readonly string[] {
    return [...this.#upstreams.keys()].filter((slug) => isJsonObject(this.capabilitiesOf(slug)?.[capability]));
  }

  /** Reads what is not known yet. Never rejects, and waits for a while at most. Undefined where nothing has to be waited for. */
  ready(list: ListName, isAsked: (upstream: string) => boolean = () => true): Promise<void> | undefined {
    return this.#waitFor(list, this.#read(list, isAsked));
  }

  /** The same, waiting for each list until it is read or has failed. */
  async readAll(list: ListName): Promise<void> {
    await Promise.all(
      this.declaring(kindOf(list)).map((slug) => this.#lists.ask(this.#whose(slug), list, this.#reader.caller)),
    );
  }

  /** Begins to read what is due. @returns the upstreams whose lists are being read */
  #read(list: ListName, isAsked: (upstream: string) => boolean): readonly string[] {
    this.#lists.noteAsked(list);
    const asked = this.declaring(kindOf(list)).filter(isAsked);
    return asked.filter((slug) => this.#lists.ask(this.#whose(slug), list, this.#reader.caller) !== undefined);
  }

  #waitFor(list: ListName, reading: readonly string[]): Promise<void> | undefined {
    const waits = reading.flatMap((slug) => this.#lists.waitOf(this.#whose(slug), list) ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** Reads what has never been read, but starts no server for it. Never rejects. Undefined where nothing has to be waited for. */
  readyOnce(list: ListName, has: (slug: string) => boolean = () => true): Promise<void> | undefined {
    const isUnread = (slug: string): boolean =>
      has(slug) &&
      this.#shown(slug, list).digest === undefined &&
      this.#upstreams.get(slug)?.status().state !== 'dormant';
    return this.ready(list, isUnread);
  }

  /** The lists as they are known, in the order of the configuration. */
  known(list: ListName): readonly UpstreamList[] {
    return this.declaring(kindOf(list)).map((upstream) => ({
      upstream,
      entries: this.#shown(upstream, list).entries,
    }));
  }

  /** How many entries an upstream's list is known to have. */
  countOf(list: ListName, slug: string): number {
    const declares = isJsonObject(this.capabilitiesOf(slug)?.[kindOf(list)]);
    return declares ? this.#shown(slug, list).entries.length : 0;
  }

  /** Whether an upstream's list is not known: it could not be read yet, or the server has never said whether it has one. */
  isUnread(list: ListName, slug: string): boolean {
    const capabilities = this.capabilitiesOf(slug);
    if (capabilities === undefined) return true;
    return isJsonObject(capabilities[kindOf(list)]) && this.#shown(slug, list).digest === undefined;
  }

  /** Whether an upstream is not connected, so that its last list stands. */
  isAway(slug: string): boolean {
    return this.#upstreams.get(slug)?.absence(this.#reader.ownerOf(slug)) !== undefined;
  }

  /** Why upstreams show the reader nothing of its own, each in words that say what to do. */
  refusals(list: ListName): ReadonlyMap<string, OperationError> {
    const refused = this.declaring(kindOf(list)).flatMap((slug) => {
      const refusal = this.#lists.refusalOf(this.#whose(slug), list);
      return refusal === undefined ? [] : [[slug, refusal] as const];
    });
    return new Map(refused);
  }

  /** The upstreams whose lists hold an id. */
  holdersOf(list: ListName, id: string): readonly string[] {
    const holders: string[] = [];
    for (const slug of this.#upstreams.keys()) if (this.#shown(slug, list).held.has(id)) holders.push(slug);
    return holders;
  }

  /** What the lists of all upstreams hold. */
  idsOf(list: ListName): Iterable<string> {
    return [...this.#upstreams.keys()].flatMap((slug) => [...this.#shown(slug, list).held]);
  }

  /** Whether each list of this kind has been read once, or is not waited for. */
  isSettled(list: ListName, has: (slug: string) => boolean = () => true): boolean {
    const declaring = this.declaring(kindOf(list)).filter(has);
    return declaring.every((slug) => {
      const { digest, failures, isSlow } = this.#shown(slug, list);
      return digest !== undefined || failures > 0 || isSlow;
    });
  }

  /** Whether an upstream's list shows an id. */
  shows(list: ListName, slug: string, id: string): boolean {
    return this.#shown(slug, list).entries.some((entry) => entry.id === id);
  }
}

export type KnownLists = Pick<ReaderLists, keyof ReaderLists>;

/** The lists of some upstreams, as if there were no others. */
export function listsOf(lists: KnownLists, has: (upstream: string) => boolean): KnownLists {
  return {
    capabilitiesOf: (slug) => (has(slug) ? lists.capabilitiesOf(slug) : undefined),
    isAway: (slug) => lists.isAway(slug),
    ready: (list, isAsked = () => true) => lists.ready(list, (slug) => has(slug) && isAsked(slug)),
    readAll: (list) => lists.readAll(list),
    readyOnce: (list) => lists.readyOnce(list, has),
    isSettled: (list) => lists.isSettled(list, has),
    isUnread: (list, slug) => lists.isUnread(list, slug),
    known: (list) => lists.known(list).filter(({ upstream }) => has(upstream)),
    countOf: (list, slug) => (has(slug) ? lists.countOf(list, slug) : 0),
    refusals: (list) => new Map([...lists.refusals(list)].filter(([slug]) => has(slug))),
    shows: (list, slug, id) => has(slug) && lists.shows(list, slug, id),
    holdersOf: (list, id) => lists.holdersOf(list, id).filter(has),
    idsOf: (list) => lists.idsOf(list),
    declaring: (capability) => lists.declaring(capability).filter(has),
  };
}
