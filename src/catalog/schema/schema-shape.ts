import { isJsonObject, type JsonSchema } from '../../protocol/json.js';
import { declaredTypes, jsonTypeOf } from './json-type.js';
import { followReference } from './local-reference.js';
import { type ObjectField, readObjectFields } from './object-fields.js';

/** What kind of value a schema describes, as far as a reader needs it. */
export type SchemaShape =
  | { readonly kind: 'scalar'; readonly type: string; readonly values?: readonly unknown[] }
  | { readonly kind: 'array'; readonly items: JsonSchema | undefined }
  /** An object that describes its members. */
  | { readonly kind: 'object'; readonly fields: readonly ObjectField[] }
  /** An object of free keys, all of whose values have this schema. */
  | { readonly kind: 'map'; readonly values: JsonSchema | undefined }
  | { readonly kind: 'union'; readonly branches: readonly JsonSchema[] };

export interface ReadSchema {
  readonly shape: SchemaShape;
  readonly nullable: boolean;
  /** What the shape was read from, references followed: equal for all places that use one definition. */
  readonly source: JsonSchema;
}

const ANY: SchemaShape = { kind: 'scalar', type: 'any' };
const MAX_NESTING = 16;

/** Keywords that make an alternative a type of its own; one that only requires this or that is not. */
const TYPE_KEYWORDS = ['$ref', 'type', 'const', 'enum', 'properties', 'items', 'anyOf', 'oneOf', 'allOf'];
const OBJECT_KEYWORDS = ['properties', 'patternProperties', 'additionalProperties', 'allOf'];

/** Reads a schema of any dialect and quality; what says nothing is the scalar `any`. */
export function readSchema(schema: JsonSchema, root: JsonSchema, nesting = 0): ReadSchema {
  const source = followReference(schema, root);
  if (source === undefined || nesting > MAX_NESTING) return { shape: ANY, nullable: false, source: schema };
  const types = declaredTypes(source['type']);
  const nullable = (types.length > 1 && types.includes('null')) || source['nullable'] === true;
  const read = readAlternatives(source, root, nesting) ?? readMerged(source, root, nesting);
  if (read !== undefined) return nullable ? { ...read, nullable } : read;
  const named = types.length > 1 ? types.filter((type) => type !== 'null') : types;
  return { shape: readPlain(source, named, root), nullable, source };
}

/** `anyOf` and `oneOf`: one branch beside null is that branch, constants are one enumeration, the rest a union. */
function readAlternatives(source: JsonSchema, root: JsonSchema, nesting: number): ReadSchema | undefined {
  const all = 'properties' in source ? [] : [...schemasOf(source['anyOf']), ...schemasOf(source['oneOf'])];
  const branches = all.filter((branch) => branch['type'] !== 'null' && branch['const'] !== null);
  const [first] = branches;
  if (first === undefined || !branches.some((branch) => hasAny(branch, TYPE_KEYWORDS))) return undefined;
  const nullable = branches.length < all.length;
  if (branches.length === 1) {
    const read = readSchema(first, root, nesting + 1);
    return { ...read, nullable: nullable || read.nullable };
  }
  const values = branches.map((branch) => enumeratedValues(followReference(branch, root) ?? {}));
  const isEnumeration = values.every((found) => found !== undefined);
  return { shape: isEnumeration ? readEnumeration(values.flat()) : { kind: 'union', branches }, nullable, source };
}

/** An `allOf` around something that is no object: its first part says what it is, the others narrow it. */
function readMerged(source: JsonSchema, root: JsonSchema, nesting: number): ReadSchema | undefined {
  const [first] = schemasOf(source['allOf']);
  if (first === undefined || 'type' in source || readObjectFields(source, root).length > 0) return undefined;
  return readSchema(first, root, nesting + 1);
}

function readPlain(source: JsonSchema, types: readonly string[], root: JsonSchema): SchemaShape {
  const values = enumeratedValues(source);
  const [only = impliedType(source), ...others] = types;
  if (values !== undefined) return { ...readEnumeration(values), ...(types.length === 1 && { type: only }) };
  if (others.length > 0) return { kind: 'union', branches: types.map((type) => ({ ...source, type })) };
  if (only === 'array') return { kind: 'array', items: schemaOrNothing(source['items']) };
  if (only !== 'object') return { kind: 'scalar', type: only };
  const fields = readObjectFields(source, root);
  return fields.length > 0
    ? { kind: 'object', fields }
    : { kind: 'map', values: schemaOrNothing(source['additionalProperties']) };
}

function readEnumeration(values: readonly unknown[]): Extract<SchemaShape, { kind: 'scalar' }> {
  const types = new Set(values.filter((value) => value !== null).map(jsonTypeOf));
  const [type = 'any'] = types;
  return { kind: 'scalar', type: types.size === 1 ? type : 'any', values: [...new Set(values)] };
}

function enumeratedValues(source: JsonSchema): readonly unknown[] | undefined {
  if ('const' in source) return [source['const']];
  return Array.isArray(source['enum']) && source['enum'].length > 0 ? source['enum'] : undefined;
}

/** Many schemas leave out the type that their other keywords imply. */
function impliedType(source: JsonSchema): string {
  if (hasAny(source, OBJECT_KEYWORDS)) return 'object';
  return 'items' in source ? 'array' : 'any';
}

function hasAny(schema: JsonSchema, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => keyword in schema);
}

function schemaOrNothing(value: unknown): JsonSchema | undefined {
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

function schemasOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
