import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { correctedExample } from './corrected-example.js';
import type { Snapshot } from './snapshot.js';

/** The answer to an operation called through another family's tool: the right tool, with the call written out. */
export function endpointMismatch(
  operation: Operation,
  tool: string,
  params: JsonObject,
  snapshot: Snapshot,
): OperationError {
  const expected = snapshot.plan.toolFor(operation);
  return new OperationError(
    'VALIDATION_ENDPOINT_MISMATCH',
    `Operation '${operation.name}' must be called via '${expected}', not '${tool}'`,
    {
      operation: operation.name,
      expected_endpoint: expected,
      actual_endpoint: tool,
      example: correctedExample(snapshot, operation, params),
    },
  );
}

/** The answer to a name that nothing has: what was probably meant, and where to call it. */
export function unknownOperation(name: string, given: JsonObject, snapshot: Snapshot): OperationError {
  const resolution = snapshot.catalog.resolve(name);
  const params = isJsonObject(given['params']) ? given['params'] : given;
  switch (resolution.kind) {
    case 'found':
      return notFound(
        name,
        `Call operation '${resolution.operation.name}' via '${snapshot.plan.toolFor(resolution.operation)}'`,
        [resolution.operation],
        params,
        snapshot,
      );
    case 'ambiguous':
      return notFound(
        name,
        `Several upstreams offer '${name}'; use one of the qualified names: ${quoteNames(resolution.candidates)}`,
        resolution.candidates,
        params,
        snapshot,
      );
    case 'raw-name':
      return notFound(
        name,
        `That is the upstream's own name; the operation is called ${quoteNames(resolution.candidates)}`,
        resolution.candidates,
        params,
        snapshot,
      );
    case 'unknown':
      return notFound(
        name,
        resolution.nearest.length > 0
          ? `Did you mean ${quoteNames(resolution.nearest)}?`
          : 'List what exists with introspect: {"query": "operations"}',
        resolution.nearest,
        params,
        snapshot,
      );
  }
}

function notFound(
  name: string,
  nextStep: string,
  candidates: readonly Operation[],
  params: JsonObject,
  snapshot: Snapshot,
): OperationError {
  const [best] = candidates;
  return new OperationError('NOT_FOUND_OPERATION', `Unknown operation: '${name}'. ${nextStep}`, {
    operation: name,
    available: candidates.map((operation) => ({
      operation: operation.name,
      endpoint: snapshot.plan.familyOf(operation).name,
      tool: snapshot.plan.toolFor(operation),
    })),
    ...(best === undefined ? {} : { example: correctedExample(snapshot, best, params) }),
  });
}

function quoteNames(operations: readonly Operation[]): string {
  return operations.map((operation) => `'${operation.name}'`).join(', ');
}
