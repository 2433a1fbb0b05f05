import { createHash } from 'node:crypto';
import { canonicalizeSchema, canonicalSchemaJson } from '../../lib/canonical-json.js';
import { mapInSteps, runAtOnce, type Sliced, sortInSteps } from '../../lib/turns.js';
import type { JsonObject } from '../../protocol/json.js';
import type { RawTool, ToolSet } from '../../protocol/tools.js';
import { screenToolsInSlices } from '../screen-tools.js';
import { diffDefinitions, summarizeDefinition } from './diff-definitions.js';

/** By the upstream's own name for the tool. */
export type KnownTools = Readonly<Record<string, KnownTool>>;

/** A tool that differs from what is known of it. */
export interface DefinitionChange {
  readonly kind: 'new' | 'changed' | 'vanished';
  /** As the upstream spells it. */
  readonly tool: string;
  /** What changed, or how a new tool describes itself; one line each, for people. */
  readonly details: readonly string[];
}

/** A tool as it was when it was accepted or first seen. */
interface KnownTool {
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

/** Takes the tools that an upstream offered first as known. */
export function* knowTools(toolSet: ToolSet): Sliced<KnownTools> {
  const { tools } = yield* screenToolsInSlices(toolSet);
  const known = yield* mapInSteps(
    tools,
    ({ name, raw }) => [name, { fingerprint: fingerprintTool(raw), definition: raw }] as const,
  );
  return Object.fromEntries(known);
}

/** The changes from nothing: every tool that can be called is new. */
export function* listAsNew(toolSet: ToolSet): Sliced<readonly DefinitionChange[]> {
  const { tools } = yield* screenToolsInSlices(toolSet);
  return tools.map(({ name }) => ({ kind: 'new', tool: name, details: [] }));
}

/** Every tool that is new, changed or gone, ordered by name. Tools that cannot be called are not compared. */
export function compareTools(toolSet: ToolSet, known: KnownTools): readonly DefinitionChange[] {
  return runAtOnce(compareToolsInSlices(toolSet, known));
}

/** The same, in slices. */
export function* compareToolsInSlices(toolSet: ToolSet, known: KnownTools): Sliced<readonly DefinitionChange[]> {
  const { tools } = yield* screenToolsInSlices(toolSet);
  const offered = new Set(tools.map(({ name }) => name));
  const differing = yield* mapInSteps(tools, ({ name, raw }): readonly DefinitionChange[] => {
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
  return yield* sortInSteps([...differing.flat(), ...vanished], (a, b) => (a.tool < b.tool ? -1 : 1));
}

/**
 * People reviewed the definition, so the fingerprint beside it counts only while it matches that definition. A definition
 * that cannot be read has no `sha256:` fingerprint and equals nothing.
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
  return details.length > 0 ? details : ['the fingerprint in the lock does not match the definition beside it'];
}

/** What a model reads about a tool, and what its calls are checked against. Icons and `_meta` are neither. */
const DEFINING_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** The fingerprint of a definition that cannot be read; it equals nothing, not even itself. */
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

/** The fields that the fingerprint covers, in canonical form; the name alone where they cannot be read. */
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
    // Nested too deeply for JSON.
    return UNREADABLE;
  }
}

function pickDefinition(tool: RawTool): JsonObject {
  return Object.fromEntries(
    DEFINING_FIELDS.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]])),
  );
}
