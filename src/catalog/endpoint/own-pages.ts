import { isJsonObject } from '../../base/json/json.js';
import { qualifyUri } from '../../base/protocol/qualified-names.js';
import type { RawTool, ToolSet } from '../../base/protocol/tools.js';

/** The member of `_meta` with a tool's page, as drafts of MCP Apps have it. */
const DRAFT = 'ui/resourceUri';

/**
 * Lets each tool name the page that shows its answers (MCP Apps) as that of its own server, where tools of several servers have pages of
 * the same URI.
 */
export function ownPages(toolSets: readonly ToolSet[]): (upstream: string, raw: RawTool) => RawTool {
  const holders = new Map<string, Set<string>>();
  for (const { upstream, tools } of toolSets) {
    for (const uri of tools.flatMap(pagesOf)) holders.set(uri, (holders.get(uri) ?? new Set()).add(upstream));
  }
  const isShared = (uri: string): boolean => (holders.get(uri)?.size ?? 0) > 1;
  return (upstream, raw) => renamePages(raw, upstream, isShared);
}

/** A definition, or a result, whose `_meta` names pages that are shared as those of its own server. */
export function renamePages(raw: RawTool, upstream: string, isShared: (uri: string) => boolean): RawTool {
  return pagesOf(raw).some(isShared) ? rename(raw, upstream, isShared) : raw;
}

function pagesOf(raw: unknown): readonly string[] {
  const { _meta: meta } = isJsonObject(raw) ? raw : {};
  if (!isJsonObject(meta)) return [];
  const { ui } = meta;
  return [isJsonObject(ui) ? ui['resourceUri'] : undefined, meta[DRAFT]].filter((uri) => typeof uri === 'string');
}

function rename(raw: RawTool, upstream: string, isShared: (uri: string) => boolean): RawTool {
  const name = (uri: unknown): unknown =>
    typeof uri === 'string' && isShared(uri) ? qualifyUri({ upstream, id: uri }) : uri;
  const meta = isJsonObject(raw['_meta']) ? raw['_meta'] : {};
  const { ui, [DRAFT]: draft } = meta;
  return {
    ...raw,
    _meta: {
      ...meta,
      ...(isJsonObject(ui) ? { ui: { ...ui, resourceUri: name(ui['resourceUri']) } } : {}),
      ...(draft === undefined ? {} : { [DRAFT]: name(draft) }),
    },
  };
}
