import type { Catalog } from '../catalog/catalog.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import type { OperationHandler } from '../protocol/call.js';
import type { Operation } from '../protocol/operation.js';

/** An operation that answers to a request, and how well: comparable within one answer alone. */
export interface SearchHit {
  readonly operation: Operation;
  readonly score: number;
}

/** The finished facts a call walks by. A call takes one and keeps it, whatever changes meanwhile. */
export interface Snapshot {
  readonly catalog: Catalog;
  readonly plan: EndpointPlan;
  /** Finds operations by what they do, best first; off the hot path. */
  search(text: string, limit: number): Promise<readonly SearchHit[]>;
  handlerOf(operation: Operation): OperationHandler;
}
