import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { getOrMake } from '../../base/lib/collections.js';
import type { Caller } from '../../base/protocol/call.js';
import { keepsScheme, qualifyUri } from '../../base/protocol/qualified-names.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { renamePages } from '../../catalog/endpoint/own-pages.js';
import type { Upstream } from '../../upstream/upstream.js';

/** The links that are remembered of one upstream; the ones that were given or followed longest ago are forgotten. */
const MOST_LINKS = 1_000;

/** Longer URIs are not remembered. */
const LONGEST_URI = 2_048;

/** More blocks of one answer are not looked at. */
export const MOST_BLOCKS = 1_000;

/**
 * Which upstream gave a link to a resource: in an answer, or in a tool's definition as the page that shows its answers (MCP Apps). Such
 * resources need not be in any list. Links of an upstream that keeps its callers apart are known to their own caller alone.
 */
export class ResourceLinks {
  readonly #upstreams: ReadonlyMap<string, Pick<Upstream, 'ownerOf'>>;
  /** By upstream: whose link it is and its URI, the latest last. */
  readonly #given = new Map<string, Set<string>>();
  readonly #pages = new Map<string, ReadonlySet<string>>();
  #lists: ListedUris = { holdersOf: () => [], uris: () => [] };

  constructor(upstreams: ReadonlyMap<string, Pick<Upstream, 'ownerOf'>>) {
    this.#upstreams = upstreams;
  }

  /** Takes the blocks of an answer, or the contents of a resource. */
  noteBlocks(upstream: string, caller: Caller, blocks: unknown): void {
    this.noteLinks(upstream, caller, linksIn(blocks));
  }

  /** Takes what `linksIn` found in an answer. */
  noteLinks(upstream: string, caller: Caller, uris: readonly string[]): void {
    for (const uri of uris) this.#remember(upstream, this.#keyOf(upstream, caller, uri));
  }

  /** From now on it is known whose lists hold a URI. */
  knowLists(lists: ListedUris): void {
    this.#lists = lists;
  }

  /** An answer as `nameShared` names what it links to. */
  nameShared<T extends JsonObject>(upstream: string, result: T, member: 'content' | 'messages'): T {
    return nameShared(result, member, { upstream, isOfOthers: (uri) => this.#isOfOthers(upstream, uri) });
  }

  /** The URIs of pages and skills that other servers than this have. */
  ofOthers(upstream: string): readonly string[] {
    const uris = [...this.#lists.uris(), ...[...this.#pages.values()].flatMap((pages) => [...pages])];
    return uris.filter((uri) => keepsScheme(uri) && this.#isOfOthers(upstream, uri));
  }

  #isOfOthers(upstream: string, uri: string): boolean {
    if (this.#lists.holdersOf(uri).some((holder) => holder !== upstream)) return true;
    return [...this.#pages].some(([holder, pages]) => holder !== upstream && pages.has(uri));
  }

  noteTools(upstream: string, tools: readonly RawTool[]): void {
    const pages = tools.flatMap((tool) => pageOf(tool) ?? []);
    this.#pages.set(upstream, new Set(pages.slice(0, MOST_LINKS)));
  }

  /** The upstreams that have given this caller a link to a URI. */
  linkersOf(uri: string, caller: Caller): readonly string[] {
    return [...this.#upstreams.keys()].filter((upstream) => {
      if (this.#pages.get(upstream)?.has(uri) === true) return true;
      const key = this.#keyOf(upstream, caller, uri);
      if (this.#given.get(upstream)?.has(key) !== true) return false;
      this.#remember(upstream, key);
      return true;
    });
  }

  #keyOf(upstream: string, caller: Caller, uri: string): string {
    return `${this.#upstreams.get(upstream)?.ownerOf(caller) ?? ''} ${uri}`;
  }

  #remember(upstream: string, key: string): void {
    const links = getOrMake(this.#given, upstream, () => new Set());
    links.delete(key);
    links.add(key);
    if (links.size <= MOST_LINKS) return;
    for (const oldest of links) {
      links.delete(oldest);
      return;
    }
  }
}

/** What the lists of resources hold. */
interface ListedUris {
  readonly holdersOf: (uri: string) => readonly string[];
  readonly uris: () => Iterable<string>;
}

interface Naming {
  readonly upstream: string;
  /** Whether other servers have the page or the skill, too. */
  readonly isOfOthers: (uri: string) => boolean;
}

/**
 * An answer in which pages and skills that several servers have under one URI are named as those of the server that answers: their
 * lists and definitions name them so. Addresses of other schemes may be open to anybody, and stay.
 */
export function nameShared<T extends JsonObject>(
  result: T,
  member: 'content' | 'messages',
  { upstream, isOfOthers }: Naming,
): T {
  const isShared = (uri: unknown): uri is string => typeof uri === 'string' && keepsScheme(uri) && isOfOthers(uri);
  const own = renamePages(result, upstream, isShared) as T;
  const blocks = own[member];
  if (!Array.isArray(blocks)) return own;
  const nameBlock = (block: unknown): unknown => {
    if (!isJsonObject(block)) return block;
    const { uri, resource } = block;
    if (isShared(uri)) return { ...block, uri: qualifyUri({ upstream, id: uri }) };
    if (!isJsonObject(resource) || !isShared(resource['uri'])) return block;
    return { ...block, resource: { ...resource, uri: qualifyUri({ upstream, id: resource['uri'] }) } };
  };
  const named = blocks.map((block: unknown) => {
    if (member === 'content' || !isJsonObject(block)) return nameBlock(block);
    const content = nameBlock(block['content']);
    return content === block['content'] ? block : { ...block, content };
  });
  return named.every((block, at) => block === blocks[at]) ? own : { ...own, [member]: named };
}

/** The links in the blocks of an answer that can be followed. */
export function linksIn(blocks: unknown): readonly string[] {
  return Array.isArray(blocks) ? blocks.slice(0, MOST_BLOCKS).flatMap((block) => uriOf(block) ?? []) : [];
}

/** The URI of a link, of an embedded resource, or of the contents of a resource. */
function uriOf(block: unknown): string | undefined {
  if (!isJsonObject(block)) return undefined;
  const { resource } = block;
  const uri = isJsonObject(resource) ? resource['uri'] : block['uri'];
  return isRemembered(uri) ? uri : undefined;
}

/** The page that shows a tool's answers, in the form of the extension or in that of its drafts. */
function pageOf(tool: unknown): string | undefined {
  const meta = isJsonObject(tool) ? tool['_meta'] : undefined;
  if (!isJsonObject(meta)) return undefined;
  const { ui, 'ui/resourceUri': draft } = meta;
  const uri = isJsonObject(ui) ? ui['resourceUri'] : draft;
  return isRemembered(uri) ? uri : undefined;
}

function isRemembered(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.length <= LONGEST_URI;
}
