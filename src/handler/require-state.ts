import type { HandlerCall } from '../protocol/handler.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { type Expectation, unmetFields } from './expectation.js';
import { changedFields, findField, pickFields, versionOf } from './resource.js';

/** Lets an update go on where the resource is what its caller expects; throws CONFLICT_VERSION_MISMATCH where it is not. */
export function requireExpected(
  { operation, arguments: args }: HandlerCall,
  expectation: Expectation,
  resource: JsonObject,
): void {
  if (expectation.kind === 'nothing') return;
  if (expectation.kind === 'fields') {
    const fields = unmetFields(expectation.fields, resource);
    if (fields.length === 0) return;
    const problem = `${quote(fields)} of the resource ${fields.length === 1 ? 'is' : 'are'} not what 'if_match' says`;
    throw versionMismatch({ operation, problem, expected: expectation.fields, resource, fields });
  }
  const { version } = expectation;
  if (versionOf(resource) === version) return;
  // A version does not say what has changed since: what the caller is about to change is what it should look at.
  const fields = operation.parameters
    .filter(({ place, upstreamName }) => place === 'input' && Object.hasOwn(args, upstreamName))
    .map((parameter) => findField(resource, parameter) ?? parameter.name);
  throw versionMismatch({
    operation,
    problem: 'the resource has another version',
    expected: version,
    resource,
    fields,
  });
}

/** The same where none of these fields has changed between two looks at the resource. */
export function requireUnchanged(
  operation: Operation,
  before: JsonObject,
  after: JsonObject,
  watched: readonly string[],
): void {
  const fields = changedFields(before, after, watched);
  if (fields.length === 0) return;
  const problem = `${quote(fields)} of the resource changed while the update was prepared`;
  throw versionMismatch({ operation, problem, expected: pickFields(before, fields), resource: after, fields });
}

interface Mismatch {
  readonly operation: Operation;
  readonly problem: string;
  /** A version, or values by field. */
  readonly expected: string | JsonObject;
  /** What is there now, and the fields of it to show. */
  readonly resource: JsonObject;
  readonly fields: readonly string[];
}

function versionMismatch({ operation, problem, expected, resource, fields }: Mismatch): OperationError {
  const next =
    "Look at details.current; if the update is still right, repeat it with 'if_match' set to current_version";
  return new OperationError('CONFLICT_VERSION_MISMATCH', `'${operation.name}' was not attempted: ${problem}. ${next}`, {
    operation: operation.name,
    expected,
    current: pickFields(resource, fields),
    current_version: versionOf(resource),
  });
}

function quote(fields: readonly string[]): string {
  return fields.map((field) => `'${field}'`).join(', ');
}
