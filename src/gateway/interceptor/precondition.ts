import { isDeepStrictEqual } from 'node:util';
import { digest } from '../../base/json/canonical-json.js';
import { unmarkedWithin } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { HandlerCall } from '../../base/protocol/call.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ValueChange } from '../../base/protocol/update-preview.js';
import { jsonTypeOf } from '../../schema/schema-shape.js';
import { changedFields, fieldOf, findField, isVersion, pickFields, versionOf } from './resource.js';

/** What a caller expects of a resource that it updates (`if_match`). */
export type Expectation =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'version'; readonly version: string }
  /** Values by field or dotted path; null where no value is expected. */
  | { readonly kind: 'fields'; readonly fields: JsonObject };

/** Reads `if_match`. Throws for what is neither a version nor an object of fields. */
export function readExpectation(operation: Operation, ifMatch: unknown): Expectation {
  if (ifMatch === undefined) return { kind: 'nothing' };
  if (isJsonObject(ifMatch)) return { kind: 'fields', fields: ifMatch };
  if (typeof ifMatch === 'string' && isVersion(ifMatch)) return { kind: 'version', version: ifMatch };
  const actual = typeof ifMatch === 'string' ? 'another text' : jsonTypeOf(ifMatch);
  throw new OperationError(
    typeof ifMatch === 'string' ? 'VALIDATION_INVALID_VALUE' : 'VALIDATION_INVALID_TYPE',
    `Parameter 'if_match' expected '${FORMS}', got '${actual}'`,
    { operation: operation.name, param_name: 'if_match', expected_type: FORMS, actual_type: actual },
  );
}

const FORMS = 'object of field values, or version (v_...) from an update or a conflict';

/** The fields with an expectation; all fields of both states where a version covers the whole resource. */
export function expectedFields(expectation: Expectation, before: JsonObject, after: JsonObject): readonly string[] {
  if (expectation.kind === 'nothing') return [];
  return Object.keys(expectation.kind === 'fields' ? expectation.fields : { ...before, ...after });
}

/** The fields that hold other values than expected. */
function unmetFields(expected: JsonObject, resource: JsonObject): readonly string[] {
  return Object.keys(expected).filter((field) => digest(expected[field]) !== digest(fieldOf(resource, field)));
}

/** Throws CONFLICT_VERSION_MISMATCH unless the resource is what the update's caller expects. */
export function requireExpected(
  { operation, arguments: args }: HandlerCall,
  expectation: Expectation,
  resource: JsonObject,
): void {
  if (expectation.kind === 'nothing') return;
  if (expectation.kind === 'fields') {
    const fields = unmetFields(expectation.fields, resource);
    if (fields.length === 0) return;
    const problem = `${quote(fields)} of the resource ${fields.length === 1 ? 'is' : 'are'} not as 'if_match' says`;
    throw versionMismatch({ operation, problem, expected: expectation.fields, resource, fields });
  }
  const { version } = expectation;
  if (versionOf(resource) === version) return;
  // A version does not say what has changed since, so the error shows the fields that the caller wants to change.
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

/** Throws CONFLICT_VERSION_MISMATCH if any of these fields has changed between two reads of the resource. */
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

/**
 * Throws CONFLICT_VERSION_MISMATCH where a person agreed to other changes than the update makes now.
 * @param after the resource as the update makes it
 * @returns the fields that change, which must not change otherwise before they are written; none where nobody was shown any
 */
export function requireAgreed(
  { operation, agreedChanges }: HandlerCall,
  resource: JsonObject,
  after: JsonObject,
): readonly string[] {
  if (agreedChanges === undefined) return [];
  const { changes, digest: found } = listChanges(resource, after);
  const fields = [...new Set(changes.flatMap(({ path }) => path.slice(0, 1)))];
  if (found === agreedChanges) return fields;
  throw new OperationError(
    'CONFLICT_VERSION_MISMATCH',
    `'${operation.name}' was not attempted: the resource has changed since a person agreed to the changes they were shown. See details.current; if the update is still right, send it again without a token, and a person is asked about its changes now`,
    {
      operation: operation.name,
      reason: 'changed_since_agreement',
      current: pickFields(resource, fields),
      current_version: versionOf(resource),
    },
  );
}

interface Mismatch {
  readonly operation: Operation;
  readonly problem: string;
  /** A version, or values by field. */
  readonly expected: string | JsonObject;
  /** The present state, and the fields of it to show. */
  readonly resource: JsonObject;
  readonly fields: readonly string[];
}

function versionMismatch({ operation, problem, expected, resource, fields }: Mismatch): OperationError {
  const next =
    "See details.current; if the update is still right, send it again with 'if_match' set to current_version";
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

interface Changes {
  readonly changes: readonly ValueChange[];
  /** Equal for equal changes, without revealing them. */
  readonly digest: string;
}

/** How a resource differs from an earlier state of it: members of objects one by one, everything else as a whole. */
export function listChanges(before: JsonObject, after: JsonObject): Changes {
  const changes = changesBetween(before, after, []).map(unmarkedWithin);
  return { changes, digest: digest(changes) };
}

function changesBetween(before: JsonObject, after: JsonObject, path: readonly string[]): readonly ValueChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): readonly ValueChange[] => {
    const here = [...path, name];
    const [had, has] = [before, after].map((state) => Object.hasOwn(state, name));
    const [old, now] = [before[name], after[name]];
    if (had && has && isJsonObject(old) && isJsonObject(now)) return changesBetween(old, now, here);
    if (had && has && isDeepStrictEqual(old, now)) return [];
    return [{ path: here, ...(had && { before: old }), ...(has && { after: now }) }];
  });
}
