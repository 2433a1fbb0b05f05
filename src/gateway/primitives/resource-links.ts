import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OwnedMap, type Whose } from '../../base/lib/owned-map.js';
import type { Caller } from '../../base/protocol/call.js';
import { keepsScheme, qualifyUri } from '../../base/protocol/qualified-names.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { renamePages } from '../../catalog/endpoint/own-pages.js';
import type { Upstream } from '../../upstream/upstream.js';

/** The links that are remembered of one owner at an upstream; the ones that were given or followed longest ago are forgotten. */
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
  readonly #upstreams: ReadonlyMap<string, Pick<Upstream, 'ownerOf' | 'readerOf'>>;
  /** URIs, the latest last. */
  readonly #given = new OwnedMap<Set<string>>();
  readonly #pages = new OwnedMap<ReadonlySet<string>>();
  #listsOf: (caller: Caller) => ListedUris = () => ({ holdersOf: () => [], uris: () => [] });

  constructor(upstreams: ReadonlyMap<string, Pick<Upstream, 'ownerOf' | 'readerOf'>>) {
    this.#upstreams = upstreams;
  }

  /** Takes the blocks of an answer, or the contents of a resource. */
  noteBlocks(upstream: string, caller: Caller, blocks: unknown): void {
    this.noteLinks(upstream, caller, linksIn(blocks));
  }

  /** Takes what `linksIn` found in an answer. */
  noteLinks(upstream: string, caller: Caller, uris: readonly string[]): void {
    for (const uri of uris) this.#remember(this.#whose(upstream, caller), uri);
  }

  /** From now on it is known whose lists hold a URI, as a caller sees them. */
  knowLists(listsOf: (caller: Caller) => ListedUris): void {
    this.#listsOf = listsOf;
  }

  /** An answer as `nameShared` names what it links to. */
  nameShared<T extends JsonObject>(upstream: string, caller: Caller, result: T, member: 'content' | 'messages'): T {
    return nameShared(result, member, { upstream, isOfOthers: (uri) => this.#isOfOthers(upstream, caller, uri) });
  }

  /** The URIs of pages and skills that other servers than this have for the caller. */
  ofOthers(upstream: string, caller: Caller): readonly string[] {
    const pages = [...this.#upstreams.keys()].flatMap((slug) => [...(this.#pagesOf(slug, caller) ?? [])]);
    const uris = [...this.#listsOf(caller).uris(), ...pages];
    return uris.filter((uri) => keepsScheme(uri) && this.#isOfOthers(upstream, caller, uri));
  }

  #isOfOthers(upstream: string, caller: Caller, uri: string): boolean {
    const listed = this.#listsOf(caller).holdersOf(uri);
    return [...this.#upstreams.keys()].some(
      (slug) => slug !== upstream && (listed.includes(slug) || this.#pagesOf(slug, caller)?.has(uri) === true),
    );
  }

  #pagesOf(upstream: string, caller: Caller): ReadonlySet<string> | undefined {
    const owner = this.#upstreams.get(upstream)?.readerOf(caller);
    return this.#pages.get({ upstream, owner }) ?? this.#pages.get({ upstream, owner: undefined });
  }

  noteTools(whose: Whose, tools: readonly RawTool[]): void {
    const pages = tools.flatMap((tool) => pageOf(tool) ?? []);
    this.#pages.set(whose, new Set(pages.slice(0, MOST_LINKS)));
  }

  /** A server is another one, or gone. */
  forget(upstream: string): void {
    this.#given.deleteServer(upstream);
    this.#pages.deleteServer(upstream);
  }

  /** The upstreams that have given this caller a link to a URI. */
  linkersOf(uri: string, caller: Caller): readonly string[] {
    return [...this.#upstreams.keys()].filter((upstream) => {
      if (this.#pagesOf(upstream, caller)?.has(uri) === true) return true;
      const whose = this.#whose(upstream, caller);
      if (this.#given.get(whose)?.has(uri) !== true) return false;
      this.#remember(whose, uri);
      return true;
    });
  }

  #whose(upstream: string, caller: Caller): Whose {
    return { upstream, owner: this.#upstreams.get(upstream)?.ownerOf(caller) };
  }

  #remember(whose: Whose, uri: string): void {
    const links = this.#given.get(whose) ?? new Set();
    this.#given.set(whose, links);
    links.delete(uri);
    links.add(uri);
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
