import { getOrMake } from '../../base/lib/collections.js';
import type { Caller } from '../../base/protocol/call.js';
import { NothingFound, OperationError } from '../../base/protocol/operation-error.js';
import {
  type Owned,
  qualifyPrompt,
  qualifyUri,
  readQualifiedPrompt,
  readQualifiedUri,
} from '../../base/protocol/qualified-names.js';
import type { ListName } from './primitive-lists.js';
import type { Entry } from './read-list.js';
import type { KnownLists } from './reader-lists.js';

interface OwnersDeps {
  readonly lists: KnownLists;
  /** The slugs of all configured upstreams. */
  readonly configured: () => readonly string[];
  /** The upstreams that gave the caller a link to a URI; none where absent. */
  readonly linkersOf?: (uri: string, caller: Caller) => readonly string[];
}

interface Matched {
  readonly uri: string;
  readonly lists: ReturnType<KnownLists['known']>;
  readonly upstreams: readonly string[];
}

/** More candidates are not named. */
const MOST_NAMED = 20;

/** Characters of a URI times parts of templates, over the templates of all upstreams: a few milliseconds. */
const MATCHING_WORK = 500_000;
/** What reading a character of a template takes in the same unit. */
const READING_WORK = 8;

const QUALIFY: Readonly<Record<ListName, (owned: Owned) => string>> = {
  resources: qualifyUri,
  templates: qualifyUri,
  prompts: qualifyPrompt,
  skills: qualifyUri,
};

/**
 * Which upstream a URI or a prompt's name belongs to, and how each is shown: as it is where one upstream's list alone holds it, and
 * with its upstream where several do (docs/adr/0021-resources-and-prompts-have-one-owner.md).
 */
export class Owners {
  readonly #deps: OwnersDeps;
  readonly #templates = new WeakMap<Entry, UriTemplate>();
  /** What matched last: a call asks whether it has to wait, and then for the owner. */
  #matched: Matched | undefined;

  constructor(deps: OwnersDeps) {
    this.#deps = deps;
  }

  /** How callers see what an upstream's list holds. */
  show(list: ListName, owned: Owned): string {
    const isShared = this.#deps.lists
      .holdersOf(list === 'skills' ? 'resources' : list, owned.id)
      .some((holder) => holder !== owned.upstream);
    return isShared || this.#readQualified(list, owned.id) !== undefined ? QUALIFY[list](owned) : owned.id;
  }

  /**
   * Gets the lists that are needed to find the owner of a name; undefined where nothing has to be waited for: an owner that is known does
   * not wait for the lists of others.
   */
  ready(list: ListName, name: string): Promise<void> | undefined {
    const { lists } = this.#deps;
    if (this.#readQualified(list, name) !== undefined || lists.holdersOf(list, name).length > 0) return undefined;
    if (list === 'prompts') return lists.ready('prompts');
    if (this.#only('resources') !== undefined) return undefined;
    // A list that has never been read may hold the very URI, which counts more than a template that fits.
    const isRead = lists.isSettled('resources') && lists.isSettled('templates');
    if (lists.holdersOf('templates', name).length > 0 || (isRead && this.#matching(name).length > 0)) return undefined;
    const due = [lists.ready('resources'), lists.ready('templates')].filter((each) => each !== undefined);
    return due.length === 0 ? undefined : Promise.all(due).then(() => undefined);
  }

  /**
   * The owner of a resource, by its URI as it is or with its upstream.
   * @throws OperationError where none has it, or more than one may
   */
  ofResource(uri: string, upstream: string | undefined, caller?: Caller): Owned {
    return this.#named('resources', uri, upstream) ?? this.#ofPlainUri(uri, caller);
  }

  /** The owner of a template, as it is shown. */
  ofTemplate(template: string, upstream: string | undefined): Owned {
    const named = this.#named('templates', template, upstream);
    if (named !== undefined) return named;
    const owner = this.#single('templates', template, this.#deps.lists.holdersOf('templates', template));
    return owner ?? this.#ofPlainUri(template);
  }

  /** The owner of a prompt, by its name as it is or with its upstream. */
  ofPrompt(name: string, upstream: string | undefined): Owned {
    const named = this.#named('prompts', name, upstream);
    if (named !== undefined) return named;
    const found = this.#single('prompts', name, this.#deps.lists.holdersOf('prompts', name));
    if (found !== undefined) return found;
    const only = this.#only('prompts');
    if (only !== undefined) return { upstream: only, id: name };
    throw notFound('prompt', name, "All of them: 'list_prompts', or 'prompts/list' of MCP itself");
  }

  /** An upstream that a caller names. @throws OperationError where it has none of these */
  requireUpstream(slug: string, capability: string): string {
    const declaring = this.#deps.lists.declaring(capability);
    if (declaring.includes(slug)) return slug;
    const names = declaring.map((each) => `'${each}'`).join(', ');
    const why = this.#deps.configured().includes(slug)
      ? `has no ${capability}, as far as is known`
      : 'is not configured';
    throw new NothingFound(
      'VALIDATION_INVALID_VALUE',
      `Parameter 'upstream': the server '${slug.slice(0, 100)}' ${why}. Servers with ${capability}: ${names || 'none'}`,
      { param_name: 'upstream', constraint: `a server with ${capability}`, valid: declaring },
    );
  }

  #readQualified(list: ListName, name: string): Owned | undefined {
    const isUpstream = (slug: string): boolean => this.#deps.configured().includes(slug);
    return list === 'prompts' ? readQualifiedPrompt(name, isUpstream) : readQualifiedUri(name, isUpstream);
  }

  /** Where the caller itself says whose it is, in the name or beside it. */
  #named(list: ListName, name: string, upstream: string | undefined): Owned | undefined {
    const capability = list === 'prompts' ? 'prompts' : 'resources';
    const qualified = this.#readQualified(list, name);
    const slug = upstream ?? qualified?.upstream;
    if (slug === undefined) return undefined;
    this.requireUpstream(slug, capability);
    if (qualified === undefined) return { upstream: slug, id: name };
    if (qualified.upstream === slug) return qualified;
    throw new OperationError(
      'VALIDATION_INVALID_VALUE',
      `Parameter 'upstream' is '${slug}', but the name is one of '${qualified.upstream}'. Leave 'upstream' out`,
      { param_name: 'upstream', constraint: `'${qualified.upstream}', or absent` },
    );
  }

  #ofPlainUri(uri: string, caller?: Caller): Owned {
    const { lists, linkersOf } = this.#deps;
    const declaring = lists.declaring('resources');
    const linking = (): readonly string[] => {
      const linkers = caller === undefined ? [] : (linkersOf?.(uri, caller) ?? []);
      return linkers.filter((each) => declaring.includes(each));
    };
    const candidates = [
      () => lists.holdersOf('resources', uri),
      // One server's template may fit what another server has linked to, or has in a skill: neither is better.
      () => [...new Set([...this.#matching(uri), ...lists.skillHoldersOf(uri), ...linking()])],
      () => this.#resembling(uri),
    ];
    for (const find of candidates) {
      const owner = this.#single('resources', uri, find());
      if (owner !== undefined) return owner;
    }
    const guessed = this.#single('resources', uri, declaring, NothingFound);
    if (guessed !== undefined) return guessed;
    throw notFound('resource', uri, "All known ones: 'list_resources'");
  }

  /**
   * The upstreams with a template that can become the URI. Each has the same share of the work, whatever stands before it, and one whose share
   * does not suffice counts, too: what is not known to be another's alone is given to nobody.
   */
  #matching(uri: string): readonly string[] {
    const lists = this.#deps.lists.known('templates').filter(({ entries }) => entries.length > 0);
    const last = this.#matched;
    const isSame =
      last?.uri === uri &&
      last.lists.length === lists.length &&
      lists.every(({ entries }, index) => entries === last.lists[index]?.entries);
    if (isSame) return last.upstreams;
    const share = MATCHING_WORK / lists.length;
    const fitting = lists.filter(({ entries }) => this.#mayBecome(entries, uri, share));
    this.#matched = { uri, lists, upstreams: fitting.map(({ upstream }) => upstream) };
    return this.#matched.upstreams;
  }

  /**
   * The upstreams with a template that begins as the URI does, up to its first expression. Frameworks read templates in ways of their
   * own: one takes `{path*}` for any text with slashes, another a space or a letter that is not encoded.
   */
  #resembling(uri: string): readonly string[] {
    const spellings = [uri, ...respell(uri)];
    const resembles = ({ id }: Entry): boolean =>
      /^[^{]*:/.test(id) && spellings.some((spelling) => beginsLike(id, spelling));
    const lists = this.#deps.lists.known('templates');
    return lists.filter(({ entries }) => entries.some(resembles)).map(({ upstream }) => upstream);
  }

  #mayBecome(entries: readonly Entry[], uri: string, share: number): boolean {
    let left = share;
    for (const entry of entries) {
      // Most templates begin otherwise than most URIs.
      if (!beginsLike(entry.id, uri)) continue;
      left -= entry.id.length * READING_WORK;
      if (left < 0) return true;
      const template = this.#templateOf(entry);
      left -= template.parts * uri.length;
      if (left < 0 || template.matches(uri)) return true;
    }
    return false;
  }

  #templateOf(entry: Entry): UriTemplate {
    return getOrMake(this.#templates, entry, () => new UriTemplate(entry.id));
  }

  /** Undefined where there is none. @throws OperationError where there are several, of which none is better than the others */
  #single(list: ListName, id: string, upstreams: readonly string[], Refusal = OperationError): Owned | undefined {
    const [upstream] = upstreams;
    if (upstream === undefined) return undefined;
    if (upstreams.length === 1) return { upstream, id };
    const what = list === 'prompts' ? 'prompt' : 'resource';
    const inOrder = this.#deps.configured().filter((each) => upstreams.includes(each));
    const names = inOrder.slice(0, MOST_NAMED).map((each) => QUALIFY[list]({ upstream: each, id }));
    throw new Refusal(
      'NOT_FOUND_RESOURCE',
      `The ${what} '${shorten(id)}' may be one of several servers. Use one of: ${names.map((name) => `'${shorten(name)}'`).join(', ')}`,
      { resource_type: what, resource_id: shorten(id), candidates: names },
    );
  }

  #only(capability: string): string | undefined {
    const declaring = this.#deps.lists.declaring(capability);
    return declaring.length === 1 ? declaring[0] : undefined;
  }
}

/** A URI with letters that are not ASCII encoded, and as they are. */
function respell(uri: string): readonly string[] {
  try {
    return [encodeURI(uri), decodeURI(uri)];
  } catch {
    return [];
  }
}

/** Longer names are not repeated whole. */
const LONGEST_SHOWN = 300;

function shorten(name: string): string {
  return name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
}

function notFound(what: 'resource' | 'prompt', name: string, next: string): OperationError {
  return new NothingFound('NOT_FOUND_RESOURCE', `There is no ${what} '${shorten(name)}'. ${next}`, {
    resource_type: what,
    resource_id: shorten(name),
  });
}

/** A part of a template: text that stands as it is, or an expression by what it can become. */
type Part = { readonly text: string } | { readonly begins: string; readonly may: RegExp };

const EXPRESSION = /\{([+#./;?&]?)[^{}]*\}/g;

/** What a variable can become: percent-encoded, so neither a delimiter nor a space is in it (RFC 6570, section 3.2.2). */
const PLAIN = /[A-Za-z0-9\-._~%,=]/;
const RESERVED = /[^\s{}<>"\\^`|]/;

/** By operator: what its expansion begins with, and of what it consists. Without values it is empty. */
const OPERATORS: Readonly<Record<string, { readonly begins: string; readonly may: RegExp }>> = {
  '': { begins: '', may: PLAIN },
  '+': { begins: '', may: RESERVED },
  '#': { begins: '#', may: RESERVED },
  '.': { begins: '.', may: PLAIN },
  '/': { begins: '/', may: /[A-Za-z0-9\-._~%,=/]/ },
  ';': { begins: ';', may: /[A-Za-z0-9\-._~%,=;]/ },
  '?': { begins: '?', may: /[A-Za-z0-9\-._~%,=&]/ },
  '&': { begins: '&', may: /[A-Za-z0-9\-._~%,=&]/ },
};

/** A longer template, and a longer URI, matches nothing. */
const LONGEST = 8_192;
/** A template of more expressions matches nothing: each is a pass over the URI. */
const MOST_PARTS = 100;

/** Whether a URI begins with the text before a template's first expression: false where it cannot be one of its expansions. */
function beginsLike(template: string, uri: string): boolean {
  const end = template.indexOf('{');
  return uri.startsWith(end < 0 ? template : template.slice(0, end));
}

/** Tells which URIs a template can become. Takes time in proportion to URI and template, whatever both hold. */
export class UriTemplate {
  readonly #parts: readonly Part[] | undefined;

  constructor(template: string) {
    const parts = template.length > LONGEST ? undefined : readParts(template);
    this.#parts = parts === undefined || parts.length > MOST_PARTS ? undefined : parts;
  }

  /** How many passes over a URI it takes. */
  get parts(): number {
    return this.#parts?.length ?? 0;
  }

  matches(uri: string): boolean {
    const parts = this.#parts;
    if (parts === undefined || uri.length > LONGEST) return false;
    let ends: ReadonlySet<number> = new Set([0]);
    for (const part of parts) {
      ends = 'text' in part ? afterText(ends, part.text, uri) : afterExpression(ends, part, uri);
      if (ends.size === 0) return false;
    }
    return ends.has(uri.length);
  }
}

function readParts(template: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const found of template.matchAll(EXPRESSION)) {
    if (found.index > from) parts.push({ text: template.slice(from, found.index) });
    const operator = OPERATORS[found[1] ?? ''];
    if (operator !== undefined) parts.push(operator);
    from = found.index + found[0].length;
  }
  if (from < template.length) parts.push({ text: template.slice(from) });
  return parts;
}

function afterText(starts: ReadonlySet<number>, text: string, uri: string): ReadonlySet<number> {
  return new Set([...starts].filter((start) => uri.startsWith(text, start)).map((start) => start + text.length));
}

/** Each place where the expression can end: where one start is passed on the way from another, it goes on with both. */
function afterExpression(
  starts: ReadonlySet<number>,
  { begins, may }: { readonly begins: string; readonly may: RegExp },
  uri: string,
): ReadonlySet<number> {
  const ends = new Set(starts);
  let isInside = false;
  for (let at = Math.min(...starts); at < uri.length; at += 1) {
    const char = uri.charAt(at);
    const entersHere = starts.has(at) && (begins === '' || char === begins);
    isInside = (entersHere || isInside) && (may.test(char) || (entersHere && char === begins));
    if (isInside) ends.add(at + 1);
  }
  return ends;
}
