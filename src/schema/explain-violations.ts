import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { getOrMake, oncePer } from '../base/lib/collections.js';
import { isSensitiveName, type Suggest, toSnakeCase } from '../base/lib/names.js';
import { echoName, echoValue, quoteValue, quoteValues } from '../base/lib/text.js';
import type { ErrorCode } from '../base/protocol/error-table.js';
import type { Violation } from './evaluation.js';
import { ANY_VALUE, describeForm, followReference, jsonTypeOf, readObjectFields } from './schema-shape.js';

/** Where faults are reported: the schema that was broken, and how its places are called by the caller. */
export interface FaultScope {
  readonly root: JsonSchema;
  /** The caller's path of a place in the arguments, given as the segments of its JSON pointer. */
  readonly nameOf: (segments: readonly string[]) => string;
  /** What an unknown member was probably meant to be. */
  readonly suggest: Suggest;
}

/** One thing wrong with a call's parameters. A refused call lists every one. */
export interface Fault {
  readonly code: Extract<ErrorCode, `VALIDATION_${string}`>;
  /** The canonical path as the caller writes it: `title`, `input.labels[2]`. */
  readonly param: string;
  /** One sentence with dynamic values in single quotes. */
  readonly message: string;
  /** The type or constraint, in words: `string`, `one of 'open', 'closed'`, `at most 100`. */
  readonly expected?: string;
  /** What the server says of the parameter, where the message cannot quote it. */
  readonly description?: string;
  /** The type or (short, never sensitive) value that came. */
  readonly actual?: string;
  /** The value that came, where it is neither long nor sensitive. */
  readonly value?: unknown | undefined;
  /** For an unknown name: what was probably meant. */
  readonly nearest?: string | undefined;
}

interface Explanation {
  readonly code: Fault['code'];
  /** What should have come, to be read after "must be". */
  readonly expected: string;
  /** The member that is missing or too many. */
  readonly member?: string;
  /** Whether to show the value that came. */
  readonly showsValue?: boolean;
}

type Explain = (violation: Violation) => Explanation;

const range =
  (template: string, showsValue = true): Explain =>
  ({ params }) => ({
    code: 'VALIDATION_OUT_OF_RANGE',
    expected: template.replace('%', String(params['limit'] ?? params['multipleOf'])),
    showsValue,
  });

/** A bound of a size, where the value itself would be too long to show. */
const sized = (template: string): Explain => range(template, false);

const missing: Explain = ({ params, parentSchema }) => {
  const member = String(params['missingProperty']);
  const properties = parentSchema?.['properties'];
  const schema = isJsonObject(properties) && isJsonObject(properties[member]) ? properties[member] : {};
  return { code: 'VALIDATION_MISSING_PARAM', expected: describeForm(schema, schema), member };
};

const superfluous: Explain = ({ params, parentSchema }) => {
  const member = String(params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName']);
  const properties = parentSchema?.['properties'];
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  const expected = known.length === 0 ? 'nothing' : `one of ${quoteValues(known)}`;
  return { code: 'VALIDATION_UNKNOWN_PARAM', expected, member };
};

/** What each JSON Schema keyword means to a caller; the ones not listed are only said to be broken. */
const EXPLANATIONS: Readonly<Record<string, Explain>> = {
  type: ({ params }) => ({
    code: 'VALIDATION_INVALID_TYPE',
    expected: [params['type']].flat().map(String).join(' or '),
  }),
  enum: ({ params }) => ({
    code: 'VALIDATION_INVALID_ENUM',
    expected: `one of ${quoteValues([params['allowedValues']].flat())}`,
    showsValue: true,
  }),
  const: ({ params }) => ({
    code: 'VALIDATION_INVALID_ENUM',
    expected: quoteValue(params['allowedValue']),
    showsValue: true,
  }),
  minimum: range('% or more'),
  maximum: range('% or less'),
  exclusiveMinimum: range('more than %'),
  exclusiveMaximum: range('less than %'),
  multipleOf: range('a multiple of %'),
  minLength: sized('% or more characters long'),
  maxLength: sized('% or fewer characters long'),
  minItems: sized('% or more items long'),
  maxItems: sized('% or fewer items long'),
  minProperties: sized('an object with % or more members'),
  maxProperties: sized('an object with % or fewer members'),
  items: sized('% or fewer items long'),
  additionalItems: sized('% or fewer items long'),
  pattern: ({ params }) => ({
    code: 'VALIDATION_PATTERN_MISMATCH',
    expected: `text matching ${quoteValue(params['pattern'])}`,
    showsValue: true,
  }),
  format: ({ params }) => ({
    code: 'VALIDATION_PATTERN_MISMATCH',
    expected: `text in the notation '${params['format']}'`,
    showsValue: true,
  }),
  required: missing,
  dependentRequired: missing,
  dependencies: missing,
  additionalProperties: superfluous,
  unevaluatedProperties: superfluous,
  propertyNames: superfluous,
  uniqueItems: () => ({ code: 'VALIDATION_INVALID_VALUE', expected: 'a list without repetitions' }),
};

const unexplained: Explain = ({ keyword }) => ({
  code: 'VALIDATION_INVALID_VALUE',
  expected: `a value allowed by the tool's schema (its '${keyword}' rule does not hold)`,
});

/** A validator's findings as faults in the caller's terms; alternatives are summed up in one. @param most that are explained */
export function explainViolations(violations: readonly Violation[], scope: FaultScope, most: number): readonly Fault[] {
  const faults: Fault[] = [];
  for (const violation of violations) {
    if (faults.length >= most) break;
    if (violation.branches === undefined) faults.push(explainOne(violation, scope));
    else faults.push(...explainAlternatives(violation, violation.branches, scope, most));
  }
  return faults.slice(0, most);
}

function explainOne(violation: Violation, scope: FaultScope): Fault {
  const { code, expected, member, showsValue } = (EXPLANATIONS[violation.keyword] ?? unexplained)(violation);
  const segments = violation.path;
  const param = scope.nameOf(member === undefined ? segments : [...segments, member]);
  if (member !== undefined) return memberFault(code, echoName(param), member, expected, violation, scope);
  const secret = segments.some((segment) => isSensitiveName(toSnakeCase(segment)));
  const isShown = showsValue === true && !secret;
  const actual = isShown ? quoteValue(violation.data) : jsonTypeOf(violation.data);
  const value = isShown ? echoValue(violation.data) : undefined;
  const message =
    code === 'VALIDATION_INVALID_TYPE'
      ? `Parameter '${param}' expected '${expected}', got '${actual}'`
      : `Parameter '${param}' must be ${expected}${isShown ? `, got ${actual}` : ''}`;
  return { code, param, message, expected, actual, ...(value !== undefined && { value }) };
}

function memberFault(
  code: Fault['code'],
  param: string,
  member: string,
  expected: string,
  { parentSchema, path }: Violation,
  { suggest, root }: FaultScope,
): Fault {
  if (code === 'VALIDATION_MISSING_PARAM') {
    const form = expected === ANY_VALUE ? describePlace(root, [...path, member]) : expected;
    return { code, param, expected: form, message: `Missing required parameter '${param}'. Expected: ${form}` };
  }
  const properties = parentSchema?.['properties'];
  const nearest = isJsonObject(properties) ? suggest(member, Object.keys(properties)) : undefined;
  const hint = nearest === undefined ? '' : `. Did you mean '${nearest}'?`;
  return {
    code,
    param,
    expected,
    message: `Unknown parameter '${param}'${hint}`,
    nearest,
  };
}

/** What the schema itself says of a place that one of its conditions or alternatives only names. */
function describePlace(root: JsonSchema, path: readonly string[]): string {
  let schema: JsonSchema | undefined = root;
  for (const segment of path) {
    const inside: JsonSchema | undefined = schema && (followReference(schema, root) ?? schema);
    const items: unknown = inside?.['items'];
    schema =
      inside && /^\d+$/.test(segment) && isJsonObject(items)
        ? items
        : inside && readObjectFields(inside, root).find(({ name }) => name === segment)?.schema;
  }
  return schema === undefined ? ANY_VALUE : describeForm(schema, root);
}

/** Alternatives: the faults of the one that was plainly meant, else one fault that names them all. */
function explainAlternatives(
  violation: Violation,
  branches: readonly (readonly Violation[])[],
  scope: FaultScope,
  most: number,
): readonly Fault[] {
  const matchesSeveral = Array.isArray(violation.params['passingSchemas']);
  const meant = branches.filter((found) => found.length > 0 && !found.some((part) => rulesOut(part, violation)));
  const [only] = meant;
  if (only !== undefined && meant.length === 1 && !matchesSeveral) return explainViolations(only, scope, most);
  return [alternativesFault(violation, alternativesOf(violation), matchesSeveral, scope)];
}

/** So many alternatives are looked at, and so many different ones named. */
const MOST_READ = 50;
const MOST_FORMS = 12;

function alternativesFault(
  violation: Violation,
  branches: readonly JsonSchema[],
  matchesSeveral: boolean,
  { root, nameOf }: FaultScope,
): Fault {
  const place = nameOf(violation.path);
  const param = place === '' ? 'params' : place;
  const expected = describeForms(violation.schema, branches, root);
  const actual = jsonTypeOf(violation.data);
  const choice = matchesSeveral ? 'exactly one of these' : 'one of these';
  const message = `Parameter '${param}' must be ${choice}: ${expected}; got '${actual}'`;
  return { code: alternativesCode(branches, actual), param, message, expected, actual };
}

/** By schema and its list of alternatives: many items of a value break the same one. */
const describedForms = oncePer((_: JsonSchema) => new WeakMap<object, string>());

function describeForms(list: unknown, branches: readonly JsonSchema[], root: JsonSchema): string {
  return getOrMake(describedForms(root), Array.isArray(list) ? list : branches, () => {
    const forms = new Set(branches.slice(0, MOST_READ).map((branch) => describeForm(branch, root)));
    return [...forms].slice(0, MOST_FORMS).join(' or ');
  });
}

function alternativesCode(branches: readonly JsonSchema[], actual: string): Fault['code'] {
  if (branches.every((branch) => 'enum' in branch || 'const' in branch)) return 'VALIDATION_INVALID_ENUM';
  const types = branches.map((branch) => [branch['type']].flat().map((type) => (type === 'integer' ? 'number' : type)));
  const typed = types.every((names) => names[0] !== undefined);
  return typed && !types.flat().includes(actual) ? 'VALIDATION_INVALID_TYPE' : 'VALIDATION_INVALID_VALUE';
}

/** A wrong type, or a wrong constant in a member, says that an alternative was not meant at all. */
function rulesOut(part: Violation, compound: Violation): boolean {
  const depth = part.path.length - compound.path.length;
  if (part.keyword === 'type') return depth === 0;
  return (part.keyword === 'const' || part.keyword === 'enum') && depth <= 1;
}

function alternativesOf({ schema }: Violation): readonly JsonSchema[] {
  return Array.isArray(schema) ? schema.filter(isJsonObject) : [];
}
