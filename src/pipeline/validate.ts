import { bindArguments } from '../catalog/bind-arguments.js';
import type { Fault } from '../catalog/fault.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import type { RawCall } from '../protocol/raw-call.js';
import { correctedExample } from './corrected-example.js';
import type { RoutedCall } from './route.js';
import type { Snapshot } from './snapshot.js';
import { takeConfirmation } from './take-confirmation.js';

/** A request whose parameters are what the operation describes, in the upstream's spelling. */
export interface ValidatedCall {
  readonly raw: RawCall;
  readonly operation: Operation;
  readonly arguments: JsonObject;
  /** The token that the caller sent to confirm the call. */
  readonly confirmation?: string;
}

/**
 * Which fault gives an answer its code when there are several: an unknown name first, because a misspelt parameter is
 * usually also why another one is missing.
 */
const PRECEDENCE: readonly Fault['code'][] = [
  'VALIDATION_UNKNOWN_PARAM',
  'VALIDATION_UNKNOWN_FIELD',
  'VALIDATION_MISSING_PARAM',
  'VALIDATION_INVALID_TYPE',
];

/** Binds the parameters. A call is refused here for unknown, missing or ill-formed parameters, all faults in one answer. */
export function validate(call: RoutedCall, snapshot: Snapshot): ValidatedCall {
  const { raw, operation } = call;
  const { params, confirmation } = takeConfirmation(operation, call.params);
  const bound = bindArguments(operation, params);
  if (!bound.ok) throw describeFaults(bound.faults, { ...call, params }, snapshot);
  const validated = { raw, operation, arguments: bound.arguments };
  return confirmation === undefined ? validated : { ...validated, confirmation };
}

function describeFaults(faults: readonly Fault[], call: RoutedCall, snapshot: Snapshot): OperationError {
  const main = mostTelling(faults);
  const { operation } = call;
  return new OperationError(main.code, describeInWords(faults, operation), {
    operation: operation.name,
    ...specifiedDetails(main, faults, operation),
    ...(faults.length > 1 ? { faults } : {}),
    example: correctedExample(snapshot, operation, call.params),
  });
}

function mostTelling(faults: readonly Fault[]): Fault {
  const rank = (fault: Fault): number => {
    const position = PRECEDENCE.indexOf(fault.code);
    return position < 0 ? PRECEDENCE.length : position;
  };
  return faults.reduce((best, fault) => (rank(fault) < rank(best) ? fault : best));
}

/** One sentence a fault, unknown names first and together, with the valid list once. */
function describeInWords(faults: readonly Fault[], operation: Operation): string {
  const unknown = faults.filter(isUnknownName);
  const others = faults.filter((fault) => !isUnknownName(fault)).map((fault) => fault.message);
  if (unknown.length === 0) return others.join('. ');
  const names = unknown.map((fault) =>
    fault.nearest === undefined ? `'${fault.param}'` : `'${fault.param}' (did you mean '${fault.nearest}'?)`,
  );
  const valid = validNames(operation).map((name) => `'${name}'`);
  const list = valid.length > 0 ? `Valid: ${valid.join(', ')}` : 'It takes no parameters';
  return [`Unknown parameter(s) for operation '${operation.name}': ${names.join(', ')}. ${list}`, ...others].join('. ');
}

/** The details that the specification names for the code. */
function specifiedDetails(main: Fault, faults: readonly Fault[], operation: Operation): JsonObject {
  if (isUnknownName(main)) {
    const params = namesOf(faults, 'VALIDATION_UNKNOWN_PARAM');
    const fields = namesOf(faults, 'VALIDATION_UNKNOWN_FIELD');
    return {
      ...(params.length > 0 ? { unknown_params: params, valid_params: validNames(operation) } : {}),
      ...(fields.length > 0 ? { unknown_fields: fields, valid_fields: inputNames(operation) } : {}),
    };
  }
  const { param, expected, actual } = main;
  const constraint = main.code !== 'VALIDATION_MISSING_PARAM' && main.code !== 'VALIDATION_INVALID_TYPE';
  return {
    param_name: param,
    ...(expected === undefined ? {} : { [constraint ? 'constraint' : 'expected_type']: expected }),
    ...(actual === undefined ? {} : { [constraint ? 'value' : 'actual_type']: actual }),
  };
}

function isUnknownName(fault: Fault): boolean {
  return fault.code === 'VALIDATION_UNKNOWN_PARAM' || fault.code === 'VALIDATION_UNKNOWN_FIELD';
}

function namesOf(faults: readonly Fault[], code: Fault['code']): string[] {
  return faults.filter((fault) => fault.code === code).map((fault) => fault.param.replace(/^input\./, ''));
}

/** The names that may stand in `params`. */
function validNames(operation: Operation): string[] {
  const names = operation.parameters.filter(({ place }) => place === 'params').map(({ name }) => name);
  return inputNames(operation).length > 0 ? [...names, 'input'] : names;
}

function inputNames(operation: Operation): string[] {
  return operation.parameters.filter(({ place }) => place === 'input').map(({ name }) => name);
}
