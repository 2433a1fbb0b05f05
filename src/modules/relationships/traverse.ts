import type { JsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { type CallOperation, type EdgeReader, type NodeListing, openEdgeReader } from './edges.js';
import {
  type GraphEdge,
  type GraphNode,
  PLAIN_TYPE,
  type RelationRequest,
  type RelationSource,
  SIDES,
  type Side,
  sidesOf,
} from './graph.js';

/** Calls in flight at once. */
const MAX_CONCURRENT_READS = 8;

/**
 * Walks the relationships breadth first from the root (companion document "relationship queries"). Each node is read
 * once and each edge listed once, also those that close a cycle. What could not be read is listed under `incomplete`; rejects
 * with an `OperationError` where nothing could be read about the root itself, or where the things are listed without it.
 */
export async function traverseRelations(
  request: RelationRequest,
  sources: readonly RelationSource[],
  callOperation: CallOperation,
): Promise<JsonObject> {
  const { root, depth, direction } = request;
  const matching = chooseSources(request, sources);
  const asked = matching.filter(({ relation }) => SIDES[direction].some((side) => sidesOf(relation).includes(side)));
  const traversal: Traversal = {
    request,
    sources: matching,
    readers: asked.map((source) => openEdgeReader(source, callOperation)),
    nodes: new Map([[root.id, root]]),
    edges: new Map(),
    relationships: [],
    failures: new Map(),
    listings: new Set(),
    reached: new Set(),
    calls: 0,
  };
  let frontier: readonly GraphNode[] = [root];
  for (let level = 1; level <= depth && frontier.length > 0 && traversal.reached.size === 0; level += 1) {
    frontier = await expand(traversal, frontier, level);
    if (level === 1) {
      throwIfNothingRead(traversal);
      throwIfUnknown(traversal);
    }
  }
  return describeTraversal(traversal);
}

/** The sources that can give the relationship. */
function chooseSources(
  { relationship }: RelationRequest,
  sources: readonly RelationSource[],
): readonly RelationSource[] {
  const canGive = ({ relation }: RelationSource): boolean =>
    relationship === undefined || relation.type !== undefined || relation.relationship === relationship;
  const useful = sources.filter(canGive);
  if (useful.length > 0) return useful;
  const known = [...new Set(sources.map(({ relation }) => relation.relationship))];
  const constraint = `one of ${known.map((name) => `'${name}'`).join(', ')}`;
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameter 'relationship' expected ${constraint}, got '${relationship}'`,
    { param_name: 'relationship', constraint, value: relationship },
  );
}

/** Reads the edges of each node of a level; resolves with the nodes that are new. */
async function expand(
  traversal: Traversal,
  frontier: readonly GraphNode[],
  depth: number,
): Promise<readonly GraphNode[]> {
  const known = traversal.nodes.size;
  const looks = frontier.flatMap((node) => traversal.readers.map((reader) => ({ node, reader })));
  for (let start = 0; start < looks.length && traversal.reached.size === 0; start += MAX_CONCURRENT_READS) {
    const batch = looks.slice(start, start + MAX_CONCURRENT_READS);
    const found = await Promise.all(batch.map(({ node, reader }) => look(traversal, reader, node)));
    batch.forEach(({ node }, index) => {
      for (const edge of found[index] ?? []) addEdge(traversal, edge, node, depth);
    });
  }
  return [...traversal.nodes.values()].slice(known);
}

async function look(traversal: Traversal, reader: EdgeReader, node: GraphNode): Promise<readonly GraphEdge[]> {
  if (traversal.calls + reader.cost > TRAVERSAL_LIMITS.calls) {
    traversal.reached.add('calls');
    return [];
  }
  const { cost } = reader;
  traversal.calls += cost;
  const found = await reader.look(node);
  if ('edges' in found) {
    if (found.nodes !== undefined) traversal.listings.add(found.nodes);
    return found.edges;
  }
  // A look without a call repeats an earlier failure, which is counted once.
  if (cost > 0) {
    const failures = traversal.failures.get(reader.source) ?? [];
    traversal.failures.set(reader.source, [...failures, found.error]);
  }
  return [];
}

function addEdge(traversal: Traversal, edge: GraphEdge, node: GraphNode, depth: number): void {
  const { request, nodes, edges, relationships, reached } = traversal;
  const direction = SIDES[request.direction].find((side) => nearEnd(edge, side).id === node.id);
  if (direction === undefined || (request.relationship ?? edge.type) !== edge.type) return;
  const key = JSON.stringify([edge.source.id, edge.target.id, edge.type]);
  if (edges.has(key)) return;
  const target = direction === 'outgoing' ? edge.target : edge.source;
  const isNew = !nodes.has(target.id);
  if (edges.size === TRAVERSAL_LIMITS.edges) reached.add('edges');
  else if (isNew && nodes.size === TRAVERSAL_LIMITS.nodes) reached.add('nodes');
  else {
    if (isNew) nodes.set(target.id, target);
    edges.set(key, edge);
    relationships.push({ type: edge.type, direction, target: referTo(target, traversal), depth });
  }
}

function nearEnd({ source, target }: GraphEdge, side: Side): GraphNode {
  return side === 'outgoing' ? source : target;
}

function throwIfNothingRead({ readers, failures }: Traversal): void {
  const [first] = failures.values();
  if (first?.[0] !== undefined && failures.size === readers.length) throw first[0];
}

/** Where an operation lists the things themselves, a root that none of them knows is not there. */
function throwIfUnknown({ request, listings, failures }: Traversal): void {
  const { root, reference } = request;
  const isListed = [...listings].some((listing) => listing.has(root.id));
  if (listings.size === 0 || failures.size > 0 || isListed) return;
  const type = reference['element_type'];
  const message = `Resource '${type}' not found: '${echoName(root.id)}'. Nothing there has this id`;
  throw new OperationError('NOT_FOUND_RESOURCE', message, { resource_type: type, resource_id: echoName(root.id) });
}

/** The type that a server gives to a thing; undefined where none does. */
function typeOf({ id }: GraphNode, { listings }: Pick<Traversal, 'listings'>): string | undefined {
  for (const listing of listings) {
    const type = listing.get(id);
    if (type !== undefined && type !== null) return type;
  }
  return undefined;
}

function describeTraversal(traversal: Traversal): JsonObject {
  const { request, nodes, edges, relationships } = traversal;
  const rootType = typeOf(request.root, traversal) ?? request.reference['element_type'];
  const incomplete = describeGaps(traversal);
  return {
    root: { ...request.reference, element_type: rootType },
    relationships,
    graph: {
      nodes: [...nodes.values()].map((node) => ({
        id: node.id,
        ...referTo(node, traversal),
        ...(node === request.root && { element_type: rootType }),
      })),
      edges: [...edges.values()].map(({ source, target, type }) => ({ source: source.id, target: target.id, type })),
    },
    ...(incomplete.length > 0 && { incomplete }),
  };
}

function referTo(node: GraphNode, traversal: Pick<Traversal, 'listings'>): JsonObject {
  return { element_type: typeOf(node, traversal) ?? PLAIN_TYPE, element_name: node.id };
}

/** What one traversal may cost, whatever the graph. */
const TRAVERSAL_LIMITS = { nodes: 1000, edges: 5000, calls: 200 } as const;

/** What a traversal has found so far. */
interface Traversal {
  readonly request: RelationRequest;
  readonly sources: readonly RelationSource[];
  readonly readers: readonly EdgeReader[];
  readonly nodes: Map<string, GraphNode>;
  readonly edges: Map<string, GraphEdge>;
  readonly relationships: JsonObject[];
  readonly failures: Map<RelationSource, OperationError[]>;
  /** What the answers list of the things themselves. */
  readonly listings: Set<NodeListing>;
  /** The limits that cut something off. */
  readonly reached: Set<keyof typeof TRAVERSAL_LIMITS>;
  calls: number;
}

const NOT_LISTED: Readonly<Record<Side, string>> = {
  outgoing: 'no operation lists outgoing relationships',
  incoming: 'no operation lists incoming relationships',
};

/** What a traversal could not read, and why. */
function describeGaps({ request, sources, failures, reached }: Traversal): readonly JsonObject[] {
  return [
    ...findUnlistedSides(sources, SIDES[request.direction]),
    ...[...failures].map(([{ relation }, errors]) => ({
      relationship: relation.relationship,
      operation: relation.operation,
      failed: errors.length,
      reason: errors[0]?.message,
    })),
    ...[...reached].map((limit) => ({
      reason: `stopped after ${TRAVERSAL_LIMITS[limit]} ${limit}: ask for one relationship, or go on from a node`,
    })),
  ];
}

/** Sides that are asked for, and that no operation of a relationship lists. */
function findUnlistedSides(sources: readonly RelationSource[], asked: readonly Side[]): readonly JsonObject[] {
  const listed = new Map<string, readonly Side[]>();
  for (const { relation } of sources) {
    listed.set(relation.relationship, [...(listed.get(relation.relationship) ?? []), ...sidesOf(relation)]);
  }
  return [...listed].flatMap(([relationship, sides]) =>
    asked.filter((side) => !sides.includes(side)).map((side) => ({ relationship, reason: NOT_LISTED[side] })),
  );
}
