import { isJsonObject, type JsonObject, setMember } from '../../base/json/json.js';
import { createSuggester, type Suggest, toSnakeCase } from '../../base/lib/names.js';
import { cleanText, echoName, quoteValues, summarizeText } from '../../base/lib/text.js';
import { findLeak } from '../../base/protocol/clean-words.js';
import { type Operation, type Parameter, type ParameterScope, pathOf } from '../../base/protocol/operation.js';
import { Meter, MOST_VIOLATIONS, type Violation } from '../../schema/evaluation.js';
import { explainViolations, type Fault, type FaultScope } from '../../schema/explain-violations.js';
import { describeForm, jsonTypeOf } from '../../schema/schema-shape.js';
import { measureSchema } from '../../schema/schema-size.js';
import { findUnknownMembers } from '../../schema/unknown-members.js';
import { type Verdict, validatorFor } from '../../schema/validator.js';
import { mayBeEmpty } from '../update-input.js';
import { unwrap } from './wrapped-params.js';

/** The upstream's arguments, or everything that is wrong with the caller's parameters. */
type Binding =
  | {
      readonly ok: true;
      readonly arguments: JsonObject;
      /** Fields of an update whose null was left out, as the caller writes them. */
      readonly leftOut?: readonly string[];
      /** Members of nested objects that their schema does not name, as the caller writes them, with what was probably meant. */
      readonly unknown?: readonly UnknownInside[];
      /** Why the schema was not held against them to its end: the upstream judges them. */
      readonly unchecked?: string;
    }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** A member that its server may ignore in silence. */
export interface UnknownInside {
  readonly param: string;
  readonly nearest?: string;
}

/** More are not read; the next attempt shows the rest. */
const MAX_FAULTS = 50;

/**
 * A call's `params` as the arguments that a direct caller would have sent: names first, then what must be there, then the
 * tool's own schema. Values are never converted, and defaults are left to the upstream, which declared them.
 */
export function bindArguments(operation: Operation, params: JsonObject, meter = new Meter()): Binding {
  const matched = matchParameters(operation, params);
  // More faults are not reported, so nothing else is looked for.
  if (matched.faults.length >= MAX_FAULTS) return { ok: false, faults: dropRepeated(matched.faults) };
  const { arguments: given, faults } = matched;
  const bound = Object.values(given).includes(null) ? dropNulls(operation, given, meter) : given;
  for (const [name, value] of Object.entries(operation.fixedArguments ?? {})) setMember(bound, name, value);
  const verdict = validatorFor(operation.inputSchema, operation.formats).check(bound, meter);
  const fits = faults.length + verdict.violations.length === 0 && verdict.undecided === undefined;
  // Most arguments are all there and plain: nothing in them can be left out, and nothing be unknown.
  const isPlain = bound === given && !Object.values(bound).some((value) => typeof value === 'object');
  const isComplete = operation.scope.required.every(({ upstreamName }) => Object.hasOwn(bound, upstreamName));
  if (fits && isPlain && isComplete) return { ok: true, arguments: bound };
  return judgeArguments(operation, matched, withoutRefusedNulls(operation, { bound, verdict }, meter));
}

function judgeArguments(operation: Operation, matched: MatchedParameters, { bound, verdict }: Checked): Binding {
  const leftOut = findLeftOut(operation, matched.arguments, bound);
  const missing = [...findMissing(operation, bound), ...findUnchanged(operation, matched.arguments, leftOut)];
  const violations = verdict.violations.filter((violation) => !mayMerge(operation, bound, violation));
  const isRefused = matched.faults.length + missing.length + violations.length > 0;
  // A refusal has no warnings.
  const unknown = isRefused && operation.strictInside !== true ? [] : readUnknown(operation, bound);
  const inside = operation.strictInside === true ? unknown.map(unknownInsideFault) : [];
  const { undecided } = verdict;
  // What a schema is too large for is known from the catalog's diagnostics, and not repeated for every call.
  const isNews = undecided !== undefined && measureSchema(operation.inputSchema).excess === undefined;
  if (!isRefused && inside.length === 0) {
    return {
      ok: true,
      arguments: bound,
      ...(leftOut.length > 0 && { leftOut }),
      ...(unknown.length > 0 && {
        unknown: unknown.map(({ param, nearest }) => ({ param, ...(nearest !== undefined && { nearest }) })),
      }),
      ...(isNews && { unchecked: undecided }),
    };
  }

  const broken = explainViolations(violations, faultScope(operation), MAX_FAULTS);
  return {
    ok: false,
    faults: dropRepeated([...matched.faults, ...missing, ...broken, ...inside]).slice(0, MAX_FAULTS),
  };
}

function readUnknown(
  operation: Operation,
  bound: JsonObject,
): readonly (UnknownInside & { readonly known: readonly string[] })[] {
  const { inputSchema } = operation;
  // Names at the top are matched elsewhere, and most arguments hold nothing else.
  if (!Object.values(bound).some((value) => typeof value === 'object' && value !== null)) return [];
  // What is too large to be checked is not searched either.
  if (measureSchema(inputSchema).excess !== undefined) return [];
  const found = findUnknownMembers(inputSchema, bound);
  if (found.length === 0) return [];
  const { nameOf, suggest } = faultScope(operation);
  return found.map(({ path, known }) => {
    const nearest = suggest(path.at(-1) ?? '', known);
    return { param: echoName(nameOf(path)), known, ...(nearest !== undefined && { nearest }) };
  });
}

function unknownInsideFault({ param, nearest, known }: ReturnType<typeof readUnknown>[number]): Fault {
  const hint = nearest === undefined ? '' : `. Did you mean '${nearest}'?`;
  return {
    code: 'VALIDATION_UNKNOWN_PARAM',
    param,
    message: `Unknown parameter '${param}'${hint}`,
    expected: `one of ${quoteValues(known)}`,
    nearest,
  };
}

/**
 * Null for an optional parameter that takes no null means that it is absent: models in strict mode must write every parameter. Where
 * the tool takes it, or what is merged is written whole, it removes a field (specification 4.5.2).
 */
function dropNulls(operation: Operation, args: JsonObject, meter: Meter): JsonObject {
  const names = Object.keys(args).filter((name) => args[name] === null && isNullAbsent(operation, name, meter));
  if (names.length === 0) return args;
  const dropped = new Set(names);
  return Object.fromEntries(Object.entries(args).filter(([name]) => !dropped.has(name)));
}

/** A null in the input of an update asks to remove the field, so its caller has to know that nothing was sent. */
function findLeftOut({ scope }: Operation, given: JsonObject, bound: JsonObject): readonly string[] {
  if (!scope.hasInput) return [];
  const left = Object.keys(given).filter((name) => given[name] === null && !Object.hasOwn(bound, name));
  return left.flatMap((name) => {
    const parameter = scope.byUpstreamName.get(name);
    return parameter?.place === 'input' ? [pathOf(parameter)] : [];
  });
}

/** An update of nothing but nulls that its tool does not take asks for what cannot be done. */
function findUnchanged(operation: Operation, given: JsonObject, leftOut: readonly string[]): readonly Fault[] {
  const { scope, name: operationName, parameters } = operation;
  const isInInput = (name: string): boolean => scope.byUpstreamName.get(name)?.place !== 'params';
  if (leftOut.length === 0 || mayBeEmpty(operationName, parameters)) return [];
  if (Object.keys(given).filter(isInInput).length > leftOut.length) return [];
  return leftOut.slice(0, MAX_FAULTS).map((param) => ({
    code: 'VALIDATION_INVALID_TYPE',
    param,
    message: `Parameter '${param}' cannot be removed: the tool takes no null for it. Give it another value`,
    actual: 'null',
  }));
}

function isNullAbsent(operation: Operation, name: string, meter: Meter): boolean {
  const parameter = operation.scope.byUpstreamName.get(name);
  if (parameter === undefined || parameter.required) return false;
  // Who replaces the whole removes a field by leaving it out of that.
  if (operation.merge?.writes === 'whole' && parameter.place === 'input') return false;
  return !validatorFor(operation.inputSchema, operation.formats).takes(parameter.schema, null, meter);
}

/**
 * The same for members of nested objects: where a null is refused and leaving it out breaks nothing else, it is left out. Only a
 * call that would be refused pays for it.
 */
function withoutRefusedNulls(operation: Operation, given: Checked, meter: Meter): Checked {
  const nulls = operation.merge === undefined ? findRefusedNulls(given.verdict, given.bound) : [];
  if (nulls.length === 0) return given;
  const bound = nulls.reduce(withoutMember, given.bound);
  const verdict = validatorFor(operation.inputSchema, operation.formats).check(bound, meter);
  const refused = new Set(given.verdict.violations.map(keyOf));
  const isBetter = verdict.violations.every((violation) => refused.has(keyOf(violation)));
  return isBetter ? { bound, verdict } : given;
}

interface Checked {
  readonly bound: JsonObject;
  readonly verdict: Verdict;
}

function findRefusedNulls({ violations }: Verdict, args: JsonObject): readonly (readonly string[])[] {
  // More were not looked for, so leaving these out would show others.
  if (violations.length >= MOST_VIOLATIONS) return [];
  return violations.map(({ path }) => path).filter((path) => path.length > 1 && memberAt(args, path) === null);
}

/** The member of an object; undefined for an item of a list, which cannot be left out. */
function memberAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const child = (value as JsonObject)[key];
  if (rest.length === 0) return isJsonObject(value) ? child : undefined;
  return memberAt(child, rest);
}

/** A copy along the path alone, as the caller's parameters are kept as they came. */
function withoutMember(value: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  const copy = { ...value };
  setMember(copy, key, withoutNested(value[key], rest));
  return copy;
}

function withoutNested(value: unknown, path: readonly string[]): unknown {
  if (isJsonObject(value)) return withoutMember(value, path);
  if (!Array.isArray(value)) return value;
  const [index, ...rest] = path;
  return value.map((item, at) => (String(at) === index ? withoutNested(item, rest) : item));
}

function keyOf({ keyword, path }: Violation): string {
  return JSON.stringify([keyword, ...path]);
}

/** Everything that is wrong with arguments as they are sent, in the caller's terms. */
export function checkArguments(operation: Operation, args: JsonObject): readonly Fault[] {
  const { violations } = validatorFor(operation.inputSchema, operation.formats).check(args);
  return explainViolations(violations, faultScope(operation), MAX_FAULTS);
}

/**
 * Whether merging may still put it right: then an object in `input` is a part of one, null removes a member, and what is left
 * out is there already. The whole is checked before it is written.
 */
function mayMerge(operation: Operation, bound: JsonObject, { path }: Violation): boolean {
  if (operation.merge === undefined) return false;
  const [name] = path;
  const parameter = name === undefined ? undefined : operation.scope.byUpstreamName.get(name);
  if (name === undefined || parameter === undefined) return true;
  const value = bound[parameter.upstreamName];
  return parameter.place === 'input' && (isJsonObject(value) || value === null);
}

/** Also where the schema did not compile: what introspection calls required is required. */
function findMissing(operation: Operation, bound: JsonObject): readonly Fault[] {
  const absent = operation.scope.required.filter(({ upstreamName }) => !Object.hasOwn(bound, upstreamName));
  return absent.slice(0, MAX_FAULTS).map((parameter) => missingFault(operation, parameter));
}

function missingFault(operation: Operation, parameter: Parameter): Fault {
  const param = pathOf(parameter);
  const expected = describeForm(parameter.schema, operation.inputSchema);
  const summary = summarizeText(cleanText(parameter.schema['description']));
  const isQuotable = findLeak(`(${summary})`) === undefined;
  const message = `Missing required parameter '${param}'. Expected: ${expected}${isQuotable && summary !== '' ? ` (${summary})` : ''}`;
  return {
    code: 'VALIDATION_MISSING_PARAM',
    param,
    message,
    expected,
    ...(!isQuotable && { description: summary }),
  };
}

function faultScope(operation: Operation): FaultScope {
  const { byUpstreamName } = operation.scope;
  return {
    root: operation.inputSchema,
    suggest: createSuggester(),
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

/** What the caller's names came to. Misplaced values are in `arguments` too, so that only the place is reported, once. */
interface MatchedParameters {
  readonly arguments: JsonObject;
  readonly faults: readonly Fault[];
}

interface Matching {
  readonly operation: Operation;
  readonly scope: ParameterScope;
  readonly arguments: JsonObject;
  readonly faults: Fault[];
  /** Made for the first unknown name. */
  suggest?: Suggest;
  /** The names that may stand in `input`; listed for the first unknown one there. */
  inputNames?: readonly string[];
  /** The parameters by their folded names; listed for the first unknown one. */
  spellings?: ReadonlyMap<string, Parameter>;
}

/**
 * Puts a call's parameters under the upstream's spelling, in the caller's order. Each must be known and in its place:
 * beside the identifiers, or in an UPDATE's `input` (specification 4.5 and 4.6).
 */
function matchParameters(operation: Operation, params: JsonObject): MatchedParameters {
  const matching: Matching = {
    operation,
    scope: operation.scope,
    arguments: {},
    faults: [],
  };
  for (const key of Object.keys(params)) {
    if (matching.faults.length >= MAX_FAULTS) break;
    if (key === 'input' && (matching.scope.hasInput || isFreeInput(operation, params[key]))) {
      matchInput(matching, params[key]);
    } else matchKey(matching, key, params[key], 'params');
  }
  const { scope, faults } = matching;
  if (scope.hasInput && !Object.hasOwn(params, 'input')) faults.unshift(missingInputFault(operation, faults));
  return { arguments: matching.arguments, faults };
}

/** Of an update whose tool describes no field, all may be inside `input`. */
function isFreeInput({ strict, classification, scope, passthrough }: Operation, input: unknown): boolean {
  if (strict || passthrough !== undefined || classification.category !== 'UPDATE') return false;
  return isJsonObject(input) && !scope.byName.has('input');
}

function matchInput(matching: Matching, input: unknown): void {
  if (!isJsonObject(input)) {
    matching.faults.push(inputTypeFault(jsonTypeOf(input)));
    return;
  }
  for (const key of Object.keys(input)) {
    if (matching.faults.length >= MAX_FAULTS) break;
    matchKey(matching, key, input[key], 'input');
  }
}

function matchKey(matching: Matching, key: string, value: unknown, place: Parameter['place']): void {
  const { operation, scope, faults } = matching;
  const parameter = scope.byName.get(key);
  if (parameter === undefined) {
    // Metadata travels beside the parameters and is read by the stages that it concerns (specification 4.6.1); not so in a tool's own call.
    if (place === 'params' && key.startsWith('_') && operation.passthrough === undefined) return;
    const fixed = findFixed(operation, key);
    if (fixed !== undefined) addFault(faults, () => fixedFault(operation, key, fixed));
    else if (operation.strict) addFault(faults, () => unknownFault(matching, key, value, place));
    else if (Object.hasOwn(matching.arguments, key)) faults.push(repeatedFault(key));
    else if (spellingsIn(matching).has(foldName(key)))
      addFault(faults, () => unknownFault(matching, key, value, place));
    else setMember(matching.arguments, key, value);
    return;
  }
  if (parameter.place !== place && parameter.eitherPlace !== true) faults.push(misplacedFault(parameter));
  else if (Object.hasOwn(matching.arguments, parameter.upstreamName)) faults.push(doubleFault(parameter));
  setMember(matching.arguments, parameter.upstreamName, value);
}

/** A request can hold tens of thousands of unknown names: those that are not read are not worded either. */
function addFault(faults: Fault[], create: () => Fault): void {
  if (faults.length < MAX_FAULTS) faults.push(create());
}

/** The argument that an operation fixes, in any spelling that some server could take for it. */
function findFixed({ fixedArguments }: Operation, key: string): readonly [name: string, value: unknown] | undefined {
  if (fixedArguments === undefined) return undefined;
  const folded = foldName(key);
  return Object.entries(fixedArguments).find(([name]) => foldName(name) === folded);
}

function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Also where unknown parameters pass: another value would do what this operation was not allowed for. */
function fixedFault({ name, tool }: Operation, key: string, [parameter, value]: readonly [string, unknown]): Fault {
  const param = echoName(key);
  const message = `Parameter '${param}' is fixed for operation '${name}', which is '${tool}' with ${parameter} ${JSON.stringify(value)}. Leave it out; other values are operations of their own`;
  return { code: 'VALIDATION_UNKNOWN_PARAM', param, message };
}

/**
 * The names of all parameters, without what some servers do not look at: a server that takes `ID` for `id` would use a value that nothing
 * was judged by.
 */
function spellingsIn(matching: Matching): ReadonlyMap<string, Parameter> {
  matching.spellings ??= new Map(
    matching.operation.parameters.map((parameter) => [foldName(parameter.upstreamName), parameter]),
  );
  return matching.spellings;
}

function unknownFault(matching: Matching, key: string, value: unknown, place: Parameter['place']): Fault {
  const { operation, scope } = matching;
  matching.suggest ??= createSuggester();
  if (place === 'input') matching.inputNames ??= inputParameters(operation).map(({ name }) => name);
  const name = matching.suggest(toSnakeCase(key), scope.canonical);
  const parameter = spellingsIn(matching).get(foldName(key)) ?? scope.byName.get(name ?? '');
  const wraps = place === 'params' && unwrap(key, value, scope) !== undefined;
  const nearest = wraps ? 'params' : parameter && pathOf(parameter);
  const param = place === 'input' ? `input.${echoName(key)}` : echoName(key);
  const valid = place === 'input' ? (matching.inputNames ?? []) : [];
  // What `params` may hold besides, such as `filter`, is known where the fault is reported.
  const known = valid.length > 0 ? `. Valid here: ${quoteValues(valid)}` : '';
  const hint = nearest === undefined ? known : `. Did you mean '${nearest}'?`;
  return {
    code: place === 'input' ? 'VALIDATION_UNKNOWN_FIELD' : 'VALIDATION_UNKNOWN_PARAM',
    param,
    message: `Unknown parameter '${param}' for operation '${operation.name}'${hint}`,
    ...(nearest !== undefined && { nearest }),
  };
}

/** An update's field outside `input`, or its identifier inside. */
function misplacedFault(parameter: Parameter): Fault {
  const { name } = parameter;
  const nearest = pathOf(parameter);
  if (parameter.place === 'input') {
    const message = `Parameter '${name}' is changed by the update and belongs inside 'input': {"input": {"${name}": ...}}`;
    return { code: 'VALIDATION_UNKNOWN_PARAM', param: name, message, nearest };
  }
  const message = `Parameter '${name}' says which resource to update and belongs beside 'input', not inside it`;
  return { code: 'VALIDATION_UNKNOWN_FIELD', param: `input.${name}`, message, nearest };
}

function doubleFault(parameter: Parameter): Fault {
  const param = pathOf(parameter);
  const message = `Parameter '${param}' was given twice, as '${parameter.name}' and as '${parameter.upstreamName}'; give it once`;
  return { code: 'VALIDATION_INVALID_VALUE', param, message, expected: `'${parameter.name}' alone` };
}

/** Of an update, a parameter that its tool does not describe. */
function repeatedFault(key: string): Fault {
  const param = echoName(key);
  const message = `Parameter '${param}' was given twice, beside 'input' and inside it; give it once`;
  return { code: 'VALIDATION_INVALID_VALUE', param, message, expected: 'one of them' };
}

function inputTypeFault(actual: string): Fault {
  const message = `Parameter 'input' expected 'object', got '${actual}'`;
  return { code: 'VALIDATION_INVALID_TYPE', param: 'input', message, expected: 'object', actual };
}

function inputParameters({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter(({ place }) => place === 'input');
}

function missingInputFault(operation: Operation, faults: readonly Fault[]): Fault {
  const flat = faults.flatMap((fault) => (fault.nearest === `input.${fault.param}` ? [fault.param] : []));
  const fields = inputParameters(operation).map(({ name }) => name);
  const holds = mayBeEmpty(operation.name, operation.parameters) ? 'It may be empty, {}, or hold' : 'It may hold';
  const inside = flat.length > 0 ? `Put ${quoteValues(flat)} inside it` : `${holds} ${quoteValues(fields)}`;
  const message = `Missing required parameter 'input'. Expected: object (the fields to change). ${inside}`;
  return { code: 'VALIDATION_MISSING_PARAM', param: 'input', message, expected: 'object' };
}
