import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Whose } from '../../base/lib/owned-map.js';
import type { OperationError } from '../../base/protocol/operation-error.js';
import type { Reader } from '../../upstream/readers.js';
import { hasList, type ListName, type PrimitiveLists, type Upstreams } from './primitive-lists.js';
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

  /** The upstreams that have a list. */
  #having(list: ListName): readonly string[] {
    return [...this.#upstreams.keys()].filter((slug) => hasList(list, this.capabilitiesOf(slug)));
  }

  /**
   * Reads what is not known yet, and of what is in skills also those. Never rejects, and waits for a while at most. Undefined where nothing
   * has to be waited for.
   */
  ready(list: ListName, isAsked: (upstream: string) => boolean = () => true): Promise<void> | undefined {
    const waits = together(list).flatMap((each) => this.#waitFor(each, this.#read(each, isAsked)) ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** The same, waiting for each list until it is read or has failed. */
  async readAll(list: ListName): Promise<void> {
    await Promise.all(this.#having(list).map((slug) => this.#lists.ask(this.#whose(slug), list, this.#reader.caller)));
  }

  /** Begins to read what is due. @returns the upstreams whose lists are being read */
  #read(list: ListName, isAsked: (upstream: string) => boolean): readonly string[] {
    this.#lists.noteAsked(list);
    const asked = this.#having(list).filter(isAsked);
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
    return this.#having(list).map((upstream) => ({
      upstream,
      entries: this.#shown(upstream, list).entries,
    }));
  }

  /** How many entries an upstream's list is known to have. */
  countOf(list: ListName, slug: string): number {
    return hasList(list, this.capabilitiesOf(slug)) ? this.#shown(slug, list).entries.length : 0;
  }

  /** Whether an upstream's list is not known: it could not be read yet, or the server has never said whether it has one. */
  isUnread(list: ListName, slug: string): boolean {
    const capabilities = this.capabilitiesOf(slug);
    if (capabilities === undefined) return true;
    return hasList(list, capabilities) && this.#shown(slug, list).digest === undefined;
  }

  /** Whether an upstream is not connected, so that its last list stands. */
  isAway(slug: string): boolean {
    return this.#upstreams.get(slug)?.absence(this.#reader.ownerOf(slug)) !== undefined;
  }

  /** Why upstreams show the reader nothing of its own, each in words that say what to do. */
  refusals(list: ListName): ReadonlyMap<string, OperationError> {
    const refused = this.#having(list).flatMap((slug) => {
      const refusal = this.#lists.refusalOf(this.#whose(slug), list);
      return refusal === undefined ? [] : [[slug, refusal] as const];
    });
    return new Map(refused);
  }

  /** The upstreams whose lists hold an id; that of a resource may be in the list of skills as well. */
  holdersOf(list: ListName, id: string): readonly string[] {
    const holders: string[] = [];
    const isHeld = (slug: string, by: ListName): boolean => this.#shown(slug, by).held.has(id);
    for (const slug of this.#upstreams.keys())
      if (isHeld(slug, list) || (list === 'resources' && isHeld(slug, 'skills'))) holders.push(slug);
    return holders;
  }

  /** The upstreams with a skill in whose directory a URI is. */
  skillHoldersOf(uri: string): readonly string[] {
    return [...this.#upstreams.keys()].filter((slug) => isInSkill(uri, this.#shown(slug, 'skills').held));
  }

  /** What the lists of all upstreams hold. */
  idsOf(list: ListName): Iterable<string> {
    return [...this.#upstreams.keys()].flatMap((slug) => [...this.#shown(slug, list).held]);
  }

  /** Whether each list of this kind has been read once, or is not waited for. */
  isSettled(list: ListName, has: (slug: string) => boolean = () => true): boolean {
    const reading = together(list).flatMap((each) => this.#having(each).map((slug) => [slug, each] as const));
    return reading.every(([slug, each]) => {
      const { digest, failures, isSlow } = this.#shown(slug, each);
      return !has(slug) || digest !== undefined || failures > 0 || isSlow;
    });
  }

  /** Whether an upstream's list shows an id. */
  shows(list: ListName, slug: string, id: string): boolean {
    return this.#shown(slug, list).entries.some((entry) => entry.id === id);
  }
}

export type KnownLists = Pick<ReaderLists, keyof ReaderLists>;

/** The lists that say whose a resource is are read together. */
function together(list: ListName): readonly ListName[] {
  return list === 'resources' || list === 'skills' ? ['resources', 'skills'] : [list];
}

/** A skill lies no deeper in a URI, in segments. */
const DEEPEST_SKILL = 20;

/** Whether a URI is that of a skill's directory, or of something in it. */
function isInSkill(uri: string, skills: ReadonlySet<string>): boolean {
  if (skills.size === 0) return false;
  const segments = uri.split('/', DEEPEST_SKILL);
  return segments.some((_, at) => skills.has(`${segments.slice(0, at + 1).join('/')}/SKILL.md`));
}

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
    skillHoldersOf: (uri) => lists.skillHoldersOf(uri).filter(has),
    idsOf: (list) => lists.idsOf(list),
    declaring: (capability) => lists.declaring(capability).filter(has),
  };
}
