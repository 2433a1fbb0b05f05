import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import {
  type DefinitionGuard,
  definePrompt,
  defineTemplate,
  keyOfDefinition,
  type WithheldDefinitions,
} from '../../catalog/integrity/definition-guard.js';
import type { ListKind, Upstream } from '../../upstream/upstream.js';
import { type Entry, type ListReading, type ListSource, readList } from './read-list.js';

/** The lists of MCP beside that of tools. */
export const LIST_NAMES = ['resources', 'templates', 'prompts'] as const;

export type ListName = (typeof LIST_NAMES)[number];

interface NamedSource extends ListSource {
  /** The capability that a server with the list declares. */
  readonly kind: ListKind;
}

/** Prompts and templates are compared with what was accepted and looked through for orders to models, all of a list at once. */
const MOST_DEFINED = 1_000;
const MOST_RESOURCES = 10_000;

const SOURCES: Readonly<Record<ListName, NamedSource>> = {
  resources: { kind: 'resources', method: 'resources/list', member: 'resources', key: 'uri', most: MOST_RESOURCES },
  templates: {
    kind: 'resources',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    most: MOST_DEFINED,
  },
  prompts: { kind: 'prompts', method: 'prompts/list', member: 'prompts', key: 'name', most: MOST_DEFINED },
};

/** The member of an entry that holds its id. */
export function keyOf(list: ListName): string {
  return SOURCES[list].key;
}

/** The member of MCP's result that holds the entries. */
export function memberOf(list: ListName): string {
  return SOURCES[list].member;
}

/** The last list that an upstream gave. */
interface UpstreamList {
  readonly upstream: string;
  readonly entries: readonly Entry[];
}

/** The upstreams by slug, in the order of the configuration. */
export type Upstreams = ReadonlyMap<string, Upstream>;

interface PrimitiveListsDeps {
  readonly upstreams: Upstreams;
  /** Reports what an operator should know of an upstream's list. */
  readonly onDiagnostic: (upstream: string, message: string) => void;
  /** Called when a list that somebody has asked for is another one than before. */
  readonly onChanged: (kind: ListKind, upstream: string) => void;
  /** Which definitions must not be shown; all may where absent. */
  readonly guard?: Pick<DefinitionGuard, 'check'>;
  /** Milliseconds; the clock of the process where absent. */
  readonly now?: () => number;
}

/** So long a list may take to be read. */
const LIST_MS = 10_000;
/** So long whoever asks waits for a list that is read first, or after news of a change. */
const FIRST_WAIT_MS = 2_000;
/** So long whoever asks waits for a list that is known, and may have changed without a word. */
const REFRESH_WAIT_MS = 500;
/** A list whose server does not say when it changes is read again after so long. */
const UNANNOUNCED_MS = 60_000;
/** A list is not read more often, whatever its server says of how long it may be kept. */
const LEAST_FRESH_MS = 5_000;
/** So long after a list could not be read it is not tried again; doubled with each failure in a row. */
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 300_000;

interface GuardedReading extends ListReading {
  readonly withheld: WithheldDefinitions | undefined;
}

interface Kept {
  /** What may be shown. */
  entries: readonly Entry[];
  /** The ids that belong to the upstream: also of what has changed and is withheld, so that no other gets its name. */
  held: readonly string[];
  digest: string | undefined;
  /** Until when it need not be read again. */
  freshUntil: number;
  reading: Promise<void> | undefined;
  /** Who asks while it is read waits for this: its end, or the time after which nobody waits any more. */
  wait: Promise<void> | undefined;
  /** Readings in a row that failed. Until one succeeds, it is read while nobody waits. */
  failures: number;
  /** Whether somebody was answered without it since it was read last, and is to be told of it. */
  isMissed: boolean;
  /** Grows with each news of a change, so that one that comes during a reading is not lost. */
  changes: number;
  /** What `changes` was when the list was read that is known. */
  readChanges: number;
  /** The diagnostics that have been reported. */
  reported: string;
}

/**
 * The lists of resources, templates and prompts of all upstreams. Each is read when it is first asked for, and again after its
 * server has said that it changed, or has connected again. The last list of a server that is away is kept. A list that hangs or fails
 * holds up who asks for all of them once: then answers go out with what is known, and it is read beside them, at growing pauses.
 */
export class PrimitiveLists {
  readonly #deps: PrimitiveListsDeps;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Set<ListName>();
  /** The servers that have let somebody wait in vain, and have given no list since. */
  readonly #slow = new Set<string>();
  /** By list: the upstreams that hold an id, in no order. */
  readonly #holders: Readonly<Record<ListName, Map<string, readonly string[]>>> = {
    resources: new Map(),
    templates: new Map(),
    prompts: new Map(),
  };

  constructor(deps: PrimitiveListsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** The upstreams that declare a capability, as they did when they were connected last. */
  declaring(capability: string): readonly string[] {
    const declared = [...this.#deps.upstreams.values()].filter((upstream) =>
      isJsonObject(upstream.capabilities()?.[capability]),
    );
    return declared.map(({ slug }) => slug);
  }

  /** Reads what is not known yet. Never rejects, and waits for a while at most. Undefined where nothing has to be waited for. */
  ready(list: ListName, isAsked: (upstream: string) => boolean = () => true): Promise<void> | undefined {
    return this.#waitFor(list, this.#read(list, isAsked));
  }

  /** The same, waiting for each list until it is read or has failed. */
  async readAll(list: ListName): Promise<void> {
    await Promise.all(this.#read(list).map((slug) => this.#keep(slug, list).reading));
  }

  /** Begins to read what is due. @returns the upstreams whose lists are being read */
  #read(list: ListName, isAsked: (upstream: string) => boolean = () => true): readonly string[] {
    this.#asked.add(list);
    const asked = this.declaring(SOURCES[list].kind).filter(isAsked);
    return asked.filter((slug) => this.#readIfDue(slug, list) !== undefined);
  }

  #waitFor(list: ListName, reading: readonly string[]): Promise<void> | undefined {
    const waits = reading.flatMap((slug) => {
      const kept = this.#keep(slug, list);
      if (kept.failures === 0 && !this.#slow.has(slug)) return kept.wait ?? [];
      kept.isMissed = true;
      return [];
    });
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** Reads what has never been read, but starts no server for it. Never rejects. Undefined where nothing has to be waited for. */
  readyOnce(list: ListName, has: (slug: string) => boolean = () => true): Promise<void> | undefined {
    const unread = this.declaring(SOURCES[list].kind).filter(
      (slug) =>
        has(slug) &&
        this.#keep(slug, list).digest === undefined &&
        this.#deps.upstreams.get(slug)?.status().state !== 'dormant',
    );
    return this.#waitFor(
      list,
      unread.filter((slug) => this.#readIfDue(slug, list) !== undefined),
    );
  }

  /** The lists as they are known, in the order of the configuration. */
  known(list: ListName): readonly UpstreamList[] {
    return this.declaring(SOURCES[list].kind).map((upstream) => ({
      upstream,
      entries: this.#keep(upstream, list).entries,
    }));
  }

  /** How many entries an upstream's list is known to have. */
  countOf(list: ListName, slug: string): number {
    const declares = isJsonObject(this.#deps.upstreams.get(slug)?.capabilities()?.[SOURCES[list].kind]);
    return declares ? this.#keep(slug, list).entries.length : 0;
  }

  /** Whether an upstream's list is not known: it could not be read yet, or the server has never said whether it has one. */
  isUnread(list: ListName, slug: string): boolean {
    if (this.#deps.upstreams.get(slug)?.capabilities() === undefined) return true;
    return this.declaring(SOURCES[list].kind).includes(slug) && this.#keep(slug, list).digest === undefined;
  }

  /** The upstreams whose lists hold an id. */
  holdersOf(list: ListName, id: string): readonly string[] {
    return this.#holders[list].get(id) ?? [];
  }

  /** What the lists of all upstreams hold, each once. */
  idsOf(list: ListName): Iterable<string> {
    return this.#holders[list].keys();
  }

  /** Whether each list of this kind has been read once, or is not waited for. */
  isSettled(list: ListName, has: (slug: string) => boolean = () => true): boolean {
    const declaring = this.declaring(SOURCES[list].kind).filter(has);
    return declaring.every((slug) => {
      const { digest, failures } = this.#keep(slug, list);
      return digest !== undefined || failures > 0 || this.#slow.has(slug);
    });
  }

  /** Whether an upstream's list shows an id. */
  shows(list: ListName, slug: string, id: string): boolean {
    return this.#keep(slug, list).entries.some((entry) => entry.id === id);
  }

  /** Takes news of a changed list, and of a new connection: then all of its lists may have changed. */
  noteChange(slug: string, kind?: ListKind): void {
    for (const list of LIST_NAMES) {
      const kept = this.#keep(slug, list);
      if (kind !== undefined && SOURCES[list].kind !== kind) continue;
      kept.changes += 1;
      kept.freshUntil = 0;
      // Who asked before is to learn whether it is another list now.
      if (this.#asked.has(list) && this.declaring(SOURCES[list].kind).includes(slug))
        void this.#readIfDue(slug, list, true);
    }
  }

  /** Drops the lists of an upstream that is not configured any more. */
  forget(slug: string): void {
    for (const list of LIST_NAMES) {
      const kept = this.#kept.get(`${list} ${slug}`);
      if (kept === undefined) continue;
      this.#removeHolder(slug, list, kept.held);
      this.#kept.delete(`${list} ${slug}`);
      if (kept.entries.length > 0) this.#deps.onChanged(SOURCES[list].kind, slug);
    }
  }

  #removeHolder(slug: string, list: ListName, held: Kept['held']): void {
    const holders = this.#holders[list];
    for (const id of held) {
      const left = (holders.get(id) ?? []).filter((holder) => holder !== slug);
      if (left.length === 0) holders.delete(id);
      else holders.set(id, left);
    }
  }

  #keep(slug: string, list: ListName): Kept {
    const key = `${list} ${slug}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made = {
      entries: [],
      held: [],
      digest: undefined,
      freshUntil: 0,
      reading: undefined,
      wait: undefined,
      failures: 0,
      isMissed: false,
      changes: 0,
      readChanges: 0,
      reported: '',
    };
    this.#kept.set(key, made);
    return made;
  }

  #readIfDue(slug: string, list: ListName, isNews = false): Promise<void> | undefined {
    const kept = this.#keep(slug, list);
    if (kept.reading !== undefined) return kept.reading;
    const upstream = this.#deps.upstreams.get(slug);
    // What is away is not waited for: its last list stands.
    if (upstream === undefined || kept.freshUntil > this.#now() || upstream.absence() !== undefined) return undefined;
    const reading = this.#readWhole(upstream, list, kept, isNews).finally(() => {
      kept.reading = undefined;
      kept.wait = undefined;
    });
    kept.reading = reading;
    // What is older than its time is probably still right; what nobody has read, or what is said to have changed, is not.
    const waitMs = kept.digest === undefined || kept.changes !== kept.readChanges ? FIRST_WAIT_MS : REFRESH_WAIT_MS;
    kept.wait = Promise.race([reading.then(() => true), delay(waitMs, false, { ref: false })]).then((isRead) => {
      if (isRead) return;
      kept.isMissed = true;
      this.#slow.add(slug);
    });
    return reading;
  }

  async #readWhole(upstream: Upstream, list: ListName, kept: Kept, isNews: boolean): Promise<void> {
    const { slug } = upstream;
    const source = SOURCES[list];
    let changes: number;
    do {
      changes = kept.changes;
      try {
        const request = (params: JsonObject): Promise<JsonObject> => this.#request(upstream, source.method, params);
        const reading = await readList(source, request, upstream.status().era).catch((error: unknown) =>
          hasNoSuchMethod(error) ? NO_LIST : Promise.reject(error),
        );
        if (this.#kept.get(`${list} ${slug}`) !== kept) return;
        const isTold = kept.digest !== undefined || ((isNews || kept.isMissed) && reading.entries.length > 0);
        const isSame = kept.digest === reading.digest;
        const withheld = isSame ? undefined : await this.#guard(slug, list, reading.entries);
        kept.failures = 0;
        kept.isMissed = false;
        kept.readChanges = changes;
        this.#slow.delete(slug);
        if (this.#replace(upstream, list, kept, { ...reading, withheld }) && isTold)
          this.#deps.onChanged(source.kind, slug);
      } catch (error) {
        this.#report(slug, kept, [`its '${source.method}' could not be read: ${wordsOf(error)}`]);
        this.#retryLater(slug, list, kept);
        return;
      }
    } while (kept.changes !== changes);
  }

  #request(upstream: Upstream, method: string, params: JsonObject): Promise<JsonObject> {
    return upstream.request({ method, params, cancellation: new Cancellation(), timeoutMs: LIST_MS });
  }

  /** Reads a list again after a pause that grows; a server that is away by then is asked when it is back. */
  #retryLater(slug: string, list: ListName, kept: Kept): void {
    const pauseMs = Math.min(RETRY_MS * 2 ** kept.failures, MOST_RETRY_MS);
    kept.failures += 1;
    kept.freshUntil = this.#now() + pauseMs;
    if (!this.#asked.has(list)) return;
    void delay(pauseMs, undefined, { ref: false }).then(() => {
      if (this.#kept.get(`${list} ${slug}`) === kept && kept.failures > 0) void this.#readIfDue(slug, list);
    });
  }

  /** Whether it holds something else than the one that was known, if any. */
  #replace(upstream: Upstream, list: ListName, kept: Kept, reading: GuardedReading): boolean {
    const { entries, digest, diagnostics, withheld, ttlMs } = reading;
    const { slug } = upstream;
    this.#report(slug, kept, diagnostics);
    kept.freshUntil = this.#now() + freshFor(upstream.capabilities()?.[SOURCES[list].kind], ttlMs);
    if (kept.digest === digest) return false;
    const isEmpty = kept.held.length === 0 && entries.length === 0;
    this.#removeHolder(slug, list, kept.held);
    const holders = this.#holders[list];
    const nothing = withheld === undefined || withheld.size === 0;
    const whyOf = ({ id }: Entry) =>
      nothing ? undefined : withheld.get(keyOfDefinition(list === 'prompts' ? 'prompt' : 'template', id));
    kept.held = entries.filter((entry) => whyOf(entry) !== 'new').map(({ id }) => id);
    for (const id of kept.held) holders.set(id, [...(holders.get(id) ?? []), slug]);
    kept.entries = nothing ? entries : entries.filter((entry) => whyOf(entry) === undefined);
    kept.digest = digest;
    return !isEmpty;
  }

  /** Resources come and go with what the server holds: only what is written for models to follow is compared. */
  async #guard(slug: string, list: ListName, entries: readonly Entry[]): Promise<WithheldDefinitions | undefined> {
    const { guard } = this.#deps;
    if (list === 'resources' || guard === undefined) return undefined;
    const [kind, define] =
      list === 'prompts' ? ['prompt' as const, definePrompt] : ['template' as const, defineTemplate];
    return guard.check(
      slug,
      kind,
      entries.map(({ value }) => define(value)),
    );
  }

  #report(slug: string, kept: Kept, diagnostics: readonly string[]): void {
    const text = diagnostics.join('\n');
    if (text !== kept.reported) for (const message of diagnostics) this.#deps.onDiagnostic(slug, message);
    kept.reported = text;
  }
}

export type KnownLists = Pick<
  PrimitiveLists,
  'countOf' | 'ready' | 'readyOnce' | 'isSettled' | 'isUnread' | 'known' | 'shows' | 'holdersOf' | 'declaring'
>;

/** The lists of some upstreams, as if there were no others. */
export function listsOf(lists: KnownLists, has: (upstream: string) => boolean): KnownLists {
  return {
    ready: (list, isAsked = () => true) => lists.ready(list, (slug) => has(slug) && isAsked(slug)),
    readyOnce: (list) => lists.readyOnce(list, has),
    isSettled: (list) => lists.isSettled(list, has),
    isUnread: (list, slug) => lists.isUnread(list, slug),
    known: (list) => lists.known(list).filter(({ upstream }) => has(upstream)),
    countOf: (list, slug) => (has(slug) ? lists.countOf(list, slug) : 0),
    shows: (list, slug, id) => has(slug) && lists.shows(list, slug, id),
    holdersOf: (list, id) => lists.holdersOf(list, id).filter(has),
    declaring: (capability) => lists.declaring(capability).filter(has),
  };
}

/** Many servers have resources and no templates, and then not the method either; and one that is redeployed may have lost it. */
const NO_LIST: ListReading = { entries: [], digest: 'no such method', diagnostics: [], ttlMs: undefined };

function hasNoSuchMethod(error: unknown): boolean {
  return error instanceof OperationError && error.details?.['upstream_code'] === -32601;
}

/** How long a list need not be read again, in milliseconds: what its server says of it counts, and that it tells changes. */
function freshFor(capability: unknown, ttlMs: number | undefined): number {
  if (ttlMs !== undefined) return Math.max(ttlMs, LEAST_FRESH_MS);
  const isAnnounced = isJsonObject(capability) && capability['listChanged'] === true;
  return isAnnounced ? Number.POSITIVE_INFINITY : UNANNOUNCED_MS;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
