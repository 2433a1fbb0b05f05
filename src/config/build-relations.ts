import type { RelationEntry } from './config-document.js';
import type { Notes } from './config-report.js';
import type { RelationConfig } from './gateway-config.js';
import type { JsonPath } from './json-path.js';
import { mentionsNode, NODE_SIGN } from './mentions-node.js';
import type { NotedDefinition } from './server-definition.js';

/** The relations of every place that speaks of a server, in order. What is wrong goes into the notes. */
export function buildRelations(definitions: readonly NotedDefinition[]): readonly RelationConfig[] {
  return definitions.flatMap(({ entry, path, notes }) =>
    (entry.relations ?? []).map((relation, index) => {
      noteMissingEnd(relation, [...path, 'relations', index], notes);
      const { relationship, operation, params = {}, edges = '', source = null, target = null, type = null } = relation;
      return { relationship, operation, params, edges, source, target, type };
    }),
  );
}

/** What the node that is looked at cannot be, since nobody is looked at or it would stand at both ends. */
function noteMissingEnd({ params = {}, source, target }: RelationEntry, path: JsonPath, notes: Notes): void {
  if (notes.has(path)) return;
  const asksForOne = mentionsNode(params);
  if (asksForOne && source === undefined && target === undefined) {
    notes.problem(path, "expected 'source' or 'target': the node that is looked at cannot be both");
  }
  if (asksForOne) return;
  for (const [key, given] of Object.entries({ source, target })) {
    if (given !== undefined) continue;
    const hint = `or write '${NODE_SIGN}' into 'params' for the node that is looked at`;
    notes.problem([...path, key], 'missing; expected a path, as one call tells all connections', hint);
  }
}
