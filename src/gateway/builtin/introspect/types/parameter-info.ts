import type { JsonSchema } from '../../../../base/json/json.js';
import { isSensitiveName, toSnakeCase } from '../../../../base/lib/names.js';
import { cleanName, cleanText, cleanValue, quoteValue, quoteValues, summarizeText } from '../../../../base/lib/text.js';
import type { Operation, Parameter } from '../../../../base/protocol/operation.js';
import { type OperationTypes, readOperationTypes, type TypeScope } from './operation-types.js';
import type { Respell } from './own-spelling.js';
import type { ItemInfo, ParameterInfo, TypeInfo } from './type-info.js';

export type { ParameterInfo } from './type-info.js';

/** How long a list of fields may become in a description, in characters. */
const FIELDS_BUDGET = 600;
const UPDATE_BUDGET = 2000;

/**
 * An operation's parameters as introspection shows them: exactly what `bindArguments` accepts. What an UPDATE changes is
 * inside one parameter `input` (specification 4.5), whose description lists the fields.
 */
export function describeParameters(operation: Operation, respell: Respell = asItIs): readonly ParameterInfo[] {
  const types = readOperationTypes(operation);
  const { updateInput, input } = types;
  const beside = operation.parameters
    .filter(({ place }) => place === 'params')
    .map((parameter) => respellOwn(describeMember(parameter, input), parameter, respell));
  return updateInput === undefined ? beside : [...beside, describeInput(updateInput, types, respell)];
}

const asItIs: Respell = (text) => text;

/** What follows the upstream's own words names fields of nested data, which keep the upstream's spelling. */
function respellOwn(info: ParameterInfo, { schema }: Parameter, respell: Respell): ParameterInfo {
  const own = cleanText(schema['description']);
  if (own === '' || info.description === undefined) return info;
  return { ...info, description: info.description.replace(own, () => respell(own)) };
}

/**
 * What an operation gives back, as far as its tool says.
 *
 * @param isQueried whether callers may ask for parts of its answer
 */
export function describeReturns(operation: Operation, isQueried = false): TypeInfo {
  const { name, kind, description = '' } = describeWhole(operation);
  const queried = isQueried ? QUERIED : '';
  const all = joinSentences([description, queried]);
  return { name, kind, ...(all !== '' && { description: all }) };
}

/** What controls make of it; `introspect {query: 'types'}` explains the rest. */
const QUERIED = 'CollectionResult where controls choose items: {items, pageInfo: {hasNextPage, endCursor, totalCount}}';

function describeWhole(operation: Operation): TypeInfo {
  const { result } = readOperationTypes(operation);
  if (result === undefined) {
    return {
      name: 'ToolData',
      kind: 'union',
      description: "The tool's structured content, else its JSON, else its text",
    };
  }
  const { name, shape, source, scope } = result;
  const fields = shape.kind === 'object' ? `Fields: ${sketchFields(shape.fields, scope, FIELDS_BUDGET)}` : '';
  const description = joinSentences([summarizeText(cleanText(source['description'])), fields]);
  return { name, kind: shape.kind, ...(description !== '' && { description }) };
}

/** A parameter or field; fields of nested data keep the upstream's spelling. */
export function describeMember({ name, schema, required }: Member, scope: TypeScope): ParameterInfo {
  const { type, ...rest } = describeSchema(schema, scope);
  return {
    name: cleanName(name),
    type,
    required,
    ...rest,
    ...((isSensitiveName(toSnakeCase(name)) || schema['format'] === 'password') && { sensitive: true }),
  };
}

function describeInput(
  { name, parameters }: { readonly name: string; readonly parameters: readonly Parameter[] },
  { input }: OperationTypes,
  respell: Respell,
): ParameterInfo {
  const fields = sketchFields(parameters, input, UPDATE_BUDGET, respell);
  return { name: 'input', type: name, required: true, description: `The fields to change (* required): ${fields}` };
}

function describeSchema(schema: JsonSchema, scope: TypeScope, nesting = 0): ItemInfo {
  const { shape, source } = scope.read(schema);
  const own = cleanText(schema['description'] ?? source['description']);
  const isDeprecated = (schema['deprecated'] ?? source['deprecated']) === true;
  const notice = isDeprecated && !/\bdeprecated\b/i.test(own) ? 'Deprecated' : '';
  const description = joinSentences([notice, own, sketchContent(schema, scope), sketchLimits(source)]);
  const given = schema['default'] ?? source['default'];
  return {
    // The elements of an array are described under `items`.
    type: shape.kind === 'array' ? 'array' : nameType(schema, scope),
    ...(description !== '' && { description }),
    ...(given !== undefined && !mayBeChanged(given) && { default: cleanValue(given) }),
    ...(shape.kind === 'scalar' &&
      shape.values !== undefined && { enum: shape.values.map((value) => cleanValue(value)) }),
    ...(shape.kind === 'scalar' && describeConstraints(source, shape.type)),
    ...(shape.kind === 'array' &&
      shape.items !== undefined && { items: describeItem(shape.items, scope, nesting + 1) }),
  };
}

/** The type of an array's elements; their fields are described with the array. */
function describeItem(schema: JsonSchema, scope: TypeScope, nesting: number): ItemInfo {
  const { kind } = scope.read(schema).shape;
  const hasNameOnly = kind === 'object' || kind === 'union' || nesting > MAX_NESTING;
  return hasNameOnly ? { type: nameType(schema, scope, nesting) } : describeSchema(schema, scope, nesting);
}

/** The inside of a nested value in one sentence, so that the usual call needs no second look-up. */
function sketchContent(schema: JsonSchema, scope: TypeScope): string {
  const { shape, nullable } = scope.read(schema);
  const mayBeNull = nullable ? ' May be null.' : '';
  switch (shape.kind) {
    case 'object':
      return `Fields (* required): ${sketchFields(shape.fields, scope, FIELDS_BUDGET)}.${mayBeNull}`;
    case 'union':
      return `One of: ${shape.branches.map((branch) => sketchBranch(branch, scope)).join('; ')}.${mayBeNull}`;
    case 'map':
      return `Free keys${shape.values === undefined ? '' : `, each value ${sketchType(shape.values, scope)}`}.${mayBeNull}`;
    case 'array': {
      const inside = shape.items === undefined ? undefined : scope.read(shape.items).shape.kind;
      const nested = shape.items !== undefined && (inside === 'object' || inside === 'union');
      return (nested ? `Each item: ${sketchBranch(shape.items, scope)}.` : '') + mayBeNull;
    }
    case 'scalar':
      return mayBeNull.trim();
  }
}

function sketchBranch(schema: JsonSchema, scope: TypeScope): string {
  const { shape } = scope.read(schema);
  if (shape.kind !== 'object') return sketchType(schema, scope);
  return `${nameType(schema, scope)} {${sketchFields(shape.fields, scope, FIELDS_BUDGET / 2)}}`;
}

/** Limits that `ParameterInfo` has no key for. */
function sketchLimits(source: JsonSchema): string {
  const limits: readonly (readonly [string, string])[] = [
    ['minItems', '% or more items'],
    ['maxItems', '% or fewer items'],
    ['multipleOf', 'a multiple of %'],
    ['exclusiveMinimum', 'more than %'],
    ['exclusiveMaximum', 'less than %'],
  ];
  const texts = limits.flatMap(([keyword, text]) => {
    const limit = source[keyword];
    return isBound(limit) ? [text.replace('%', String(limit))] : [];
  });
  return texts.length > 0 ? `[${texts.join(', ')}]` : '';
}

const NUMBER_KEYS = ['minimum', 'maximum'] as const;
const LENGTH_KEYS = ['minLength', 'maxLength'] as const;
const TEXT_KEYS = ['pattern', 'format'] as const;

function describeConstraints(source: JsonSchema, type: string): Partial<ItemInfo> {
  const isNumber = type === 'number' || type === 'integer';
  const numbers = isNumber ? NUMBER_KEYS.filter((key) => isBound(source[key])) : [];
  const lengths = type === 'string' ? LENGTH_KEYS.filter((key) => isLength(source[key])) : [];
  const texts = type === 'string' ? TEXT_KEYS.filter((key) => typeof source[key] === 'string') : [];
  const encoding = source['contentEncoding'];
  const isEncoded = type === 'string' && typeof encoding === 'string' && !texts.includes('format');
  return {
    ...Object.fromEntries([...numbers, ...lengths, ...texts].map((key) => [key, cleanValue(source[key])])),
    // The published form has no other place for it (specification, section 4.7.4).
    ...(isEncoded && { format: cleanText(encoding) }),
  };
}

/** Beyond what a double holds exactly a number is another one than its server wrote, and none that an argument can be. */
function mayBeChanged(value: unknown): boolean {
  if (typeof value !== 'number') return false;
  return Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
}

function isBound(value: unknown): value is number {
  return typeof value === 'number' && !mayBeChanged(value);
}

function isLength(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function joinSentences(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part, index, all) => (index < all.length - 1 && !/[.!?:\]]$/.test(part) ? `${part}.` : part))
    .join(' ');
}

/** Lists of lists of lists; a list can also contain itself. */
const MAX_NESTING = 3;

const FEW_VALUES = 8;
const FEW_BRANCHES = 4;
const FIELD_SUMMARY_LENGTH = 80;

/** Something with a name and a schema: a parameter or a field. */
interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** A type's name as `ParameterInfo` and union members have it: a JSON type, `X[]`, or a type that introspection explains. */
export function nameType(schema: JsonSchema, scope: TypeScope, nesting = 0): string {
  const { shape, source } = scope.read(schema);
  switch (shape.kind) {
    case 'scalar':
      return shape.type;
    case 'array':
      return shape.items === undefined || nesting > MAX_NESTING
        ? 'array'
        : `${nameType(shape.items, scope, nesting + 1)}[]`;
    case 'map':
      return 'object';
    case 'object':
      return scope.nameOf(source) ?? 'object';
    case 'union':
      return scope.nameOf(source) ?? 'any';
  }
}

/** A type in a few characters, its values or alternatives spelled out where they are few: `'open'|'closed'`, `string[]`. */
function sketchType(schema: JsonSchema, scope: TypeScope): string {
  const { shape, nullable } = scope.read(schema);
  if (shape.kind === 'scalar' && shape.values !== undefined && shape.values.length <= FEW_VALUES) {
    return shape.values.map(quoteValue).join('|');
  }
  if (shape.kind === 'union' && shape.branches.length <= FEW_BRANCHES) {
    return [...new Set(shape.branches.map((branch) => nameType(branch, scope)))].join('|');
  }
  return nullable ? `${nameType(schema, scope)}|null` : nameType(schema, scope);
}

/**
 * Fields in one line: name, a star where required, type, and what each is as long as it fits. Beyond `budget`
 * characters only the names follow, so that none is left out.
 *
 * @param explain writes what a field is for; fields are then shown with their limits, defaults and own fields
 */
function sketchFields(fields: readonly Member[], scope: TypeScope, budget: number, explain?: Respell): string {
  const parts: string[] = [];
  let length = 0;
  for (const field of fields) {
    const name = `${cleanName(field.name)}${field.required ? '*' : ''}`;
    const fits = length < budget;
    const part = fits
      ? `${name} ${explain === undefined ? `(${sketchType(field.schema, scope)})` : sketchWhole(field, scope, explain)}`
      : name;
    parts.push(part);
    length += part.length;
  }
  return parts.join(explain === undefined ? ', ' : '; ');
}

/** Characters for the fields of one field. */
const NESTED_BUDGET = 200;

/** `(integer, 1 to 100, default 20): How many`, with the fields of an object where it has any. */
function sketchWhole({ schema }: Member, scope: TypeScope, respell: Respell): string {
  const { source, shape } = scope.read(schema);
  const { description } = schema;
  const facts = [
    sketchInside(schema, scope),
    ...sketchRange(source),
    ...sketchDefault(schema['default'] ?? source['default']),
  ];
  const purpose =
    typeof description === 'string'
      ? `: ${respell(summarizeText(cleanText(description), FIELD_SUMMARY_LENGTH)).replace(/\.$/, '')}`
      : '';
  return `(${facts.join(', ')})${shape.kind === 'map' ? ' with free keys' : ''}${purpose}`;
}

function sketchInside(schema: JsonSchema, scope: TypeScope): string {
  const { shape } = scope.read(schema);
  if (shape.kind === 'scalar' && shape.values !== undefined) return quoteValues(shape.values, '|');
  if (shape.kind === 'object' && shape.fields.length > 0)
    return `{${sketchFields(shape.fields, scope, NESTED_BUDGET)}}`;
  if (shape.kind !== 'array' || shape.items === undefined) return sketchType(schema, scope);
  const { shape: item } = scope.read(shape.items);
  if (item.kind !== 'object' || item.fields.length === 0) return sketchType(schema, scope);
  return `list of {${sketchFields(item.fields, scope, NESTED_BUDGET)}}`;
}

function sketchRange({ minimum, maximum }: JsonSchema): readonly string[] {
  if (isBound(minimum) && isBound(maximum)) return [`${minimum} to ${maximum}`];
  if (isBound(minimum)) return [`${minimum} or more`];
  return isBound(maximum) ? [`${maximum} or less`] : [];
}

function sketchDefault(value: unknown): readonly string[] {
  return value === undefined || mayBeChanged(value) ? [] : [`default ${quoteValue(value)}`];
}
