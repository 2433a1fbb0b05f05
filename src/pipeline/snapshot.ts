import type { Catalog } from '../catalog/catalog.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import type { OperationHandler } from '../protocol/call.js';
import type { Operation } from '../protocol/operation.js';

/** An operation that matches a search, with a score that is comparable within one answer only. */
export interface SearchHit {
  readonly operation: Operation;
  readonly score: number;
}

/** The immutable state that a call works with. A call keeps its snapshot even when the catalog changes meanwhile. */
export interface Snapshot {
  readonly catalog: Catalog;
  readonly plan: EndpointPlan;
  /** Finds operations by what they do, best first; not on the fast path. */
  search(text: string, limit: number): Promise<readonly SearchHit[]>;
  handlerOf(operation: Operation): OperationHandler;
}
