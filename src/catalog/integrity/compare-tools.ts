import type { JsonObject } from '../../protocol/json.js';
import type { ToolSet } from '../../protocol/raw-tool.js';
import { screenTools } from '../screen-tools.js';
import { diffDefinitions, summarizeDefinition } from './diff-definitions.js';
import { fingerprintTool, readDefinition } from './fingerprint-tool.js';

/** What a tool was when it was accepted, or first seen. */
export interface KnownTool {
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

/** By the upstream's own name for the tool. */
export type KnownTools = Readonly<Record<string, KnownTool>>;

/** A tool that is not what is known of it. */
export interface DefinitionChange {
  readonly kind: 'new' | 'changed' | 'vanished';
  /** As the upstream spells it. */
  readonly tool: string;
  /** What changed, or what a new tool says of itself; a line each, for people. */
  readonly details: readonly string[];
}

/** What is known of tools that were never accepted but offered first. */
export function knowTools(toolSet: ToolSet): KnownTools {
  return Object.fromEntries(
    screenTools(toolSet).tools.map(({ name, raw }) => [name, { fingerprint: fingerprintTool(raw), definition: raw }]),
  );
}

/** Every tool that is new, changed or gone, ordered by name. Tools that cannot be called anyway are not looked at. */
export function compareTools(toolSet: ToolSet, known: KnownTools): readonly DefinitionChange[] {
  const { tools } = screenTools(toolSet);
  const offered = new Set(tools.map(({ name }) => name));
  const differing = tools.flatMap(({ name, raw }): readonly DefinitionChange[] => {
    if (!Object.hasOwn(known, name)) {
      return [{ kind: 'new', tool: name, details: summarizeDefinition(readDefinition(raw)) }];
    }
    const before = known[name];
    if (before === undefined || isSame(before, fingerprintTool(raw))) return [];
    return [{ kind: 'changed', tool: name, details: explainChange(before.definition, readDefinition(raw)) }];
  });
  const vanished = Object.keys(known)
    .filter((tool) => !offered.has(tool))
    .map((tool): DefinitionChange => ({ kind: 'vanished', tool, details: [] }));
  return [...differing, ...vanished].sort((a, b) => (a.tool < b.tool ? -1 : 1));
}

/**
 * What people reviewed is the definition, so the fingerprint beside it counts only while it is that definition's. A
 * definition beyond reading has no `sha256:` fingerprint and equals nothing.
 */
function isSame(before: KnownTool, fingerprint: string): boolean {
  return (
    fingerprint.startsWith('sha256:') &&
    before.fingerprint === fingerprint &&
    fingerprintTool(before.definition) === fingerprint
  );
}

function explainChange(before: JsonObject, after: JsonObject): readonly string[] {
  const details = diffDefinitions(before, after);
  return details.length > 0 ? details : ['the fingerprint in the lock is not that of the definition beside it'];
}
