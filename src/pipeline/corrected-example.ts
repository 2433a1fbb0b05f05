import { exampleParams } from '../catalog/example-params.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import type { Snapshot } from './snapshot.js';

/** A request that would have been right: what a model needs to try again at once. */
export interface CorrectedExample {
  readonly tool: string;
  readonly arguments: { readonly operation: string; readonly params: JsonObject };
}

/** The longest example worth its tokens, in characters of JSON; a longer one falls back to placeholders alone. */
const MAX_EXAMPLE_LENGTH = 1_500;

/** An example call of the operation that keeps what the caller already got right. */
export function correctedExample(snapshot: Snapshot, operation: Operation, given: JsonObject): CorrectedExample {
  const tool = snapshot.plan.toolFor(operation);
  const kept = exampleParams(operation, given);
  const params = JSON.stringify(kept).length <= MAX_EXAMPLE_LENGTH ? kept : exampleParams(operation);
  return { tool, arguments: { operation: operation.name, params } };
}
