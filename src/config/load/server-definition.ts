import { isJsonObject } from '../../base/json/json.js';
import { type JsonPath, valueAt } from '../../base/json/json-path.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { GatewayDocument, ServerEntry, UpstreamDocument } from '../config-document.js';
import type { Diagnostics } from './diagnostics.js';

/** A definition and the diagnostics of its document. */
export interface LocatedDefinition extends ServerDefinition {
  readonly diagnostics: Diagnostics;
}

/** One definition of a server: an entry of the main file, or a file of its own. */
interface ServerDefinition<Entry = ServerEntry> {
  readonly name: string;
  readonly slug: string;
  readonly path: JsonPath;
  readonly entry: Entry;
}

/** Where a main file may hold servers: our key, VS Code's, and VS Code's settings. */
export const BLOCKS: readonly (readonly string[])[] = [['mcpServers'], ['servers'], ['mcp', 'servers']];

/** The servers of a main file, in any of the blocks. Also works on documents that are not validated. */
export function listServers(document: GatewayDocument): readonly ServerDefinition[];
export function listServers(document: unknown): readonly ServerDefinition<unknown>[];
export function listServers(document: unknown): readonly ServerDefinition<unknown>[] {
  return BLOCKS.flatMap((block) => {
    const servers = valueAt(document, block);
    if (!isJsonObject(servers)) return [];
    return Object.entries(servers).map(([name, entry]) => ({
      name,
      slug: toSlug(name),
      path: [...block, name],
      entry,
    }));
  });
}

/** The definition in a file of its own. */
export function readServer(document: UpstreamDocument, stem: string): ServerDefinition;
export function readServer(document: unknown, stem: string): ServerDefinition<unknown>;
export function readServer(document: unknown, stem: string): ServerDefinition<unknown> {
  const given = valueAt(document, ['name']);
  const name = typeof given === 'string' ? given : stem;
  return { name, slug: toSlug(name), path: [], entry: document };
}

/** The slugs of disabled servers; the last definition that has `disabled` counts. */
export function findDisabled(definitions: readonly ServerDefinition<unknown>[]): ReadonlySet<string> {
  const disabled = new Set<string>();
  for (const { slug, entry } of definitions) {
    const flag = valueAt(entry, ['disabled']);
    if (flag === true) disabled.add(slug);
    if (flag === false) disabled.delete(slug);
  }
  return disabled;
}

/** An upstream's name as the qualifier of its operations: `GitHub-API` is `git_hub_api`. */
export function toSlug(name: string): string {
  return toSnakeCase(name, 'mcp');
}
