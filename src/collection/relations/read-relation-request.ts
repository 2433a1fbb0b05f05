import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import { type Direction, type GraphNode, toNode } from './relation-graph.js';

export const SECTIONS = ['root', 'relationships', 'graph.nodes', 'graph.edges'] as const;

export type Section = (typeof SECTIONS)[number];

/** What a call of `query_relationships` asks for. */
export interface RelationRequest {
  readonly root: GraphNode;
  /** The root as the answer shows it. */
  readonly reference: JsonObject;
  readonly direction: Direction;
  /** Edges of this type alone. */
  readonly relationship?: string;
  readonly depth: number;
  readonly sections: readonly Section[];
}

/** What nobody has given a type; the published schema wants one. */
export const PLAIN_TYPE = 'node';

/** The members of a root that identify it, the first that is there. */
const IDENTIFIERS = ['id', 'name', 'element_name'];

/** Reads arguments that are valid by the operation's schema. Throws an `OperationError` for a root that names nothing. */
export function readRelationRequest(given: JsonObject): RelationRequest {
  const { direction = 'outgoing', relationship, depth = 1, fields = SECTIONS } = given as Partial<Arguments>;
  const root = readRoot(given['root']);
  const own = isJsonObject(given['root']) ? given['root'] : {};
  return {
    root,
    reference: { element_type: PLAIN_TYPE, element_name: root.id, ...own },
    direction,
    ...(relationship !== undefined && { relationship }),
    depth,
    sections: fields,
  };
}

interface Arguments {
  readonly direction: Direction;
  readonly relationship: string;
  readonly depth: number;
  readonly fields: readonly Section[];
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
