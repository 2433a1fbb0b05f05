import { readField } from '../../base/expression/operators.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { RelationConfig } from '../../config/gateway-config.js';
import { mentionsNode, NODE_SIGN } from '../../config/load/build-upstreams.js';
import { type GraphEdge, type GraphNode, type RelationSource, toNode } from './graph.js';

/** Calls a READ operation of an upstream as the caller of the query would; see `HandlerHost.read`. */
export type CallOperation = (upstream: string, operation: string, params: JsonObject) => Promise<unknown>;

export interface EdgeReader {
  readonly source: RelationSource;
  /** How many calls the next look costs: 0 or 1. */
  readonly cost: number;
  /** The edges of a node. Rejects only for defects. */
  look(node: GraphNode): Promise<Look>;
}

/** Things that an answer lists, by id, with their types; null where the type is not known. */
export type NodeListing = ReadonlyMap<string, string | null>;

/** What was found around a node, or why nothing could be. */
type Look =
  | {
      readonly edges: readonly GraphEdge[];
      /** Where the answer lists the things themselves: the same object for the same answer. */
      readonly nodes?: NodeListing;
    }
  | { readonly error: OperationError };

/** Reads the edges of one relation; an operation that gives all of them at once is called once. */
export function openEdgeReader(source: RelationSource, callOperation: CallOperation): EdgeReader {
  const { upstream, relation } = source;
  const read = async (node?: GraphNode): Promise<Look> => {
    try {
      const params = node === undefined ? relation.params : fillIn(relation.params, node);
      const answer = await callOperation(upstream, relation.operation, params as JsonObject);
      const edges = readEdges(answer, relation, node);
      const nodes = readNodes(answer, relation);
      if (edges !== undefined) return { edges, ...(nodes !== undefined && { nodes }) };
      // One node may have no edges; an answer without the list of all edges is not the expected one.
      return node === undefined || !isStructured(answer) ? { error: noList(source) } : { edges: [] };
    } catch (cause) {
      if (cause instanceof OperationError) return { error: cause };
      throw cause;
    }
  };
  return mentionsNode(relation.params) ? { source, cost: 1, look: read } : wholeReader(source, read);
}

function wholeReader(source: RelationSource, read: () => Promise<Look>): EdgeReader {
  let index: Promise<{ error: OperationError } | EdgeIndex> | undefined;
  const readAll = async () => {
    const all = await read();
    if ('error' in all) return all;
    const byNode = indexByNode(all.edges);
    // What is connected is there, also where the list of things leaves it out.
    const ends = [...byNode.keys()].map((id) => [id, null] as const);
    return { byNode, ...(all.nodes !== undefined && { nodes: new Map([...ends, ...all.nodes]) }) };
  };
  return {
    source,
    get cost() {
      return index === undefined ? 1 : 0;
    },
    async look({ id }) {
      index ??= readAll();
      const found = await index;
      if ('error' in found) return found;
      const { byNode, nodes } = found;
      return { edges: byNode.get(id) ?? [], ...(nodes !== undefined && { nodes }) };
    },
  };
}

interface EdgeIndex {
  readonly byNode: ReadonlyMap<string, readonly GraphEdge[]>;
  readonly nodes?: NodeListing;
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

/** A text that is only the sign becomes the id as its server wrote it, so that a number stays a number. */
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
  const place = relation.edges === '' ? 'it is not a list' : `it has nothing under '${relation.edges}'`;
  return new OperationError('INTERNAL_ERROR', `The answer of '${relation.operation}' holds no relationships: ${place}`);
}

/**
 * The edges in an answer; undefined where it has nothing at their path. An end that is a list stands for one edge per element;
 * an edge without an end is left out.
 * @param subject the node that the answer is about, where it is about one
 */
function readEdges(answer: unknown, relation: RelationConfig, subject?: GraphNode): GraphEdge[] | undefined {
  const found = readPath(answer, relation.edges);
  if (found === null) return undefined;
  const items: readonly unknown[] = Array.isArray(found) ? found : [found];
  const edges: GraphEdge[] = [];
  for (const item of items) {
    const type = readType(item, relation);
    const targets = readEnds(item, relation.target, subject);
    for (const source of readEnds(item, relation.source, subject)) {
      for (const target of targets) edges.push({ source, target, type });
    }
  }
  return edges;
}

/** The things in an answer; undefined where the relation names none, or the answer has no list there. */
function readNodes(
  answer: unknown,
  { nodes, node_id: id = 'id', node_type: type }: RelationConfig,
): NodeListing | undefined {
  const found = nodes === undefined ? undefined : readPath(answer, nodes);
  if (!Array.isArray(found)) return undefined;
  return new Map(
    found.flatMap((item) => {
      const node = toNode(readPath(item, id));
      const typed = type === undefined ? undefined : toNode(readPath(item, type));
      return node === undefined ? [] : [[node.id, typed?.id ?? null] as const];
    }),
  );
}

function readPath(value: unknown, path: string): unknown {
  return path === '' ? value : readField(value, path.split('.'));
}

function readEnds(item: unknown, path: string | undefined, subject: GraphNode | undefined): readonly GraphNode[] {
  if (path === undefined) return subject === undefined ? [] : [subject];
  const value = readPath(item, path);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => toNode(one) ?? []);
}

function readType(item: unknown, { type, relationship }: RelationConfig): string {
  const named = type === undefined ? undefined : toNode(readPath(item, type));
  return named?.id ?? relationship;
}
