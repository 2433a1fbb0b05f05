import type { JsonObject } from '../../base/json/json.js';
import { echoValue, quoteValue } from '../../base/lib/text.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Fault } from '../../schema/explain-violations.js';
import { jsonTypeOf } from '../../schema/schema-shape.js';
import { MAX_PATH_DEPTH, MAX_PATH_LENGTH, parsePath } from './fields.js';
import type { Control, FieldPath } from './result-types.js';

/** One thing wrong with the controls of a call. */
export interface QueryFault extends Fault {
  /** The parameters that do not go together. */
  readonly provided?: readonly string[];
  /** How to correct it. */
  readonly hint?: string | undefined;
}

/** A call's controls while they are read: all faults are collected, so that one answer names them. */
export interface ControlReading {
  readonly given: ReadonlyMap<Control, unknown>;
  /** The name under which callers give a control. */
  readonly nameOf: (control: Control) => string;
  /** The presets that `fields` may name. */
  readonly presets: readonly string[];
  readonly faults: QueryFault[];
}

/** Further faults are not reported; the next attempt shows them. */
const MAX_FAULTS = 50;

/** Throws all faults as one error, where there are any. */
export function refuseFaults(faults: readonly QueryFault[], operation: string): void {
  const error = describeFaults(faults, operation);
  if (error !== undefined) throw error;
}

/**
 * All faults as one error; undefined where there are none. Its code and details are those of the first wrong type, else of the
 * first fault.
 */
export function describeFaults(faults: readonly QueryFault[], operation: string): OperationError | undefined {
  const reported = faults.slice(0, MAX_FAULTS);
  const main = reported.find(({ code }) => code === 'VALIDATION_INVALID_TYPE') ?? reported[0];
  if (main === undefined) return undefined;
  return new OperationError(main.code, reported.map(({ message }) => message).join('. '), {
    operation,
    ...detailsOf(main),
    ...(reported.length > 1 ? { faults: reported } : {}),
  });
}

/** The names that the specification gives to a fault's parts: a wrong type has types, any other a constraint. */
function detailsOf({ code, param, expected, actual, value, provided, hint }: QueryFault): JsonObject {
  const isType = code === 'VALIDATION_INVALID_TYPE';
  return {
    param_name: param,
    ...(expected === undefined ? {} : { [isType ? 'expected_type' : 'constraint']: expected }),
    ...(actual === undefined || !isType ? {} : { actual_type: actual }),
    ...(value === undefined ? {} : { value }),
    ...(provided === undefined ? {} : { provided }),
    ...(hint === undefined ? {} : { hint }),
  };
}

export function typeFault(param: string, expected: string, value: unknown, hint?: string): QueryFault {
  const actual = jsonTypeOf(value);
  const message = `Parameter '${param}' expected '${expected}', got '${actual}'`;
  return {
    code: 'VALIDATION_INVALID_TYPE',
    param,
    message,
    expected,
    actual,
    hint,
  };
}

/** A value of the right type that cannot be used. */
export function valueFault(
  param: string,
  expected: string,
  value: unknown,
  hint?: string,
  code: QueryFault['code'] = 'VALIDATION_INVALID_VALUE',
): QueryFault {
  const actual = quoteValue(value);
  const message = `Parameter '${param}' must be ${expected}, got ${actual}`;
  const echo = echoValue(value);
  return {
    code,
    param,
    message,
    expected,
    actual,
    ...(echo === undefined ? {} : { value: echo }),
    hint,
  };
}

/** What to do about a value that came as text where something else was wanted. */
export function textHint(value: unknown, example: string): string {
  const isJson = typeof value === 'string' && /^\s*[[{]/.test(value);
  return isJson ? 'Give the JSON value itself, not its text in a string' : `For example: ${example}`;
}

/** A field's path from a caller's value; undefined, with a fault added, where it is not a path. */
export function readPath(value: unknown, param: string, { faults }: ControlReading): FieldPath | undefined {
  if (typeof value !== 'string') {
    faults.push(typeFault(param, 'string', value, 'Name a field, with dots for nested ones: "settings.theme"'));
    return undefined;
  }
  const path = parsePath(value);
  if (path === undefined) {
    const bounds = `${MAX_PATH_DEPTH} keys and ${MAX_PATH_LENGTH} characters or fewer`;
    faults.push(valueFault(param, `a field path such as 'name' or 'settings.theme' of ${bounds}`, value));
  }
  return path;
}
