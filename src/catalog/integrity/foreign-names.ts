import { isJsonObject } from '../../base/json/json.js';
import type { RawTool } from '../../base/protocol/tools.js';

/** A tool, and the words of its description that `findNameWords` found. */
interface ReadTool {
  readonly raw: RawTool;
  readonly nameWords: ReadonlySet<string>;
}

interface ReadTools<Tool> {
  readonly upstream: string;
  readonly tools: readonly Tool[];
}

/** A tool whose description names tools of other upstreams. */
interface Mentioning<Tool> {
  readonly tool: Tool;
  readonly upstream: string;
  /** Each with the one upstream that has a tool of the name. */
  readonly names: readonly { readonly word: string; readonly owner: string }[];
}

/**
 * Tools that name a tool of exactly one other upstream, which is how one server steers the calls of another. A name that
 * the server itself uses, for a tool or a parameter, is its own.
 */
export function findForeignNames<Tool extends ReadTool>(sets: readonly ReadTools<Tool>[]): readonly Mentioning<Tool>[] {
  const owners = indexOwners(sets);
  return sets.flatMap(({ upstream, tools }): readonly Mentioning<Tool>[] => {
    const found = tools.map((tool) => ({ tool, upstream, names: namesOf(tool, upstream, owners) }));
    const mentioning = found.filter(({ names }) => names.length > 0);
    if (mentioning.length === 0) return [];
    const own = new Set(tools.flatMap(({ raw }) => ownNames(raw)));
    return mentioning.map((one) => ({ ...one, names: one.names.filter(({ word }) => !own.has(word)) }));
  });
}

function namesOf({ nameWords }: ReadTool, upstream: string, owners: ReadonlyMap<string, string>) {
  return [...nameWords].flatMap((word) => {
    const owner = owners.get(word) ?? upstream;
    return owner === upstream ? [] : [{ word, owner }];
  });
}

/** Names of a single word, or of few letters, are also English words and do not count; no honest name is longer. */
const DISTINCTIVE_NAME = /^(?=.{6,128}$)(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z]?[a-z0-9]+[A-Z][A-Za-z0-9]*)$/;
/** What stands between words that may be such names, so that each character of a text is looked at once. */
const BETWEEN_WORDS = /[^A-Za-z0-9_-]+|[_-]{2,}/;

/** Whether a word is a name of a tool rather than an English word. */
function isDistinctiveName(word: unknown): word is string {
  return typeof word === 'string' && DISTINCTIVE_NAME.test(word);
}

/** The words of a description that may be names of tools. */
export function findNameWords({ description }: RawTool): ReadonlySet<string> {
  const said = typeof description === 'string' ? description.split(BETWEEN_WORDS) : [];
  return new Set(said.map((word) => word.replace(/^[_-]|[_-]$/g, '')).filter(isDistinctiveName));
}

/** Distinctive names that one upstream alone offers, and which. */
function indexOwners(sets: readonly ReadTools<ReadTool>[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const { upstream, tools } of sets) {
    for (const { raw } of tools) {
      const name = raw['name'];
      if (!isDistinctiveName(name)) continue;
      if (owners.has(name) && owners.get(name) !== upstream) shared.add(name);
      owners.set(name, upstream);
    }
  }
  for (const name of shared) owners.delete(name);
  return owners;
}

function ownNames({ name, inputSchema }: RawTool): readonly string[] {
  const properties =
    isJsonObject(inputSchema) && isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  return [String(name), ...Object.keys(properties)];
}
