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

export const DIRECTIONS = ['outgoing', 'incoming', 'both'] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** The sides that a direction asks for, in the order in which they are told. */
export const SIDES: Readonly<Record<Direction, readonly Side[]>> = {
  outgoing: ['outgoing'],
  incoming: ['incoming'],
  both: ['outgoing', 'incoming'],
};

/** A node of an id; undefined for what cannot be one. */
export function toNode(value: unknown): GraphNode | undefined {
  const isId = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isId ? { id: String(value), value } : undefined;
}
