import { isJsonObject, type JsonObject, type JsonSchema } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';
import { quoteValue, quoteValues } from '../base/lib/text.js';

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

/** A named member that an object schema describes. */
export interface ObjectField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
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

/** What one schema says of its members; several schemas where it says it in several places. */
interface Member {
  readonly schemas: readonly JsonSchema[];
  readonly required: boolean;
}
type Members = ReadonlyMap<string, Member>;

/** Compositions nested deeper are nobody's honest schema. */
const MAX_DEPTH = 64;

const NO_MEMBERS: Members = new Map();
const NO_FIELDS: readonly ObjectField[] = [];
const COMPOSITION = ['$ref', 'allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'] as const;

/**
 * The members of an object schema in the order in which it gives them. References and `allOf` are merged; alternatives give the
 * union of their members, required where every alternative requires them; conditional members are optional.
 */
export function readObjectFields(schema: JsonSchema, root: JsonSchema): readonly ObjectField[] {
  if (schema !== root) return readFields(schema, root);
  if (lastRoot?.root !== root) lastRoot = { root, fields: readFields(root, root) };
  return lastRoot.fields;
}

/** The fields of a tool's whole input are asked for several times in a row. Schemas do not change. */
let lastRoot: { readonly root: JsonSchema; readonly fields: readonly ObjectField[] } | undefined;

function readFields(schema: JsonSchema, root: JsonSchema): readonly ObjectField[] {
  const composed = COMPOSITION.some((keyword) => keyword in schema);
  // Most schemas are of texts and numbers.
  if (!composed && !('properties' in schema || 'required' in schema)) return NO_FIELDS;
  const members = composed ? collectMembers(schema, { root, seen: new Map(), left: MOST_MERGED }, 0) : readOwn(schema);
  return Array.from(members, ([name, { schemas, required }]) => ({
    name,
    required,
    schema: combineSchemas('allOf', schemas),
  }));
}

/** References let a short schema name the same members again and again: merging ends after so many. */
const MOST_MERGED = 100_000;

interface Collecting {
  readonly root: JsonSchema;
  /** Makes recursion end (a schema inside itself adds nothing), and every schema is visited once. */
  readonly seen: Map<JsonSchema, Members>;
  /** Members that may still be merged. */
  left: number;
}

function collectMembers(schema: JsonSchema, collecting: Collecting, depth: number): Members {
  const { root, seen } = collecting;
  const known = depth > MAX_DEPTH ? NO_MEMBERS : seen.get(schema);
  if (known !== undefined) return known;
  seen.set(schema, NO_MEMBERS);
  const visit = (part: JsonSchema): Members => collectMembers(part, collecting, depth + 1);
  const target = '$ref' in schema ? followReference(schema, root) : undefined;
  const alternatives = (keyword: 'anyOf' | 'oneOf'): Members =>
    mergeAlternatives(objectsOf(schema[keyword]).filter(mayBeObject).map(visit), collecting);
  const parts = [
    readOwn(schema),
    ...(target === undefined || target === schema ? [] : [visit(target)]),
    ...objectsOf(schema['allOf']).map(visit),
    alternatives('anyOf'),
    alternatives('oneOf'),
    ...conditionalParts(schema).map((part) => makeOptional(visit(part))),
  ];
  const members = mergeAll(parts, collecting);
  seen.set(schema, members);
  return members;
}

function readOwn(schema: JsonSchema): Members {
  const members = new Map<string, Member>();
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, property] of Object.entries(properties)) {
    if (property === false) continue;
    members.set(name, { schemas: isJsonObject(property) ? [property] : [], required: required.delete(name) });
  }
  for (const name of required) if (typeof name === 'string') members.set(name, { schemas: [], required: true });
  return members;
}

function mergeAll(parts: readonly Members[], collecting: Collecting): Members {
  const filled = parts.filter(({ size }) => size > 0);
  const [only = NO_MEMBERS, ...others] = filled;
  if (others.length === 0) return only;
  const merged = new Map<string, Member>();
  for (const part of filled) {
    collecting.left -= part.size;
    if (collecting.left < 0) break;
    for (const [name, member] of part) {
      const before = merged.get(name);
      merged.set(name, {
        schemas: before === undefined ? member.schemas : [...before.schemas, ...member.schemas],
        required: member.required || before?.required === true,
      });
    }
  }
  return merged;
}

function mergeAlternatives(branches: readonly Members[], collecting: Collecting): Members {
  if (branches.length === 0) return NO_MEMBERS;
  const byName = new Map<string, Member[]>();
  for (const branch of branches) {
    collecting.left -= branch.size;
    if (collecting.left < 0) break;
    for (const [name, member] of branch) {
      const found = byName.get(name);
      if (found === undefined) byName.set(name, [member]);
      else found.push(member);
    }
  }
  const merged = new Map<string, Member>();
  for (const [name, found] of byName) {
    const schemas = found.map((member) => combineSchemas('allOf', member.schemas)).filter(saysSomething);
    merged.set(name, {
      schemas: schemas.length === 0 ? [] : [combineSchemas('anyOf', schemas)],
      required: found.length === branches.length && found.every((member) => member.required),
    });
  }
  return merged;
}

function makeOptional(members: Members): Members {
  return new Map(Array.from(members, ([name, member]) => [name, { ...member, required: false }]));
}

function combineSchemas(keyword: 'allOf' | 'anyOf', schemas: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = schemas;
  if (others.every((other) => other === first)) return first;
  if (schemas.reduce((sum, schema) => sum + partsOf(schema), 0) > MOST_COMBINED_PARTS) return {};
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length < 2 ? first : { [keyword]: different };
}

/**
 * Alternatives within alternatives can combine one member in more ways than there are atoms. One that is described by more
 * parts than this is described by nothing: its value is for the schema itself to judge.
 */
const MOST_COMBINED_PARTS = 500;

/** The objects and lists of a schema; counting ends where there are too many to be combined. */
const partsOf = oncePer((schema: JsonSchema): number => {
  let parts = 0;
  const open: unknown[] = [schema];
  for (let next = open.pop(); next !== undefined && parts <= MOST_COMBINED_PARTS; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    parts += 1;
    const members = Object.values(next);
    if (members.length > MOST_COMBINED_PARTS) parts = members.length;
    else open.push(...members.filter((member) => member !== undefined));
  }
  return parts;
});

function saysSomething(schema: JsonSchema): boolean {
  return Object.keys(schema).length > 0;
}

function conditionalParts(schema: JsonSchema): readonly JsonSchema[] {
  const dependent = isJsonObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : [];
  return objectsOf([schema['then'], schema['else'], ...dependent]);
}

function mayBeObject(schema: JsonSchema): boolean {
  const type = schema['type'];
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Longer chains of references are circles or mischief. */
const MAX_HOPS = 32;

/**
 * The schema that a `$ref` finally points to, or the schema itself where it has none. Only references inside the document
 * are followed; undefined for remote, broken and circular ones.
 */
export function followReference(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  let current: unknown = schema;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isJsonObject(current)) return undefined;
    const reference = current['$ref'];
    if (typeof reference !== 'string') return current;
    current = lookUpPointer(reference, root);
  }
  return undefined;
}

/** What references of a schema have led to: a chain of them, begun at each of its links, is long. */
const lookedUp = oncePer((_: JsonSchema) => new Map<string, unknown>());

/** A JSON pointer in a URI fragment (RFC 6901, section 6). */
export function lookUpPointer(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  const known = lookedUp(root);
  if (!known.has(reference)) known.set(reference, readPointer(reference, root));
  return known.get(reference);
}

function readPointer(reference: string, root: JsonSchema): unknown {
  let current: unknown = root;
  for (const token of decodeFragment(reference.slice(2)).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A stray percent sign: the author did not encode, so neither do we decode.
    return fragment;
  }
}

/** The name by which JSON Schema calls a value's type; numbers are never told apart further. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The types that a schema's `type` names; empty where it names none. */
export function declaredTypes(type: unknown): readonly string[] {
  const types = Array.isArray(type) ? type : [type];
  return types.filter((name): name is string => typeof name === 'string');
}

/** What `describeForm` says of a schema that says nothing. */
export const ANY_VALUE = 'any value';

/** In a few words what a value of this schema looks like: `string`, `one of 'a', 'b'`, `object with 'id'`. */
export function describeForm(schema: JsonSchema, root: JsonSchema): string {
  const target = followReference(schema, root) ?? {};
  if ('const' in target) return quoteValue(target['const']);
  if (Array.isArray(target['enum'])) return `one of ${quoteValues(target['enum'])}`;
  const types = declaredTypes(target['type']).join(' or ');
  const required = declaredTypes(target['required']);
  if (required.length > 0) return `${types || 'object'} with ${quoteValues(required)}`;
  return types || ANY_VALUE;
}
