import { isJsonObject } from '../protocol/json.js';
import type { RawTool } from '../protocol/tools.js';

/** What MCP says that hints mean which are left out; some SDKs write them on every tool whose author gives none. */
const DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true } as const;

/** Whether all tools of a server carry MCP's default hints. Then an SDK wrote them, and they say nothing about any tool. */
export function hasDefaultHints(tools: readonly RawTool[]): boolean {
  return tools.length > 1 && tools.every(({ annotations }) => isJsonObject(annotations) && isDefault(annotations));
}

function isDefault(annotations: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(DEFAULTS).every(([hint, value]) => annotations[hint] === value);
}
