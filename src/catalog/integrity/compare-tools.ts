import { createHash } from 'node:crypto';
import { canonicalizeSchema, canonicalSchemaJson } from '../../lib/canonical-json.js';
import type { JsonObject } from '../../protocol/json.js';
import type { RawTool, ToolSet } from '../../protocol/tools.js';
import { screenTools } from '../screen-tools.js';
import { diffDefinitions, summarizeDefinition } from './diff-definitions.js';

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

/** What a tool was when it was accepted, or first seen. */
interface KnownTool {
  readonly fingerprint: string;
  readonly definition: JsonObject;
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

/** What a model is told of a tool, and what its calls are checked against. Icons and `_meta` are neither. */
const DEFINING_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** Stands for a definition that is beyond reading; it equals nothing, not even itself. */
export const UNREADABLE = 'unreadable';

/** A tool object never changes, and a catalog is built many times from the same ones. */
const fingerprints = new WeakMap<RawTool, string>();

/** `sha256:` and the hash of the definition in canonical form: the same for every order of its members. Never throws. */
export function fingerprintTool(tool: RawTool): string {
  const known = fingerprints.get(tool);
  if (known !== undefined) return known;
  const fingerprint = computeFingerprint(tool);
  fingerprints.set(tool, fingerprint);
  return fingerprint;
}

/** The fields that the fingerprint is of, in canonical form; the name alone where they are beyond reading. */
export function readDefinition(tool: RawTool): JsonObject {
  try {
    return canonicalizeSchema(pickDefinition(tool)) as JsonObject;
  } catch {
    return { name: tool['name'] };
  }
}

function computeFingerprint(tool: RawTool): string {
  try {
    const text = canonicalSchemaJson(pickDefinition(tool));
    return `sha256:${createHash('sha256').update(text).digest('hex')}`;
  } catch {
    // Nested beyond reason.
    return UNREADABLE;
  }
}

function pickDefinition(tool: RawTool): JsonObject {
  return Object.fromEntries(
    DEFINING_FIELDS.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]])),
  );
}
