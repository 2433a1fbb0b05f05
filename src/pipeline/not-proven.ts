import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { correctedExample } from './not-found.js';
import type { Snapshot } from './snapshot.js';

/** The answer to a statement that an operation for reads alone does not run: why not, and the operation that runs it. */
export function notProvenToRead(
  operation: Operation,
  why: string,
  params: JsonObject,
  snapshot: Snapshot,
): OperationError {
  const { name, upstream, tool, parameters, classification } = operation;
  const carrier = parameters.find(({ upstreamName }) => upstreamName === classification.statement?.parameter);
  const runner = snapshot.catalog.operations.find(
    (other) => other.upstream === upstream && other.tool === tool && other.classification.statement?.only !== true,
  );
  const nextStep =
    runner === undefined ? '' : `. Call '${runner.name}' via '${snapshot.plan.toolFor(runner)}' to run it all the same`;
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Operation '${name}' runs only statements proven to be reads, and this one is not: ${why}${nextStep}`,
    {
      operation: name,
      param_name: carrier?.name ?? '',
      reason: why,
      ...(runner === undefined
        ? {}
        : { expected_tool: snapshot.plan.toolFor(runner), example: correctedExample(snapshot, runner, params) }),
    },
  );
}
