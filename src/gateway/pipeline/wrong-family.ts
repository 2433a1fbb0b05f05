import type { JsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { bindArguments } from '../../catalog/arguments/bind-arguments.js';
import { CALL_NAMES } from './directive-names.js';
import { type CorrectedExample, correctedExample, exampleOf, paramsOfExample } from './not-found.js';
import type { Snapshot } from './snapshot.js';

/**
 * The answer to an operation called through another family's tool: the right tool, with an example call.
 *
 * @param reasons why these arguments belong to another family than the operation; none where the operation itself does
 */
export function endpointMismatch(
  operation: Operation,
  tool: string,
  params: JsonObject,
  snapshot: Snapshot,
  reasons: readonly string[] = [],
): OperationError {
  const { plan } = snapshot;
  const expected = plan.toolFor(operation);
  const actual = echoName(tool);
  const reached = plan.reachOf(tool);
  const why =
    reasons.length === 0 ? '' : ` with these parameters, because they do more than read: ${reasons.join('; ')}`;
  const example = moveCall(operation, params, snapshot);
  const next = example === undefined ? '. Send the same arguments there' : '';
  return new OperationError(
    'VALIDATION_ENDPOINT_MISMATCH',
    `Operation '${operation.name}' must be called via '${expected}', not '${actual}'${why}${suggestReads(operation, tool, snapshot)}${next}`,
    {
      operation: operation.name,
      expected_endpoint: plan.familyOf(operation).name,
      actual_endpoint: reached === undefined || reached === 'everything' ? actual : reached.name,
      expected_tool: expected,
      actual_tool: actual,
      ...(reasons.length === 0 ? {} : { reasons }),
      ...(example === undefined ? {} : { example }),
    },
  );
}

/** For a runner that was called through the tool for reads: the operation that runs its reads there; empty otherwise. */
function suggestReads(
  { upstream, tool, classification }: Operation,
  called: string,
  { catalog, plan }: Snapshot,
): string {
  if (classification.statement === undefined) return '';
  const reads = catalog.operations.find(
    (other) => other.upstream === upstream && other.tool === tool && other.classification.statement?.only === true,
  );
  const isReached = reads !== undefined && plan.toolFor(reads) === called;
  return isReached ? `. A read-only statement runs as '${reads.name}' via '${called}'` : '';
}

/** The longest call worth repeating, in characters of JSON. */
const MAX_REPEATED = 1_500;

/**
 * The same call through the right tool. What the caller says of the call itself (a confirmation, `filter`) is kept with its
 * parameters; these are corrected where they would not be accepted. Undefined where it is too long to be repeated.
 */
function moveCall(operation: Operation, given: JsonObject, snapshot: Snapshot): CorrectedExample | undefined {
  if (JSON.stringify(given).length > MAX_REPEATED) return undefined;
  const { byName } = operation.scope;
  const isOfCall = (key: string): boolean => CALL_NAMES.has(key) && !byName.has(key);
  const members = Object.entries(given);
  const ofCall = members.filter(([key]) => isOfCall(key));
  const own = Object.fromEntries(members.filter(([key]) => !isOfCall(key)));
  // A confirmation alone stands for the call that was asked to be confirmed.
  const isWhole = (ofCall.length > 0 && members.length === ofCall.length) || bindArguments(operation, own).ok;
  if (isWhole) return exampleOf(snapshot, operation, given);
  const example = correctedExample(snapshot, operation, own);
  if (example === undefined) return undefined;
  return exampleOf(snapshot, operation, { ...paramsOfExample(operation, example), ...Object.fromEntries(ofCall) });
}

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
