import type { CallOperation } from '../builtin/relationships/edges.js';
import type { Snapshot } from '../pipeline/snapshot.js';
import type { HandlerCall, RawCall } from '../protocol/call.js';
import type { JsonObject } from '../protocol/json.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { OperationResult, Reply } from '../protocol/result.js';

/**
 * Calls that a built-in operation makes for its caller. They run through the whole pipeline, so that policy applies to them
 * as to a direct call; they may only read, and their answers are never cut.
 */
export function createInnerCalls(
  handle: (raw: RawCall) => Promise<Reply>,
  snapshotOf: () => Snapshot,
): (call: HandlerCall) => CallOperation {
  return ({ caller, cancellation }) =>
    async (upstream, name, params) => {
      const { catalog, plan } = snapshotOf();
      const operation = catalog.operations.find((each) => each.upstream === upstream && isCalled(each, name));
      if (operation === undefined) throw unknownInner(upstream, name);
      if (operation.classification.category !== 'READ') throw notReading(operation);
      const reply = await handle({
        tool: plan.toolFor(operation),
        arguments: { operation: operation.qualifiedName, params },
        caller,
        cancellation,
        answerBytes: Number.POSITIVE_INFINITY,
      });
      return readData(reply);
    };
}

function isCalled({ tool, qualifiedName, upstream }: Operation, name: string): boolean {
  return tool === name || qualifiedName === `${upstream}${QUALIFIER}${name}`;
}

function readData({ text }: Reply): unknown {
  const result = JSON.parse(text) as OperationResult;
  if (result.success) return result.data;
  const { code, message, details } = result.error;
  throw new OperationError(code, message, details);
}

function unknownInner(upstream: string, name: string): OperationError {
  const details: JsonObject = { upstream, operation: name };
  return new OperationError('NOT_FOUND_OPERATION', `Unknown operation: '${name}' of upstream '${upstream}'`, details);
}

function notReading({ name }: Operation): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: 'operation '${name}' is called by ${GATEWAY_SOURCE} to read, and does not read'`,
    {
      operation: name,
    },
  );
}
