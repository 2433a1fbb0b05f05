import type { WithheldTool } from '../catalog/integrity/guard-tools.js';
import { isSpeltLike } from '../catalog/nearest-name.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { choosePart } from './choose-part.js';
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
export async function unknownOperation(name: string, given: JsonObject, snapshot: Snapshot): Promise<OperationError> {
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
    case 'grouped':
      return groupedTool(name, resolution.candidates, params, snapshot);
    case 'quarantined':
      return quarantined(name, resolution.tool);
    case 'unknown':
      return nothingNamed(name, resolution.nearest, params, snapshot);
  }
}

/** How many operations are suggested by what they do. */
const MOST_FOUND = 3;

/** A misspelt name is found by its letters; a name that was made up, by what it says that it does. */
async function nothingNamed(
  name: string,
  nearest: readonly Operation[],
  params: JsonObject,
  snapshot: Snapshot,
): Promise<OperationError> {
  if (!nearest.some((operation) => isSpeltLike(name, operation.name))) {
    const found = (await snapshot.search(name, MOST_FOUND)).map(({ operation }) => operation);
    // No example: these do something like it, and a call written out would be taken for the one that was meant.
    if (found.length > 0) return notFound(name, `Nearest in meaning: ${quoteNames(found)}`, found, undefined, snapshot);
  }
  const nextStep =
    nearest.length > 0
      ? `Did you mean ${quoteNames(nearest)}?`
      : 'List what exists with introspect: {"query": "operations"}';
  return notFound(name, nextStep, nearest, params, snapshot);
}

/** The answer to the name of a tool that is offered in parts: the part that was meant, where the call says so. */
function groupedTool(name: string, parts: readonly Operation[], given: JsonObject, snapshot: Snapshot): OperationError {
  const chosen = choosePart(parts, given);
  const listed = parts.map((part) => `'${part.name}' (${Object.values(part.fixedArguments ?? {}).join(', ')})`);
  const choice = `It is offered as one operation for each '${parts[0]?.groupedBy ?? ''}': ${listed.join(', ')}`;
  const meant = chosen?.meant === true ? `Call '${chosen.operation.name}'. ` : '';
  const others = parts.filter((part) => part !== chosen?.operation);
  const candidates = chosen === undefined ? others : [chosen.operation, ...others];
  return notFound(name, meant + choice, candidates, chosen?.params ?? given, snapshot);
}

/** No model can help it, so the message tells what an operator does. */
function quarantined(name: string, { upstream, tool, kind, acceptance }: WithheldTool): OperationError {
  const why = kind === 'new' ? 'is new and has not been accepted' : 'is no longer what was accepted';
  const message = `Permission denied: '${name}' is quarantined: tool '${tool}' of '${upstream}' ${why}. An operator reviews it with 'mcp-aql-gateway lock' and accepts it with 'mcp-aql-gateway lock --accept ${acceptance}'`;
  return new OperationError('PERMISSION_DENIED', message, { operation: name, upstream, tool, reason: 'quarantined' });
}

function notFound(
  name: string,
  nextStep: string,
  candidates: readonly Operation[],
  params: JsonObject | undefined,
  snapshot: Snapshot,
): OperationError {
  const [best] = candidates;
  return new OperationError('NOT_FOUND_OPERATION', `Unknown operation: '${name}'. ${nextStep}`, {
    operation: name,
    available: candidates.map((operation) => ({
      operation: operation.name,
      endpoint: snapshot.plan.familyOf(operation).name,
      tool: snapshot.plan.toolFor(operation),
      ...(operation.fixedArguments === undefined ? {} : { fixed: operation.fixedArguments }),
    })),
    ...(best === undefined || params === undefined ? {} : { example: correctedExample(snapshot, best, params) }),
  });
}

function quoteNames(operations: readonly Operation[]): string {
  return operations.map((operation) => `'${operation.name}'`).join(', ');
}
