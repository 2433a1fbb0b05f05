import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OwnedMap, type Whose } from '../../base/lib/owned-map.js';
import type { Caller } from '../../base/protocol/caller.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { extensionOf, SKILLS_EXTENSION } from '../../base/protocol/extensions.js';
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

/** The lists of MCP beside that of tools which introspection counts. */
export const COUNTED_LISTS = ['resources', 'templates', 'prompts'] as const;

/** All of them. Skills are resources of which their extension has a list of its own. */
const LIST_NAMES = [...COUNTED_LISTS, 'skills'] as const;

export type ListName = (typeof LIST_NAMES)[number];

interface NamedSource extends ListSource {
  readonly kind: ListKind;
  /** The extension of MCP that the list is of. */
  readonly extension?: string;
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
  skills: {
    kind: 'resources',
    extension: SKILLS_EXTENSION,
    method: 'skills/list',
    member: 'skills',
    key: 'uri',
    about: 'frontmatter',
    most: MOST_DEFINED,
  },
};

/** The member of an entry that holds its id. */
export function keyOf(list: ListName): string {
  return SOURCES[list].key;
}

/** The member of MCP's result that holds the entries. */
export function memberOf(list: ListName): string {
  return SOURCES[list].member;
}

/** Whether a server that declares these capabilities has the list. */
export function hasList(list: ListName, capabilities: JsonObject | undefined): boolean {
  const { kind, extension } = SOURCES[list];
  return (
    isJsonObject(capabilities?.[kind]) &&
    (extension === undefined || extensionOf(capabilities, extension) !== undefined)
  );
}

/** The upstreams by slug, in the order of the configuration. */
export type Upstreams = ReadonlyMap<string, Upstream>;

interface PrimitiveListsDeps {
  readonly upstreams: Upstreams;
  /** Reports what an operator should know of an upstream's list. */
  readonly onDiagnostic: (upstream: string, message: string) => void;
  /** Called when a list that somebody has asked for is another one than before. */
  readonly onChanged: (kind: ListKind, whose: Whose) => void;
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
/** After so many failures in a row a list that is one owner's is tried again when somebody asks for it: its connection may have ended. */
const MOST_OWN_RETRIES = 5;
/** So long a server that wants an account of its caller is not asked again for a list. */
const REFUSED_MS = 1_000;

interface GuardedReading extends ListReading {
  readonly withheld: WithheldDefinitions | undefined;
}

interface Kept {
  /** What may be shown. */
  entries: readonly Entry[];
  /** The ids that belong to the upstream: also of what has changed and is withheld, so that no other gets its name. */
  held: ReadonlySet<string>;
  digest: string | undefined;
  /** Who asked last, in whose name it is read; undefined for what everybody sees. */
  caller: Caller | undefined;
  /** Why the owner sees what everybody sees: what the server wants of it first. */
  refusal: OperationError | undefined;
  /** Until when it need not be read again. */
  freshUntil: number;
  reading: Promise<void> | undefined;
  /** Who asks while it is read waits for this: its end, or the time after which nobody waits any more. */
  wait: Promise<void> | undefined;
  /** Readings in a row that failed. Until one succeeds, it is read while nobody waits. */
  failures: number;
  /** Whether it has let somebody wait in vain since it was read last. */
  isSlow: boolean;
  /** Whether somebody was answered without it since it was read last, and is to be told of it. */
  isMissed: boolean;
  /** Grows with each news of a change, so that one that comes during a reading is not lost. */
  changes: number;
  /** What `changes` was when the list was read that is known. */
  readChanges: number;
  /** The diagnostics that have been reported. */
  reported: string;
}

function newList(): Kept {
  return {
    entries: [],
    held: new Set(),
    digest: undefined,
    caller: undefined,
    refusal: undefined,
    freshUntil: 0,
    reading: undefined,
    wait: undefined,
    failures: 0,
    isSlow: false,
    isMissed: false,
    changes: 0,
    readChanges: 0,
    reported: '',
  };
}

/**
 * The lists of resources, templates and prompts of all upstreams: what each shows to everybody, and to each owner of a connection. Each is
 * read when it is first asked for, and again after its server has said that it changed, or has connected again. The last list of a server
 * that is away is kept. A list that hangs or fails holds up who asks for all of them once: then answers go out with what is known, and it is
 * read beside them, at growing pauses.
 */
export class PrimitiveLists {
  readonly #deps: PrimitiveListsDeps;
  readonly #now: () => number;
  readonly #kept: Readonly<Record<ListName, OwnedMap<Kept>>> = {
    resources: new OwnedMap(),
    templates: new OwnedMap(),
    prompts: new OwnedMap(),
    skills: new OwnedMap(),
  };
  /** The lists that somebody has asked for. */
  readonly #asked = new Set<ListName>();

  constructor(deps: PrimitiveListsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** The list as it is shown to its owner: everybody's where the server shows it none of its own. */
  shownTo(whose: Whose, list: ListName): Kept {
    const own = this.#keep(whose, list);
    return own.refusal === undefined ? own : this.#keep({ ...whose, owner: undefined }, list);
  }

  /** Begins to read a list where that is due. @returns who asks for it waits for what it has then */
  ask(whose: Whose, list: ListName, caller: Caller | undefined): Promise<void> | undefined {
    if (whose.owner !== undefined) this.#keep(whose, list).caller = caller;
    return this.#readIfDue(whose, list);
  }

  /** Somebody wants the list of every server, those included that have none yet. */
  noteAsked(list: ListName): void {
    this.#asked.add(list);
  }

  /** Why the server shows the owner no list of its own; undefined where it does. */
  refusalOf(whose: Whose, list: ListName): OperationError | undefined {
    return this.#kept[list].get(whose)?.refusal;
  }

  /** What somebody has to wait for who asks for a list that is being read; undefined where it is answered without. */
  waitOf(whose: Whose, list: ListName): Promise<void> | undefined {
    const kept = this.#keep(whose, list);
    if (kept.failures === 0 && !kept.isSlow) return kept.wait;
    kept.isMissed = true;
    return undefined;
  }

  /** Takes news of a changed list, and of a new connection: then all of its lists may have changed. */
  noteChange(whose: Whose, kind?: ListKind): void {
    for (const list of LIST_NAMES) {
      if (kind !== undefined && SOURCES[list].kind !== kind) continue;
      const kept = whose.owner === undefined ? this.#keep(whose, list) : this.#kept[list].get(whose);
      if (kept === undefined) continue;
      kept.changes += 1;
      kept.freshUntil = 0;
      // Who asked before is to learn whether it is another list now.
      if (whose.owner !== undefined || this.#asked.has(list)) void this.#readIfDue(whose, list, true);
    }
  }

  /** Drops the lists of an upstream that is not configured any more, or not as it was: whose they were, nobody can tell now. */
  forget(slug: string): void {
    for (const list of LIST_NAMES) {
      const hadSome = [...this.#kept[list].ofServer(slug).values()].some(({ entries }) => entries.length > 0);
      this.#kept[list].deleteServer(slug);
      if (hadSome) this.#deps.onChanged(SOURCES[list].kind, { upstream: slug, owner: undefined });
    }
  }

  #keep(whose: Whose, list: ListName): Kept {
    const known = this.#kept[list].get(whose);
    if (known !== undefined) return known;
    const made = newList();
    this.#kept[list].set(whose, made);
    return made;
  }

  #readIfDue(whose: Whose, list: ListName, isNews = false): Promise<void> | undefined {
    const kept = this.#keep(whose, list);
    if (kept.reading !== undefined) return kept.reading;
    const upstream = this.#deps.upstreams.get(whose.upstream);
    if (upstream === undefined || kept.freshUntil > this.#now()) return undefined;
    // What is away is not waited for: its last list stands. Nor is anything begun for an owner who has nothing there any more.
    if (upstream.absence(whose.owner) !== undefined || upstream.readerOf(kept.caller) !== whose.owner) return undefined;
    if (!hasList(list, upstream.capabilities(whose.owner))) return undefined;
    const reading = this.#readWhole(upstream, whose, list, isNews).finally(() => {
      kept.reading = undefined;
      kept.wait = undefined;
    });
    kept.reading = reading;
    // What is older than its time is probably still right; what nobody has read, or what is said to have changed, is not.
    const waitMs = kept.digest === undefined || kept.changes !== kept.readChanges ? FIRST_WAIT_MS : REFRESH_WAIT_MS;
    kept.wait = Promise.race([reading.then(() => true), delay(waitMs, false, { ref: false })]).then((isRead) => {
      if (isRead) return;
      kept.isMissed = true;
      kept.isSlow = true;
    });
    return reading;
  }

  async #readWhole(upstream: Upstream, whose: Whose, list: ListName, isNews: boolean): Promise<void> {
    const kept = this.#keep(whose, list);
    const source = SOURCES[list];
    let changes: number;
    do {
      changes = kept.changes;
      try {
        const request = (params: JsonObject): Promise<JsonObject> =>
          upstream.request({
            method: source.method,
            params,
            caller: kept.caller,
            cancellation: new Cancellation(),
            timeoutMs: LIST_MS,
          });
        const reading = await readList(source, request, upstream.status().era).catch((error: unknown) =>
          hasNoSuchMethod(error) ? NO_LIST : Promise.reject(error),
        );
        if (this.#kept[list].get(whose) !== kept) return;
        const isTold = kept.digest !== undefined || ((isNews || kept.isMissed) && reading.entries.length > 0);
        const isSame = kept.digest === reading.digest;
        const withheld = isSame ? undefined : this.#guard(whose, list, reading.entries);
        this.#noteRead(kept, undefined);
        kept.readChanges = changes;
        if (this.#replace(upstream, whose, list, kept, { ...reading, withheld }) && isTold)
          this.#deps.onChanged(source.kind, whose);
      } catch (error) {
        if (isRefusal(error)) await this.#takeRefusal(whose, list, kept, error);
        else {
          this.#report(whose, kept, [`its '${source.method}' could not be read: ${wordsOf(error)}`]);
          this.#retryLater(whose, list, kept);
        }
        return;
      }
    } while (kept.changes !== changes);
  }

  #noteRead(kept: Kept, refusal: OperationError | undefined): void {
    kept.failures = 0;
    kept.isSlow = false;
    kept.isMissed = false;
    kept.refusal = refusal;
  }

  /** What the owner had there is not theirs any more, or never was. */
  async #takeRefusal(whose: Whose, list: ListName, kept: Kept, refusal: OperationError): Promise<void> {
    const hadSome = kept.entries.length > 0;
    this.#noteRead(kept, refusal);
    kept.entries = [];
    kept.held = new Set();
    kept.digest = undefined;
    kept.freshUntil = this.#now() + REFUSED_MS;
    if (hadSome) this.#deps.onChanged(SOURCES[list].kind, whose);
    await this.ask({ ...whose, owner: undefined }, list, undefined);
  }

  /** Reads a list again after a pause that grows; a server that is away by then is asked when it is back. */
  #retryLater(whose: Whose, list: ListName, kept: Kept): void {
    const pauseMs = Math.min(RETRY_MS * 2 ** kept.failures, MOST_RETRY_MS);
    kept.failures += 1;
    kept.freshUntil = this.#now() + pauseMs;
    const isTried = whose.owner === undefined ? this.#asked.has(list) : kept.failures <= MOST_OWN_RETRIES;
    if (!isTried) return;
    void delay(pauseMs, undefined, { ref: false }).then(() => {
      if (this.#kept[list].get(whose) === kept && kept.failures > 0) void this.#readIfDue(whose, list);
    });
  }

  /** Whether it holds something else than the one that was known, if any. */
  #replace(upstream: Upstream, whose: Whose, list: ListName, kept: Kept, reading: GuardedReading): boolean {
    const { entries, digest, diagnostics, withheld, ttlMs } = reading;
    this.#report(whose, kept, diagnostics);
    kept.freshUntil = this.#now() + freshFor(upstream.capabilities(whose.owner)?.[SOURCES[list].kind], ttlMs);
    if (kept.digest === digest) return false;
    const isEmpty = kept.held.size === 0 && entries.length === 0;
    const nothing = withheld === undefined || withheld.size === 0;
    const whyOf = ({ id }: Entry) =>
      nothing ? undefined : withheld.get(keyOfDefinition(list === 'prompts' ? 'prompt' : 'template', id));
    kept.held = new Set(entries.filter((entry) => whyOf(entry) !== 'new').flatMap(idsIn));
    kept.entries = nothing ? entries : entries.filter((entry) => whyOf(entry) === undefined);
    kept.digest = digest;
    return !isEmpty;
  }

  /** Resources come and go with what the server holds: only what is written for models to follow is compared. */
  #guard(whose: Whose, list: ListName, entries: readonly Entry[]): WithheldDefinitions | undefined {
    const { guard } = this.#deps;
    if (SOURCES[list].key === 'uri' || guard === undefined) return undefined;
    const [kind, define] =
      list === 'prompts' ? ['prompt' as const, definePrompt] : ['template' as const, defineTemplate];
    return guard.check(
      whose,
      kind,
      entries.map(({ value }) => define(value)),
    );
  }

  #report({ upstream }: Whose, kept: Kept, diagnostics: readonly string[]): void {
    const text = diagnostics.join('\n');
    if (text !== kept.reported) for (const message of diagnostics) this.#deps.onDiagnostic(upstream, message);
    kept.reported = text;
  }
}

/** The id of an entry, and those of the files that a skill names. */
function idsIn({ id, value: { resources } }: Entry): readonly string[] {
  const files = Array.isArray(resources)
    ? resources.flatMap((file: unknown) => (isJsonObject(file) ? file['uri'] : []))
    : [];
  return [id, ...files.filter((uri) => typeof uri === 'string')];
}

/** Many servers have resources and no templates, and then not the method either; and one that is redeployed may have lost it. */
const NO_LIST: ListReading = { entries: [], digest: 'no such method', diagnostics: [], ttlMs: undefined };

function hasNoSuchMethod(error: unknown): boolean {
  return error instanceof OperationError && error.details?.['upstream_code'] === -32601;
}

/** Whether the server would show the owner a list of its own, had its user connected an account, or come with other rights. */
function isRefusal(error: unknown): error is OperationError {
  return error instanceof OperationError && error.details?.['reason'] === 'credentials_required';
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
