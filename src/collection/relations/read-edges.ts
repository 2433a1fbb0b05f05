import type { RelationConfig } from '../../config/gateway-config.js';
import { readField } from '../../protocol/expression/read-field.js';
import { type GraphEdge, type GraphNode, toNode } from './relation-graph.js';

/**
 * The edges that an answer tells; undefined where it holds nothing where they should be. An end that is a list stands for as
 * many edges; an edge without an end is none.
 * @param looked the node that the answer is about, where it is about one
 */
export function readEdges(answer: unknown, relation: RelationConfig, looked?: GraphNode): GraphEdge[] | undefined {
  const found = readPath(answer, relation.edges);
  if (found === null) return undefined;
  const items: readonly unknown[] = Array.isArray(found) ? found : [found];
  const edges: GraphEdge[] = [];
  for (const item of items) {
    const type = readType(item, relation);
    const targets = readEnds(item, relation.target, looked);
    for (const source of readEnds(item, relation.source, looked)) {
      for (const target of targets) edges.push({ source, target, type });
    }
  }
  return edges;
}

function readPath(value: unknown, path: string): unknown {
  return path === '' ? value : readField(value, path.split('.'));
}

function readEnds(item: unknown, path: string | null, looked: GraphNode | undefined): readonly GraphNode[] {
  if (path === null) return looked === undefined ? [] : [looked];
  const value = readPath(item, path);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => toNode(one) ?? []);
}

function readType(item: unknown, { type, relationship }: RelationConfig): string {
  const told = type === null ? undefined : toNode(readPath(item, type));
  return told?.id ?? relationship;
}
