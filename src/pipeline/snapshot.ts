import type { Catalog } from '../catalog/catalog.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import type { OperationHandler } from '../protocol/handler.js';
import type { Operation } from '../protocol/operation.js';

/** The finished facts a call walks by. A call takes one and keeps it, whatever changes meanwhile. */
export interface Snapshot {
  readonly catalog: Catalog;
  readonly plan: EndpointPlan;
  handlerOf(operation: Operation): OperationHandler;
}
