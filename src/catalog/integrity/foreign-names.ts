import { isJsonObject } from '../../base/json/json.js';
import type { RawTool, ToolSet } from '../../base/protocol/tools.js';
import { isDistinctiveName } from './name-words.js';
import type { ToolRecord, ToolRecords } from './tool-record.js';

/** A tool whose description names tools of other upstreams. */
interface Mentioning {
  readonly tool: ToolRecord;
  readonly upstream: string;
  /** Each with the one upstream that has a tool of the name. */
  readonly names: readonly { readonly word: string; readonly owner: string }[];
}

/**
 * Tools that name a tool of exactly one other upstream, which is how one server steers the calls of another. A name that
 * the server itself uses, for a tool or a parameter, is its own.
 */
export function findForeignNames(toolSets: readonly ToolSet[], records: ToolRecords): readonly Mentioning[] {
  const owners = indexOwners(toolSets);
  return toolSets.flatMap(({ upstream, tools }): readonly Mentioning[] => {
    const readable = tools.filter(isJsonObject).map((tool) => records.of(tool));
    const found = readable.map((tool) => ({ tool, upstream, names: namesOf(tool, upstream, owners) }));
    const mentioning = found.filter(({ names }) => names.length > 0);
    if (mentioning.length === 0) return [];
    const own = new Set(readable.flatMap(({ raw }) => ownNames(raw)));
    return mentioning.map((one) => ({ ...one, names: one.names.filter(({ word }) => !own.has(word)) }));
  });
}

function namesOf({ nameWords }: ToolRecord, upstream: string, owners: ReadonlyMap<string, string>) {
  return [...nameWords].flatMap((word) => {
    const owner = owners.get(word) ?? upstream;
    return owner === upstream ? [] : [{ word, owner }];
  });
}

/** Distinctive names that one upstream alone offers, and which. */
function indexOwners(toolSets: readonly ToolSet[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const { upstream, tools } of toolSets) {
    for (const tool of tools.filter(isJsonObject)) {
      const name = tool['name'];
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
