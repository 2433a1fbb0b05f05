import { holdsInexact } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject, type JsonSchema, setMember } from '../../base/json/json.js';
import { createSuggester, type Suggest, toSnakeCase } from '../../base/lib/names.js';
import { type Operation, type Parameter, type ParameterScope, pathOf } from '../../base/protocol/operation.js';
import { chosenParts, demandedMembers } from '../../schema/chosen-parts.js';
import { Meter, MOST_WORK, type Violation } from '../../schema/evaluation.js';
import { exampleValue } from '../../schema/example-value.js';
import { followReference } from '../../schema/schema-shape.js';
import { validatorFor } from '../../schema/validator.js';
import { mayBeEmpty } from '../update-input.js';
import { bindArguments } from './bind-arguments.js';
import { MOST_MEMBERS, parseText, unwrap } from './wrapped-params.js';

/** Callers that wrap parameters in parameters do it once or twice. */
const MAX_UNWRAPPING = 3;

/** One example, from the first idea to the last check, takes no more work than a part of a call's check. */
const EXAMPLE_WORK = MOST_WORK / 4;

/** Nobody fills in so many parameters by an example, and each idea and each check of it looks at all of them. */
const MOST_REQUIRED = 200;

type Values = ReadonlyMap<Parameter, unknown>;

/**
 * The parameters of a call that would be accepted: whatever is required, in its place, and of what the caller gave
 * everything that can be used, under its canonical name. What the tool's author declared as example or default is used
 * before a placeholder is.
 */
export function exampleParams(
  operation: Operation,
  given: JsonObject = {},
  meter = new Meter(EXAMPLE_WORK),
  choice = 0,
): JsonObject {
  const { inputSchema } = operation;
  const demanded = demandedMembers(chosenParts(inputSchema, inputSchema, choice));
  const fill: Fill = ({ upstreamName, schema }) =>
    exampleValue(demanded.get(upstreamName) ?? schema, inputSchema, meter, choice) ?? null;
  const values = new Map(keepUsable(operation, collectGiven(operation, given), meter));
  const isWanted = (parameter: Parameter): boolean => parameter.required || demanded.has(parameter.upstreamName);
  const toFill = operation.parameters.filter((parameter) => isWanted(parameter) && !values.has(parameter));
  for (const parameter of toFill) values.set(parameter, fill(parameter));
  const change = fieldToChange(operation, values, fill, meter);
  if (change !== undefined) values.set(change, fill(change));
  return arrange(operation, repair(operation, values, fill, meter));
}

/** A value for a parameter; null for what there is no time to think of: a placeholder, where one must be shown. */
type Fill = (parameter: Parameter) => unknown;

/** Attempts at an example of a schema with alternatives: each goes by others. */
const MOST_CHOICES = 6;

/**
 * The same where it would be accepted; undefined where no such parameters were found. An example that is wrong is none.
 * The attempts share the work of one.
 */
export function findValidExample(operation: Operation, given: JsonObject = {}): JsonObject | undefined {
  if (operation.parameters.filter(({ required }) => required).length > MOST_REQUIRED) return undefined;
  const meter = new Meter(EXAMPLE_WORK);
  for (let choice = 0; choice <= MOST_CHOICES && !meter.isSpent; choice += 1) {
    const params = exampleParams(operation, given, meter, choice);
    if (bindArguments(operation, params, meter).ok) return params;
  }
  return undefined;
}

/** Attempts to meet what a schema demands of several parameters at once. */
const MOST_REPAIRS = 6;

/** Adds what is missing for a combination, and leaves out what is optional and does not fit. */
function repair(operation: Operation, values: Values, fill: Fill, meter: Meter): Values {
  let repaired = values;
  for (let attempt = 0; attempt < MOST_REPAIRS; attempt += 1) {
    const [violation] = validatorFor(operation.inputSchema, operation.formats).check(
      boundArguments(operation, repaired),
      meter,
    ).violations;
    const next = violation === undefined ? undefined : repairOne(operation, repaired, violation, fill);
    if (next === undefined) break;
    repaired = next;
  }
  return repaired;
}

function repairOne(operation: Operation, values: Values, violation: Violation, fill: Fill): Values | undefined {
  const { byUpstreamName } = operation.scope;
  const [name] = violation.path;
  const misfit = name === undefined ? undefined : byUpstreamName.get(name);
  if (misfit !== undefined && !misfit.required)
    return new Map([...values].filter(([parameter]) => parameter !== misfit));
  const missing = missingNames(violation).flatMap((one) => byUpstreamName.get(one) ?? []);
  if (missing.length === 0) return undefined;
  return new Map([...values, ...missing.map((one) => [one, fill(one)] as const)]);
}

/** The parameters whose absence is all that a violation complains of, in one of its alternatives at least. */
function missingNames(violation: Violation): readonly string[] {
  const { path, params, branches } = violation;
  if (path.length > 0) return [];
  if (branches === undefined) return typeof params['missingProperty'] === 'string' ? [params['missingProperty']] : [];
  const candidates = branches.map((branch) => branch.map(missingNames));
  return candidates.find((branch) => branch.length > 0 && branch.every((names) => names.length > 0))?.flat() ?? [];
}

function boundArguments({ fixedArguments = {} }: Operation, values: Values): JsonObject {
  const bound: JsonObject = {};
  for (const [parameter, value] of values) setMember(bound, parameter.upstreamName, value);
  return { ...bound, ...fixedArguments };
}

/** What of a call's parameters its operation takes, and those of numbers that it takes as no text and that no value can carry exactly. */
export function readGiven(
  operation: Operation,
  given: JsonObject,
): { readonly usable: ReadonlySet<Parameter>; readonly inexact: readonly string[] } {
  const values = collectGiven(operation, given);
  const usable = new Set(keepUsable(operation, values, new Meter(EXAMPLE_WORK)).keys());
  const inexact = [...values].filter(
    ([each, value]) => !usable.has(each) && typeof value === 'string' && holdsInexact(value),
  );
  return { usable, inexact: inexact.map(([parameter]) => pathOf(parameter)) };
}

/** What was given, wherever it was put and however it was spelled, by parameter. */
function collectGiven(operation: Operation, given: JsonObject): Values {
  const scope = operation.scope;
  const values = new Map<Parameter, unknown>();
  const suggest = createSuggester();
  const take = (members: JsonObject, depth: number): void => {
    for (const key of Object.keys(members).slice(0, MOST_MEMBERS)) {
      const value = members[key];
      const nested = depth < MAX_UNWRAPPING ? unwrap(key, value, scope) : undefined;
      const parameter = nested === undefined ? recognise(key, scope, suggest) : undefined;
      if (nested !== undefined) take(nested, depth + 1);
      else if (parameter !== undefined && !values.has(parameter)) values.set(parameter, value);
    }
  };
  take(given, 0);
  return values;
}

function recognise(key: string, { byName, canonical }: ParameterScope, suggest: Suggest): Parameter | undefined {
  const exact = byName.get(key);
  if (exact !== undefined) return exact;
  const name = toSnakeCase(key, 'param');
  return byName.get(name) ?? byName.get(suggest(name, canonical) ?? '');
}

/**
 * Drops what the tool's schema refuses, after trying the JSON inside strings (`"5"` for a number, `"[1]"` for a list) and other
 * spellings of members (`old_text` for `oldText`).
 */
function keepUsable(operation: Operation, values: Values, meter: Meter): Values {
  const { inputSchema } = operation;
  const refused = refusedParameters(operation, values, meter);
  const repair = (parameter: Parameter, value: unknown): unknown =>
    refused.has(parameter) ? respellMembers(parseText(value), parameter.schema, inputSchema) : value;
  const repaired = new Map(Array.from(values, ([parameter, value]) => [parameter, repair(parameter, value)]));
  const hopeless = refused.size > 0 ? refusedParameters(operation, repaired, meter) : refused;
  return new Map([...repaired].filter(([parameter]) => !hopeless.has(parameter)));
}

const MAX_RESPELT_DEPTH = 5;

/** Gives members the names that the schema declares, where they differ in spelling alone. */
function respellMembers(value: unknown, schema: JsonSchema, root: JsonSchema, depth = 0): unknown {
  const source = depth < MAX_RESPELT_DEPTH ? followReference(schema, root) : undefined;
  if (source === undefined) return value;
  if (Array.isArray(value)) {
    const { items } = source;
    const isFew = value.length <= MOST_MEMBERS && isJsonObject(items);
    return isFew ? value.map((item) => respellMembers(item, items, root, depth + 1)) : value;
  }
  const { properties } = source;
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const names = Object.keys(properties);
  const keys = Object.keys(value);
  if (Math.max(names.length, keys.length) > MOST_MEMBERS) return value;
  const bySpelling = new Map(names.map((name) => [toSnakeCase(name), name]));
  const respelt: JsonObject = {};
  for (const key of keys) {
    const meant = Object.hasOwn(properties, key) ? key : (bySpelling.get(toSnakeCase(key)) ?? key);
    const member = properties[meant];
    setMember(respelt, meant, isJsonObject(member) ? respellMembers(value[key], member, root, depth + 1) : value[key]);
  }
  return respelt;
}

function refusedParameters(operation: Operation, values: Values, meter: Meter): ReadonlySet<Parameter> {
  if (values.size === 0) return new Set();
  const { violations } = validatorFor(operation.inputSchema, operation.formats).check(
    boundArguments(operation, values),
    meter,
  );
  const places = new Set(violations.map(({ path }) => path[0]));
  return new Set([...values.keys()].filter((parameter) => places.has(parameter.upstreamName)));
}

/** An UPDATE that changes nothing is no example: where no field is given, the first that makes a valid call. */
function fieldToChange(operation: Operation, values: Values, fill: Fill, meter: Meter): Parameter | undefined {
  // A made-up note would be written beside what the name says.
  if (mayBeEmpty(operation.name, operation.parameters)) return undefined;
  const fields = operation.parameters.filter((parameter) => parameter.place === 'input');
  if (fields.some((parameter) => values.has(parameter))) return undefined;
  const isValid = (field: Parameter): boolean => {
    const tried = new Map([...values, [field, fill(field)] as const]);
    return bindArguments(operation, arrange(operation, tried), meter).ok;
  };
  return fields.slice(0, 5).find(isValid) ?? fields[0];
}

/** In the schema's order, each in its place. */
function arrange({ parameters }: Operation, values: Values): JsonObject {
  const params: JsonObject = {};
  const input: JsonObject = {};
  for (const parameter of parameters) {
    if (!values.has(parameter)) continue;
    setMember(parameter.place === 'input' ? input : params, parameter.name, values.get(parameter));
  }
  return parameters.some((parameter) => parameter.place === 'input') ? { ...params, input } : params;
}
