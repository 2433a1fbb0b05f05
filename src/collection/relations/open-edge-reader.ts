import { mentionsNode, NODE_SIGN } from '../../config/mentions-node.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import { readEdges } from './read-edges.js';
import type { GraphEdge, GraphNode } from './relation-graph.js';
import type { RelationSource } from './relation-source.js';

/**
 * Calls a READ operation of an upstream as the caller of the query would, and resolves with its data. Rejects with an
 * `OperationError`, also for an operation that does not exist or is no READ.
 * @param operation the tool's or the operation's name, as the relation writes it
 */
export type CallOperation = (upstream: string, operation: string, params: JsonObject) => Promise<unknown>;

/** What was found around a node, or why nothing could be. */
export type Look = { readonly edges: readonly GraphEdge[] } | { readonly error: OperationError };

export interface EdgeReader {
  readonly source: RelationSource;
  /** How many calls the next look costs: 0 or 1. */
  readonly cost: number;
  /** The edges of a node. Rejects with nothing but defects. */
  look(node: GraphNode): Promise<Look>;
}

/** Reads the edges that one relation tells; what is told all at once is called for once. */
export function openEdgeReader(source: RelationSource, callOperation: CallOperation): EdgeReader {
  const { upstream, relation } = source;
  const read = async (node?: GraphNode): Promise<Look> => {
    try {
      const params = node === undefined ? relation.params : fillIn(relation.params, node);
      const answer = await callOperation(upstream, relation.operation, params as JsonObject);
      const edges = readEdges(answer, relation, node);
      if (edges !== undefined) return { edges };
      // Of one node there may be none; a list of all edges that is not there is another answer than was expected.
      return node === undefined || !isStructured(answer) ? { error: noList(source) } : { edges: [] };
    } catch (cause) {
      if (cause instanceof OperationError) return { error: cause };
      throw cause;
    }
  };
  return mentionsNode(relation.params) ? { source, cost: 1, look: read } : wholeReader(source, read);
}

function wholeReader(source: RelationSource, read: () => Promise<Look>): EdgeReader {
  let index: Promise<{ error: OperationError } | ReadonlyMap<string, readonly GraphEdge[]>> | undefined;
  const readAll = async () => {
    const all = await read();
    return 'error' in all ? all : indexByNode(all.edges);
  };
  return {
    source,
    get cost() {
      return index === undefined ? 1 : 0;
    },
    async look({ id }) {
      index ??= readAll();
      const found = await index;
      return 'error' in found ? found : { edges: found.get(id) ?? [] };
    },
  };
}

function indexByNode(edges: readonly GraphEdge[]): ReadonlyMap<string, readonly GraphEdge[]> {
  const index = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    for (const id of new Set([edge.source.id, edge.target.id])) {
      const known = index.get(id);
      if (known === undefined) index.set(id, [edge]);
      else known.push(edge);
    }
  }
  return index;
}

/** A text that is the sign and nothing else becomes the id as its server wrote it: a number stays one. */
function fillIn(value: unknown, node: GraphNode): unknown {
  if (value === NODE_SIGN) return node.value;
  if (typeof value === 'string') return value.replaceAll(NODE_SIGN, () => node.id);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, node));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fillIn(member, node)]));
}

function isStructured(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null;
}

function noList({ relation }: RelationSource): OperationError {
  const place = relation.edges === '' ? 'it is not a list' : `it has nothing at '${relation.edges}'`;
  return new OperationError('INTERNAL_ERROR', `The answer of '${relation.operation}' tells no relationships: ${place}`);
}
