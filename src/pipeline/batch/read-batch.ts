import { isJsonObject } from '../../protocol/json.js';
import type { RawCall } from '../../protocol/raw-call.js';

/**
 * The operations of a call that is a batch (specification, operations document, section 7.1); undefined where it is a single
 * call. A request that names an operation is single: `operations` beside it can only be meant as its parameter.
 */
export function readBatch(raw: RawCall): readonly unknown[] | undefined {
  const given = raw.arguments;
  if (!isJsonObject(given)) return undefined;
  const { operation, operations } = given;
  return Array.isArray(operations) && (operation === undefined || operation === null) ? operations : undefined;
}
