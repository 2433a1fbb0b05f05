import { createHash } from 'node:crypto';
import { canonicalizeSchema, canonicalSchemaJson } from '../json/canonical-json.js';
import { isJsonObject, type JsonObject } from '../json/json.js';
import type { RawTool } from './tools.js';

/** How fingerprints of the whole definition begin. */
const WHOLE = 'sha256/2:';
/** How fingerprints of locks begin that an earlier version wrote. */
export const FIRST = 'sha256:';

/** What counted first. */
export const FIRST_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** The fingerprint of a definition that cannot be read; it equals nothing, not even itself. */
export const UNREADABLE = 'unreadable';

/** `sha256/2:` and the hash of the definition in canonical form: the same for every order of its members. Never throws. */
export function fingerprintTool(tool: RawTool): string {
  return computeFingerprint(WHOLE, () => pickDefinition(tool));
}

/** The fingerprint as an earlier version computed it. */
export function fingerprintAsFirst(tool: RawTool): string {
  return computeFingerprint(FIRST, () =>
    Object.fromEntries(FIRST_FIELDS.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]]))),
  );
}

function computeFingerprint(prefix: string, pick: () => JsonObject): string {
  try {
    return `${prefix}${createHash('sha256').update(canonicalSchemaJson(pick())).digest('hex')}`;
  } catch {
    // Nested too deeply for JSON.
    return UNREADABLE;
  }
}

/**
 * Whatever of a definition reaches clients, in one mode or another, but pictures, and what programs say to each other in `_meta`; of that the
 * page counts that shows a tool's answers (MCP Apps).
 */
function pickDefinition(tool: RawTool): JsonObject {
  const { icons: _icons, _meta: meta, ...definition } = tool;
  const ui = isJsonObject(meta) ? Object.entries(meta).filter(([name]) => name === 'ui' || name.startsWith('ui/')) : [];
  const given = Object.entries(definition).filter(([, value]) => value !== undefined);
  return Object.fromEntries(ui.length === 0 ? given : [...given, ['_meta', Object.fromEntries(ui)]]);
}

/** What the fingerprint covers, in canonical form; the name alone where it cannot be read. */
export function readDefinition(tool: RawTool): JsonObject {
  try {
    return canonicalizeSchema(pickDefinition(tool)) as JsonObject;
  } catch {
    return { name: tool['name'] };
  }
}
