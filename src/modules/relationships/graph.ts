import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { RelationConfig } from '../../config/gateway-config.js';
import type { Shown } from '../../gateway/module.js';

/** Something that is connected: its id as the graph shows it, and as its server wrote it. */
export interface GraphNode {
  readonly id: string;
  readonly value: string | number;
}

export interface GraphEdge {
  readonly source: GraphNode;
  readonly target: GraphNode;
  readonly type: string;
}

/** Which side of its edges a node is on: `outgoing` where it is the source. */
export type Side = 'outgoing' | 'incoming';

/** An operation that gives relationships, with its upstream. */
export interface RelationSource {
  /** The upstream's slug. */
  readonly upstream: string;
  readonly relation: RelationConfig;
}

export const SECTIONS = ['root', 'relationships', 'graph.nodes', 'graph.edges'] as const;

export type Section = (typeof SECTIONS)[number];

/** What a call of `query_relationships` asks for. */
export interface RelationRequest {
  readonly root: GraphNode;
  /** The root as the answer shows it. */
  readonly reference: JsonObject;
  readonly direction: Direction;
  /** Edges of this type alone. */
  readonly relationship?: string | undefined;
  readonly depth: number;
  readonly sections: readonly Section[];
  readonly page: RelationPage;
}

/** Which of the relationships are sent; all where there is no `first`. */
export interface RelationPage {
  readonly first?: number | undefined;
  /** The cursor of the page before. */
  readonly after?: string | undefined;
}

export const DIRECTIONS = ['outgoing', 'incoming', 'both'] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** The sides that a direction asks for, in the order in which they are listed. */
export const SIDES: Readonly<Record<Direction, readonly Side[]>> = {
  outgoing: ['outgoing'],
  incoming: ['incoming'],
  both: ['outgoing', 'incoming'],
};

/** The node of an id; undefined for a value that cannot be an id. */
export function toNode(value: unknown): GraphNode | undefined {
  const isId = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isId ? { id: String(value), value } : undefined;
}

/** Every relation whose operation can be called, in the configuration's order; without those of disabled upstreams. */
export function listRelationSources({ upstreams, has }: Shown): readonly RelationSource[] {
  return upstreams
    .filter(({ disabled }) => !disabled)
    .flatMap(({ slug, relations }) =>
      relations.filter(({ operation }) => has(slug, operation)).map((relation) => ({ upstream: slug, relation })),
    );
}

/** The sides of a node whose edges the operation gives. */
export function sidesOf({ source, target }: RelationConfig): readonly Side[] {
  return [
    ...(target === undefined ? [] : (['outgoing'] as const)),
    ...(source === undefined ? [] : (['incoming'] as const)),
  ];
}

/** The type of nodes without one; the published schema requires a type. */
export const PLAIN_TYPE = 'node';

/** The members of a root that identify it; the first that is present is used. */
const IDENTIFIERS = ['id', 'name', 'element_name'];

/** Reads arguments that are valid by the operation's schema. Throws an `OperationError` for a root that names nothing. */
export function readRelationRequest(given: JsonObject): RelationRequest {
  const {
    direction = 'outgoing',
    relationship,
    depth = 1,
    fields = SECTIONS,
    include = fields,
    first,
    after,
  } = given as Partial<Arguments>;
  const root = readRoot(given['root']);
  const own = isJsonObject(given['root']) ? given['root'] : {};
  return {
    root,
    reference: { element_type: PLAIN_TYPE, element_name: root.id, ...own },
    direction,
    relationship,
    depth,
    sections: include,
    page: { first, after },
  };
}

interface Arguments extends RelationPage {
  readonly direction: Direction;
  readonly relationship: string;
  readonly depth: number;
  /** The older name of `include`. */
  readonly fields: readonly Section[];
  readonly include: readonly Section[];
}

function readRoot(root: unknown): GraphNode {
  const node = toNode(isJsonObject(root) ? identify(root) : root);
  if (node !== undefined) return node;
  const constraint = 'an id, or an object with one identifying value';
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameter 'root' names nothing. Expected: ${constraint}: {"element_name": "..."}`,
    { param_name: 'root', constraint },
  );
}

function identify(root: JsonObject): unknown {
  const named = IDENTIFIERS.find((key) => Object.hasOwn(root, key));
  if (named !== undefined) return root[named];
  const others = Object.keys(root).filter((key) => key !== 'element_type');
  return others.length === 1 ? root[others[0] ?? ''] : undefined;
}
