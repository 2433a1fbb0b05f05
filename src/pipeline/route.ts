import { mayEscalate, operationOfCall, riskyVariants } from '../catalog/call-danger.js';
import { statementVerdict } from '../catalog/proven-read.js';
import type { EndpointPlan } from '../endpoint/endpoint-plan.js';
import type { RawCall } from '../protocol/call.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { DecodedCall } from './decode.js';
import { endpointMismatch, unknownOperation } from './not-found.js';
import { notProvenToRead } from './not-proven.js';
import type { Snapshot } from './snapshot.js';

/** A request whose operation exists and was called through an MCP tool that can reach it. */
export interface RoutedCall {
  readonly raw: RawCall;
  readonly operation: Operation;
  readonly params: JsonObject;
  readonly reach: DecodedCall['reach'];
}

/** Finds the operation. A call is refused here when no operation has that name, or when it belongs to another family. */
export async function route(call: DecodedCall, snapshot: Snapshot): Promise<RoutedCall> {
  const { raw, reach, operationName, params } = call;
  const operation = snapshot.catalog.find(operationName);
  if (operation === undefined) throw await unknownOperation(operationName, params, snapshot);
  if (!mayReach(reach, operation, snapshot.plan)) throw endpointMismatch(operation, raw.tool, params, snapshot);
  return { raw, operation, params, reach };
}

/** Whether a tool of this reach takes calls of the operation at all. A READ that may write is also called as EXECUTE. */
export function mayReach(reach: DecodedCall['reach'], operation: Operation, plan: EndpointPlan): boolean {
  if (reach === 'everything' || reach === plan.familyOf(operation)) return true;
  return mayEscalate(operation) && riskyVariants(operation).some((variant) => plan.familyOf(variant) === reach);
}

/**
 * The operation as the call's arguments use it. A call is refused here when that belongs to another family than the tool's:
 * a READ whose arguments write is called as EXECUTE, and without such arguments as READ. A runner whose statement only reads is
 * called as what it is named for all its statements.
 */
export function settleOperation(call: RoutedCall, args: JsonObject, snapshot: Snapshot): Operation {
  const { operation, raw, params, reach } = call;
  const { statement } = operation.classification;
  const verdict = statement?.only === true ? statementVerdict(operation, args) : undefined;
  if (verdict?.read === false) throw notProvenToRead(operation, verdict.why, params, snapshot);
  const used = operationOfCall(operation, args);
  if (reach === 'everything' || reach === snapshot.plan.familyOf(used)) return used;
  if (statement !== undefined && reach === snapshot.plan.familyOf(operation)) return used;
  throw endpointMismatch(
    used,
    raw.tool,
    params,
    snapshot,
    used === operation ? [] : used.classification.danger.reasons,
  );
}
