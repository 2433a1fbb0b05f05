import { pathOfPointer } from '../config/json-path.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation, Parameter } from '../protocol/operation.js';
import { cleanText, summarizeText } from './clean-text.js';
import { explainViolations, type FaultScope } from './explain-violations.js';
import type { Fault } from './fault.js';
import { matchParameters } from './match-parameters.js';
import { parameterScope, pathOf } from './parameter-scope.js';
import { describeForm } from './schema/describe-form.js';
import { setMember } from './schema/own-member.js';
import { type Violation, validatorFor } from './validators.js';

/** The upstream's arguments, or everything that is wrong with the caller's parameters. */
export type Binding =
  | { readonly ok: true; readonly arguments: JsonObject }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** More are not read; the next attempt shows the rest. */
const MAX_FAULTS = 50;

/**
 * A call's `params` as the arguments that a direct caller would have sent: names first, then what must be there, then the
 * tool's own schema. Values are never converted, and defaults are left to the upstream, which declared them.
 */
export function bindArguments(operation: Operation, params: JsonObject): Binding {
  const matched = matchParameters(operation, params);
  const bound = addFixedArguments(operation, matched.arguments);
  const missing = findMissing(operation, bound);
  const violations = findViolations(operation, bound).filter((violation) => !mayMerge(operation, bound, violation));
  const total = matched.faults.length + missing.length + violations.length;
  if (total === 0) return { ok: true, arguments: bound };

  const broken = explainViolations(violations, faultScope(operation));
  return { ok: false, faults: dropRepeated([...matched.faults, ...missing, ...broken]).slice(0, MAX_FAULTS) };
}

/** Everything that is wrong with arguments as they are sent, in the caller's terms. */
export function checkArguments(operation: Operation, args: JsonObject): readonly Fault[] {
  return explainViolations(findViolations(operation, args), faultScope(operation)).slice(0, MAX_FAULTS);
}

function findViolations({ inputSchema }: Operation, args: JsonObject): readonly Violation[] {
  const validator = validatorFor(inputSchema);
  return validator.accepts(args) ? [] : validator.violations(args);
}

/**
 * Whether merging may still put it right: then an object in `input` is a part of one, null removes a member, and what is left
 * out is there already. The whole is checked before it is written.
 */
function mayMerge(operation: Operation, bound: JsonObject, { instancePath }: Violation): boolean {
  if (operation.merge === undefined) return false;
  const [name] = pathOfPointer(instancePath, bound);
  const parameter = parameterScope(operation).byUpstreamName.get(String(name));
  if (name === undefined || parameter === undefined) return true;
  const value = bound[parameter.upstreamName];
  return parameter.place === 'input' && (isJsonObject(value) || value === null);
}

function addFixedArguments({ fixedArguments }: Operation, bound: JsonObject): JsonObject {
  if (fixedArguments !== undefined) {
    for (const [name, value] of Object.entries(fixedArguments)) setMember(bound, name, value);
  }
  return bound;
}

/** Also where the schema did not compile: what introspection calls required is required. */
function findMissing(operation: Operation, bound: JsonObject): readonly Fault[] {
  const absent = parameterScope(operation).required.filter(({ upstreamName }) => !Object.hasOwn(bound, upstreamName));
  return absent.map((parameter) => missingFault(operation, parameter));
}

function missingFault(operation: Operation, parameter: Parameter): Fault {
  const param = pathOf(parameter);
  const expected = describeForm(parameter.schema, operation.inputSchema);
  const summary = summarizeText(cleanText(parameter.schema['description']));
  const purpose = summary === '' ? '' : ` (${summary})`;
  const message = `Missing required parameter '${param}'. Expected: ${expected}${purpose}`;
  return { code: 'VALIDATION_MISSING_PARAM', param, message, expected };
}

function faultScope(operation: Operation): FaultScope {
  const { byUpstreamName } = parameterScope(operation);
  return {
    root: operation.inputSchema,
    nameOf: ([first, ...rest]) => {
      if (first === undefined) return '';
      const parameter = byUpstreamName.get(first);
      return rest.reduce(appendSegment, parameter === undefined ? first : pathOf(parameter));
    },
  };
}

function appendSegment(path: string, segment: string): string {
  return /^(?:0|[1-9]\d*)$/.test(segment) ? `${path}[${segment}]` : `${path}.${segment}`;
}

/** What the names said already, the schema says again. */
function dropRepeated(faults: readonly Fault[]): readonly Fault[] {
  const isFirst = (fault: Fault, index: number): boolean =>
    faults.findIndex(({ code, param }) => code === fault.code && param === fault.param) === index;
  return faults.filter(isFirst);
}
