import { isJsonObject } from '../../protocol/json.js';
import type { Finding, ToolSet } from '../../protocol/raw-tool.js';
import { findMentions, indexOwners } from './find-mentions.js';
import { inspectDefinition } from './inspect-definition.js';

/** What in the upstreams' definitions an operator should look at. Nothing is left out of the catalog for it. */
export function inspectTools(toolSets: readonly ToolSet[]): readonly Finding[] {
  const owners = indexOwners(toolSets);
  return toolSets.flatMap((toolSet) => [...inspectEach(toolSet), ...describeMentions(toolSet, owners)]);
}

function inspectEach({ upstream, tools }: ToolSet): readonly Finding[] {
  return tools.filter(isJsonObject).flatMap((raw) => {
    const tool = String(raw['name']);
    return inspectDefinition(raw).map(({ kind, says }) => report(kind, upstream, tool, says));
  });
}

function describeMentions(toolSet: ToolSet, owners: ReadonlyMap<string, string>): readonly Finding[] {
  return findMentions(toolSet, owners).map(({ tool, mentioned, owner }) =>
    report('names-other-tool', toolSet.upstream, tool, `speaks of '${mentioned}', a tool of '${owner}'`),
  );
}

function report(kind: string, upstream: string, tool: string, says: string): Finding {
  const message = `Tool '${tool}' of '${upstream}' should be looked at: its definition ${says}`;
  return { severity: 'warning', kind, upstream, tool, message };
}
