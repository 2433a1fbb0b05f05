import { isJsonObject } from '../../protocol/json.js';
import type { RawTool, ToolSet } from '../../protocol/raw-tool.js';

/** A tool whose description speaks of another server's tool. */
export interface Mention {
  readonly tool: string;
  /** The name it uses. */
  readonly mentioned: string;
  /** The upstream, by slug, whose tool that is. */
  readonly owner: string;
}

/** Names of a single word, or of few letters, are words of the language too. */
const DISTINCTIVE = /^(?=.{6,})(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z]?[a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)$/;
const WORDS = /[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z]?[a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+/g;

const spoken = new WeakMap<RawTool, ReadonlySet<string>>();

/**
 * Tools that name a tool of exactly one other upstream, which is how one server steers the calls of another. A name that
 * the server itself uses, for a tool or a parameter, is its own.
 */
export function findMentions(toolSet: ToolSet, owners: ReadonlyMap<string, string>): readonly Mention[] {
  const tools = toolSet.tools.filter(isJsonObject);
  let own: ReadonlySet<string> | undefined;
  return tools.flatMap((tool) => {
    const foreign = [...wordsOf(tool)].filter((word) => (owners.get(word) ?? toolSet.upstream) !== toolSet.upstream);
    if (foreign.length === 0) return [];
    own ??= new Set(tools.flatMap(ownNames));
    return foreign
      .filter((word) => own?.has(word) !== true)
      .map((word) => ({ tool: String(tool['name']), mentioned: word, owner: owners.get(word) ?? '' }));
  });
}

/** Distinctive names that one upstream alone offers, and which. */
export function indexOwners(toolSets: readonly ToolSet[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const { upstream, tools } of toolSets) {
    for (const tool of tools.filter(isJsonObject)) {
      const name = tool['name'];
      if (typeof name !== 'string' || !DISTINCTIVE.test(name)) continue;
      if (owners.has(name) && owners.get(name) !== upstream) shared.add(name);
      owners.set(name, upstream);
    }
  }
  for (const name of shared) owners.delete(name);
  return owners;
}

function wordsOf(tool: RawTool): ReadonlySet<string> {
  const known = spoken.get(tool);
  if (known !== undefined) return known;
  const { description } = tool;
  const words = new Set(typeof description === 'string' ? description.match(WORDS) : []);
  spoken.set(tool, words);
  return words;
}

function ownNames({ name, inputSchema }: RawTool): readonly string[] {
  const properties =
    isJsonObject(inputSchema) && isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  return [String(name), ...Object.keys(properties)];
}
