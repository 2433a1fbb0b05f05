import { isJsonObject, type JsonSchema } from '../../base/json/json.js';
import type { JsonPath } from '../../base/json/json-path.js';
import { findGlobFault, findNameGlobFault } from '../../base/lib/glob.js';

/** One place where a document breaks its schema. */
export interface SchemaFault {
  readonly keyword: string;
  /** The value that breaks it. */
  readonly path: JsonPath;
  readonly data: unknown;
  /** The schema that holds the keyword. */
  readonly schema: JsonSchema;
  /** The member that is missing, unknown, or ill-named, where the fault is of one member of an object. */
  readonly key?: string | undefined;
}

interface Place {
  readonly path: JsonPath;
  /** What `$ref` resolves against. */
  readonly root: JsonSchema;
  readonly faults: SchemaFault[];
}

/** Says whether the value satisfies the keyword, or notes faults of its parts and says true. */
type Keyword = (value: unknown, schema: JsonSchema, place: Place) => boolean;

/**
 * The keywords of the gateway's own schemas, in the order in which faults are reported: a value's own before those of its
 * parts. Checked in place because compiling the schemas took a tenth of the whole start; a test compares with ajv.
 */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $ref: (value, { $ref }, place) => check(value, resolve($ref, place.root), place),
  type: (value, { type }) => [type].flat().some((each) => isOfType(value, each)),
  minimum: (value, { minimum }) => typeof value !== 'number' || value >= Number(minimum),
  maximum: (value, { maximum }) => typeof value !== 'number' || value <= Number(maximum),
  exclusiveMinimum: (value, { exclusiveMinimum }) => typeof value !== 'number' || value > Number(exclusiveMinimum),
  maxLength: (value, { maxLength }) => typeof value !== 'string' || [...value].length <= Number(maxLength),
  minLength: (value, { minLength }) => typeof value !== 'string' || [...value].length >= Number(minLength),
  pattern: (value, { pattern }) => typeof value !== 'string' || new RegExp(String(pattern), 'u').test(value),
  format: (value, { format }) => typeof value !== 'string' || FORMATS[String(format)]?.(value) === undefined,
  const: (value, { const: expected }) => value === expected,
  enum: (value, { enum: allowed }) => Array.isArray(allowed) && allowed.includes(value),
  if: checkCondition,
  maxItems: (value, { maxItems }) => !Array.isArray(value) || value.length <= Number(maxItems),
  minItems: (value, { minItems }) => !Array.isArray(value) || value.length >= Number(minItems),
  items: checkItems,
  minProperties: (value, { minProperties }) =>
    !isJsonObject(value) || Object.keys(value).length >= Number(minProperties),
  required: checkRequired,
  propertyNames: checkNames,
  additionalProperties: checkAdditional,
  properties: checkProperties,
};

/** The formats of texts: why one cannot be used. */
export const FORMATS: Readonly<Record<string, typeof findGlobFault>> = {
  glob: findGlobFault,
  'name-glob': findNameGlobFault,
};

/** Keywords that say something to readers alone, and those that another keyword reads. */
const SILENT: readonly string[] = ['$schema', 'title', 'description', 'default', 'deprecated', 'definitions', 'else'];

/** Every keyword that `findFaults` knows; a schema with others is not checked in full. */
export const KNOWN_KEYWORDS: readonly string[] = [...Object.keys(KEYWORDS), ...SILENT];

/** Every fault of a document, in the schema's order. */
export function findFaults(document: unknown, schema: JsonSchema): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  check(document, schema, { path: [], root: schema, faults });
  return faults;
}

/** Notes the faults of a value. Always true: the keyword that asked has no fault of its own. */
function check(value: unknown, schema: unknown, place: Place): true {
  if (!isJsonObject(schema)) return true;
  for (const [keyword, holds] of Object.entries(KEYWORDS)) {
    if (!Object.hasOwn(schema, keyword) || holds(value, schema, place)) continue;
    note(place, keyword, schema, value);
    // A value of another type breaks the other keywords too, which says nothing new.
    if (keyword === 'type') break;
  }
  return true;
}

function note({ path, faults }: Place, keyword: string, schema: JsonSchema, data: unknown, key?: string): void {
  faults.push({ keyword, path, data, schema, key });
}

function within(place: Place, step: string | number): Place {
  return { ...place, path: [...place.path, step] };
}

/** @param reference `#/definitions/NAME`: the only form that the gateway's schemas use */
function resolve(reference: unknown, root: JsonSchema): unknown {
  const name = String(reference).replace('#/definitions/', '');
  const definitions = root['definitions'];
  return isJsonObject(definitions) ? definitions[name] : undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function checkCondition(value: unknown, schema: JsonSchema, place: Place): boolean {
  const condition = schema['if'];
  if (!isJsonObject(condition)) return true;
  const unmet: SchemaFault[] = [];
  check(value, condition, { ...place, faults: unmet });
  return unmet.length === 0 || check(value, schema['else'], place);
}

function checkItems(value: unknown, { items }: JsonSchema, place: Place): boolean {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) check(item, items, within(place, index));
  return true;
}

function checkRequired(value: unknown, schema: JsonSchema, place: Place): boolean {
  const { required } = schema;
  if (!isJsonObject(value) || !Array.isArray(required)) return true;
  for (const key of required.map(String)) {
    if (!Object.hasOwn(value, key)) note(place, 'required', schema, value, key);
  }
  return true;
}

/** The faults of a name are its owner's: the name has no path of its own. */
function checkNames(value: unknown, { propertyNames }: JsonSchema, place: Place): boolean {
  if (!isJsonObject(value)) return true;
  for (const key of Object.keys(value)) {
    const found: SchemaFault[] = [];
    check(key, propertyNames, { ...place, faults: found });
    place.faults.push(...found.map((fault) => ({ ...fault, key })));
  }
  return true;
}

function checkAdditional(value: unknown, schema: JsonSchema, place: Place): boolean {
  const { additionalProperties: additional, properties } = schema;
  if (!isJsonObject(value)) return true;
  const known = isJsonObject(properties) ? properties : {};
  for (const [key, member] of Object.entries(value)) {
    if (Object.hasOwn(known, key)) continue;
    if (additional === false) note(place, 'additionalProperties', schema, value, key);
    else check(member, additional, within(place, key));
  }
  return true;
}

function checkProperties(value: unknown, { properties }: JsonSchema, place: Place): boolean {
  if (!isJsonObject(value) || !isJsonObject(properties)) return true;
  for (const [key, schema] of Object.entries(properties)) {
    if (Object.hasOwn(value, key)) check(value[key], schema, within(place, key));
  }
  return true;
}
