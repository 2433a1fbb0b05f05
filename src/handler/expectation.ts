import { jsonTypeOf } from '../catalog/schema/json-type.js';
import { digest } from '../protocol/canonical-json.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { fieldOf, isVersion } from './resource.js';

/** What a caller takes for granted of a resource that it updates (`if_match`). */
export type Expectation =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'version'; readonly version: string }
  /** Values by field or dotted path; null: there is none. */
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

const FORMS = 'object of field values, or version (v_...) as an update or a conflict told it';

/** The fields that something is expected of; all of both states where a version speaks for the whole. */
export function expectedFields(expectation: Expectation, before: JsonObject, after: JsonObject): readonly string[] {
  if (expectation.kind === 'nothing') return [];
  return Object.keys(expectation.kind === 'fields' ? expectation.fields : { ...before, ...after });
}

/** The fields that hold something else than expected. */
export function unmetFields(expected: JsonObject, resource: JsonObject): readonly string[] {
  return Object.keys(expected).filter((field) => digest(expected[field]) !== digest(fieldOf(resource, field)));
}
