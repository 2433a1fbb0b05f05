import type { JsonObject } from '../../protocol/json.js';
import type { OperationError } from '../../protocol/operation-error.js';
import type { EdgeReader } from './open-edge-reader.js';
import type { RelationRequest } from './read-relation-request.js';
import type { GraphEdge, GraphNode } from './relation-graph.js';
import type { RelationSource } from './relation-source.js';

/** What one traversal may cost, whatever the graph. */
export const TRAVERSAL_LIMITS = { nodes: 1000, edges: 5000, calls: 200 } as const;

/** What a traversal knows so far. */
export interface Traversal {
  readonly request: RelationRequest;
  readonly sources: readonly RelationSource[];
  readonly readers: readonly EdgeReader[];
  readonly nodes: Map<string, GraphNode>;
  readonly edges: Map<string, GraphEdge>;
  readonly relationships: JsonObject[];
  readonly failures: Map<RelationSource, OperationError[]>;
  /** The limits that cut something off. */
  readonly reached: Set<keyof typeof TRAVERSAL_LIMITS>;
  calls: number;
}
