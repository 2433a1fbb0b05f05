import type { RawCall } from '../protocol/call.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { DecodedCall } from './decode.js';
import { endpointMismatch, unknownOperation } from './not-found.js';
import type { Snapshot } from './snapshot.js';

/** A request whose operation exists and was called through the right MCP tool. */
export interface RoutedCall {
  readonly raw: RawCall;
  readonly operation: Operation;
  readonly params: JsonObject;
}

/** Finds the operation. A call is refused here when no operation has that name, or when it belongs to another family. */
export async function route(call: DecodedCall, snapshot: Snapshot): Promise<RoutedCall> {
  const { raw, reach, operationName, params } = call;
  const operation = snapshot.catalog.find(operationName);
  if (operation === undefined) throw await unknownOperation(operationName, params, snapshot);
  if (reach !== 'everything' && reach !== snapshot.plan.familyOf(operation)) {
    throw endpointMismatch(operation, raw.tool, params, snapshot);
  }
  return { raw, operation, params };
}
