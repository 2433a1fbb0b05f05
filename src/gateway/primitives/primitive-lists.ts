import { isJsonObject } from '../../base/json/json.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { inTime, mapInSteps, runInSlices } from '../../base/turns/turns.js';
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

const SOURCES: Readonly<Record<ListName, NamedSource>> = {
  resources: { kind: 'resources', method: 'resources/list', member: 'resources', key: 'uri' },
  templates: {
    kind: 'resources',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
  },
  prompts: { kind: 'prompts', method: 'prompts/list', member: 'prompts', key: 'name' },
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
  readonly guard?: Pick<DefinitionGuard, 'checkInSlices'>;
  /** Milliseconds; the clock of the process where absent. */
  readonly now?: () => number;
}

/** A server may be slow; all others have been read by then. */
const LIST_MS = 10_000;
/** A list whose server does not say when it changes is read again after so long. */
const UNANNOUNCED_MS = 60_000;
/** So long after a list could not be read it is not tried again. */
const RETRY_MS = 5_000;

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
  /** Grows with each news of a change, so that one that comes during a reading is not lost. */
  changes: number;
  /** The diagnostics that have been reported. */
  reported: string;
}

/**
 * The lists of resources, templates and prompts of all upstreams. Each is read when it is first asked for, and again after its
 * server has said that it changed, or has connected again. The last list of a server that is away is kept.
 */
export class PrimitiveLists {
  readonly #deps: PrimitiveListsDeps;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Set<ListName>();
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

  /** Reads what is not known yet. Never rejects. Undefined where nothing has to be waited for. */
  ready(list: ListName, isAsked: (upstream: string) => boolean = () => true): Promise<void> | undefined {
    this.#asked.add(list);
    const asked = this.declaring(SOURCES[list].kind).filter(isAsked);
    const due = asked.flatMap((slug) => this.#readIfDue(slug, list) ?? []);
    return due.length === 0 ? undefined : Promise.all(due).then(() => undefined);
  }

  /** Reads what has never been read, but starts no server for it. Never rejects. Undefined where nothing has to be waited for. */
  readyOnce(list: ListName, has: (slug: string) => boolean = () => true): Promise<void> | undefined {
    const unread = this.declaring(SOURCES[list].kind).filter(
      (slug) =>
        has(slug) &&
        this.#keep(slug, list).digest === undefined &&
        this.#deps.upstreams.get(slug)?.status().state !== 'dormant',
    );
    const due = unread.flatMap((slug) => this.#readIfDue(slug, list) ?? []);
    return due.length === 0 ? undefined : Promise.all(due).then(() => undefined);
  }

  /** The lists as they are known, in the order of the configuration. */
  known(list: ListName): readonly UpstreamList[] {
    return this.declaring(SOURCES[list].kind).map((upstream) => ({
      upstream,
      entries: this.#keep(upstream, list).entries,
    }));
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
      changes: 0,
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
    kept.reading = this.#read(upstream, list, kept, isNews).finally(() => {
      kept.reading = undefined;
    });
    return kept.reading;
  }

  async #read(upstream: Upstream, list: ListName, kept: Kept, isNews: boolean): Promise<void> {
    const source = SOURCES[list];
    let changes: number;
    do {
      changes = kept.changes;
      const request = (params: object): Promise<Record<string, unknown>> =>
        upstream.request({
          method: source.method,
          params: { ...params },
          cancellation: new Cancellation(),
          timeoutMs: LIST_MS,
        });
      try {
        const reading = await readList(source, request);
        if (this.#kept.get(`${list} ${upstream.slug}`) !== kept) return;
        const isMissed = kept.digest !== undefined || (isNews && reading.entries.length > 0);
        const isSame = kept.digest === reading.digest;
        const withheld = isSame ? undefined : await this.#guard(upstream.slug, list, reading.entries);
        if (this.#replace(upstream, list, kept, { ...reading, withheld }) && isMissed)
          this.#deps.onChanged(source.kind, upstream.slug);
      } catch (error) {
        this.#report(upstream.slug, kept, [`its '${source.method}' could not be read: ${wordsOf(error)}`]);
        kept.freshUntil = this.#now() + RETRY_MS;
        // Many servers have resources and no templates, and then not the method either.
        if (hasNoSuchMethod(error)) kept.digest ??= NO_SUCH_METHOD;
        return;
      }
    } while (kept.changes !== changes);
  }

  /** Whether it is another list than the one that was known, if any. */
  #replace(upstream: Upstream, list: ListName, kept: Kept, reading: GuardedReading): boolean {
    const { entries, digest, diagnostics, withheld } = reading;
    const { slug } = upstream;
    const { kind } = SOURCES[list];
    this.#report(slug, kept, diagnostics);
    const capability = upstream.capabilities()?.[kind];
    const isAnnounced = isJsonObject(capability) && capability['listChanged'] === true;
    kept.freshUntil = isAnnounced ? Number.POSITIVE_INFINITY : this.#now() + UNANNOUNCED_MS;
    if (kept.digest === digest) return false;
    this.#removeHolder(slug, list, kept.held);
    const holders = this.#holders[list];
    const nothing = withheld === undefined || withheld.size === 0;
    const whyOf = ({ id }: Entry) =>
      nothing ? undefined : withheld.get(keyOfDefinition(list === 'prompts' ? 'prompt' : 'template', id));
    kept.held = entries.filter((entry) => whyOf(entry) !== 'new').map(({ id }) => id);
    for (const id of kept.held) holders.set(id, [...(holders.get(id) ?? []), slug]);
    kept.entries = nothing ? entries : entries.filter((entry) => whyOf(entry) === undefined);
    kept.digest = digest;
    return true;
  }

  /** Resources come and go with what the server holds: only what is written for models to follow is compared. */
  async #guard(slug: string, list: ListName, entries: readonly Entry[]): Promise<WithheldDefinitions | undefined> {
    const { guard } = this.#deps;
    if (list === 'resources' || guard === undefined) return undefined;
    const [kind, define] =
      list === 'prompts' ? ['prompt' as const, definePrompt] : ['template' as const, defineTemplate];
    const definitions = await runInSlices(inTime(mapInSteps(entries, ({ value }) => define(value))));
    return runInSlices(inTime(guard.checkInSlices(slug, kind, definitions)));
  }

  #report(slug: string, kept: Kept, diagnostics: readonly string[]): void {
    const text = diagnostics.join('\n');
    if (text !== kept.reported) for (const message of diagnostics) this.#deps.onDiagnostic(slug, message);
    kept.reported = text;
  }
}

/** What is read of the lists. */
export type KnownLists = Pick<PrimitiveLists, 'ready' | 'readyOnce' | 'known' | 'shows' | 'holdersOf' | 'declaring'>;

/** The lists of some upstreams, as if there were no others. */
export function listsOf(lists: KnownLists, has: (upstream: string) => boolean): KnownLists {
  return {
    ready: (list) => lists.ready(list, has),
    readyOnce: (list) => lists.readyOnce(list, has),
    known: (list) => lists.known(list).filter(({ upstream }) => has(upstream)),
    shows: (list, slug, id) => has(slug) && lists.shows(list, slug, id),
    holdersOf: (list, id) => lists.holdersOf(list, id).filter(has),
    declaring: (capability) => lists.declaring(capability).filter(has),
  };
}

/** The digest of a list that the server does not have. */
const NO_SUCH_METHOD = 'no such method';

function hasNoSuchMethod(error: unknown): boolean {
  return error instanceof OperationError && error.details?.['upstream_code'] === -32601;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
