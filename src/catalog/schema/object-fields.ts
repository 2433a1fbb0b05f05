import { isJsonObject, type JsonObject, type JsonSchema } from '../../protocol/json.js';
import { followReference } from './local-reference.js';

/** A named member that an object schema describes. */
export interface ObjectField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
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
const COMPOSITION = ['$ref', 'allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'] as const;

/**
 * The members of an object schema in the order in which it gives them. References and `allOf` are merged; alternatives give the
 * union of their members, required where every alternative requires them; conditional members are optional.
 */
export function readObjectFields(schema: JsonSchema, root: JsonSchema): readonly ObjectField[] {
  const composed = COMPOSITION.some((keyword) => keyword in schema);
  const members = composed ? collect(schema, root, new Map(), 0) : readOwn(schema);
  return Array.from(members, ([name, { schemas, required }]) => ({
    name,
    required,
    schema: combine('allOf', schemas),
  }));
}

/** `seen` makes recursion end (a schema inside itself adds nothing) and visits every schema once. */
function collect(schema: JsonSchema, root: JsonSchema, seen: Map<JsonSchema, Members>, depth: number): Members {
  const known = depth > MAX_DEPTH ? NO_MEMBERS : seen.get(schema);
  if (known !== undefined) return known;
  seen.set(schema, NO_MEMBERS);
  const visit = (part: JsonSchema): Members => collect(part, root, seen, depth + 1);
  const target = '$ref' in schema ? followReference(schema, root) : undefined;
  const members = mergeAll([
    readOwn(schema),
    ...(target === undefined || target === schema ? [] : [visit(target)]),
    ...objectsOf(schema['allOf']).map(visit),
    mergeAlternatives(objectsOf(schema['anyOf']).filter(mayBeObject).map(visit)),
    mergeAlternatives(objectsOf(schema['oneOf']).filter(mayBeObject).map(visit)),
    ...conditionalParts(schema).map((part) => makeOptional(visit(part))),
  ]);
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

function mergeAll(parts: readonly Members[]): Members {
  const merged = new Map<string, Member>();
  for (const part of parts) {
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

function mergeAlternatives(branches: readonly Members[]): Members {
  if (branches.length === 0) return NO_MEMBERS;
  const merged = new Map<string, Member>();
  for (const name of new Set(branches.flatMap((branch) => [...branch.keys()]))) {
    const found = branches.flatMap((branch) => branch.get(name) ?? []);
    const schemas = found.map((member) => combine('allOf', member.schemas)).filter(saysSomething);
    merged.set(name, {
      schemas: schemas.length === 0 ? [] : [combine('anyOf', schemas)],
      required: found.length === branches.length && found.every((member) => member.required),
    });
  }
  return merged;
}

function makeOptional(members: Members): Members {
  return new Map(Array.from(members, ([name, member]) => [name, { ...member, required: false }]));
}

function combine(keyword: 'allOf' | 'anyOf', schemas: readonly JsonSchema[]): JsonSchema {
  const different = schemas.filter((schema, index) => schemas.findIndex((other) => isSame(schema, other)) === index);
  const [first = {}] = different;
  return different.length < 2 ? first : { [keyword]: different };
}

function isSame(a: JsonSchema, b: JsonSchema): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

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
