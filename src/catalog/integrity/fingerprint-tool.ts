import { createHash } from 'node:crypto';
import type { JsonObject } from '../../protocol/json.js';
import type { RawTool } from '../../protocol/raw-tool.js';
import { canonicalize, canonicalJson } from './canonical-json.js';

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
    return canonicalize(pickDefinition(tool)) as JsonObject;
  } catch {
    return { name: tool['name'] };
  }
}

function computeFingerprint(tool: RawTool): string {
  try {
    const text = canonicalJson(pickDefinition(tool));
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
