import { quoteValue, quoteValues } from '../base/lib/text.js';
import type { Operation } from '../base/protocol/operation.js';
import { OperationError } from '../base/protocol/operation-error.js';
import type { Warning } from '../base/protocol/result.js';
import type { Fault } from '../schema/explain-violations.js';
import { writePath } from './query/fields.js';
import { describeFaults, type QueryFault } from './query/query-fault.js';
import type { FieldPath } from './query/result-types.js';
import type { UnknownControl } from './shape/controls.js';

/** One answer for a cursor that is forged, another session's, expired, or of another call: it reveals nothing of others. */
export function cursorGone({ name }: Operation, param: string): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameter '${param}' holds no valid cursor for this call: it was given for other parameters, or its page is no longer ` +
      `stored. Call '${name}' again without '${param}' to start over`,
    { operation: name, param_name: param, constraint: "a cursor of this operation's last pages" },
  );
}

export function notWithCursor({ name }: Operation, param: string): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameter '${param}' concerns all items and cannot be combined with a cursor. Leave out one or the other`,
    { operation: name, param_name: param },
  );
}

/** The caller names a list that the answer does not have. */
export function noSuchList(
  { name }: Operation,
  param: string,
  asked: FieldPath,
  lists: readonly FieldPath[],
): OperationError {
  const places = lists.map(writePath);
  const has = places.length === 0 ? 'It holds none' : `Its lists: ${quoteValues(places)}`;
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameter '${param}' must be the path of a list in the answer of '${name}', got ${quoteValue(writePath(asked))}. ${has}`,
    { operation: name, param_name: param, value: writePath(asked), lists: places },
  );
}

export function handleGone(handle: string): OperationError {
  return new OperationError(
    'INTROSPECTION_ERROR',
    `There is no stored result '${handle.slice(0, 40)}': it belongs to another session, or is no longer stored. Call the operation again`,
  );
}

/** Beside an answer that names what other replicas do not find yet. */
export const NOT_SHARED: Warning = {
  code: 'RESULT_NOT_SHARED_WARNING',
  message:
    'The state store has refused a copy of this answer, so other gateways do not find its handle or cursor yet. It is tried again. Until then ' +
    'ask this gateway, or ask again',
  severity: 'medium',
};

/** Replicas share what is stored, up to a bound: beyond it the replica alone has it that made it. */
export function resultElsewhere(handle: string, bytes: number): OperationError {
  return new OperationError(
    'INTROSPECTION_ERROR',
    `The stored result '${handle.slice(0, 40)}' has ${bytes} bytes, too many to be shared by the gateway's replicas, and another replica has it. ` +
      'Call the operation again, for less where it can give less',
  );
}

export function pagesElsewhere({ name }: Operation, bytes: number): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    `The list has ${bytes} bytes, too many for its pages to be shared by the gateway's replicas, and another replica has them. Call ` +
      `'${name}' again without the cursor, for less where it can give less`,
    { operation: name },
  );
}

/** What is wrong with a call's controls: names that the operation has for nothing, and values. */
export function refuseControls(
  operation: Operation,
  unknown: readonly UnknownControl[],
  faults: readonly QueryFault[],
): { readonly faults: readonly Fault[]; readonly error?: OperationError } {
  if (unknown.length === 0) {
    const error = describeFaults(faults, operation.name);
    return error === undefined ? { faults } : { faults, error };
  }
  const names = unknown.map((each) => unknownNameFault(operation, each));
  return faults.length > 0
    ? { faults: [...names, ...faults] }
    : { faults: names, error: unknownControlNames(operation, unknown) };
}

function unknownNameFault({ name }: Operation, { key, meant }: UnknownControl): Fault {
  const hint = meant === undefined ? '' : `. Did you mean '${meant}'?`;
  const message = `Unknown parameter '${key}' for operation '${name}'${hint}`;
  return { code: 'VALIDATION_UNKNOWN_PARAM', param: key, message, nearest: meant };
}

/** Controls under names that this operation has for nothing. */
function unknownControlNames({ name }: Operation, unknown: readonly UnknownControl[]): OperationError {
  const listed = unknown.map(({ key, meant }) =>
    meant === undefined ? `'${key}'` : `'${key}' (did you mean '${meant}'?)`,
  );
  const known = unknown.flatMap(({ meant }) => meant ?? []);
  const hint = known.length === unknown.length ? '' : `. '${name}' takes no such parameter`;
  return new OperationError(
    'VALIDATION_UNKNOWN_PARAM',
    `Unknown parameter(s) for operation '${name}': ${listed.join(', ')}${hint}`,
    {
      operation: name,
      unknown_params: unknown.map(({ key }) => key),
      ...(known.length > 0 && { valid_params: known }),
    },
  );
}
