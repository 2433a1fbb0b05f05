import { isJsonObject, type JsonObject, type JsonSchema } from '../base/json/json.js';
import { lookUpPointer } from './schema-shape.js';

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isJsonObject(value);
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const listOf =
  (isItem: (value: unknown) => boolean, least = 0) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length >= least && value.every(isItem);
const mapOf =
  (isMember: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    isJsonObject(value) && Object.values(value).every(isMember);
const isText = (value: unknown): boolean => typeof value === 'string';
const isPattern = (value: unknown): boolean => {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};
const schemas = listOf(isSchema, 1);
const named = mapOf(isSchema);

/** What each keyword takes. Validators that prepare a whole schema refuse it for one that is of another kind. */
const KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    type: (value: unknown) => TYPES.has(value) || listOf((each) => TYPES.has(each), 1)(value),
    enum: listOf(() => true, 1),
    required: listOf(isText),
    dependentRequired: mapOf(listOf(isText)),
    properties: named,
    patternProperties: (value: unknown) => named(value) && Object.keys(Object(value)).every(isPattern),
    dependentSchemas: named,
    $defs: named,
    definitions: named,
    additionalProperties: isSchema,
    unevaluatedProperties: isSchema,
    propertyNames: isSchema,
    items: (value: unknown) => isSchema(value) || schemas(value),
    prefixItems: schemas,
    additionalItems: isSchema,
    unevaluatedItems: isSchema,
    contains: isSchema,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: isSchema,
    if: isSchema,
    // biome-ignore lint/suspicious/noThenProperty: the keyword's name
    then: isSchema,
    else: isSchema,
    pattern: isPattern,
    format: isText,
    minimum: isNumber,
    maximum: isNumber,
    exclusiveMinimum: isNumber,
    exclusiveMaximum: isNumber,
    multipleOf: (value: unknown) => isNumber(value) && Number(value) > 0,
    minLength: isCount,
    maxLength: isCount,
    minItems: isCount,
    maxItems: isCount,
    minProperties: isCount,
    maxProperties: isCount,
    uniqueItems: isFlag,
    // Of draft 4; later ones call it $id, and validators of those refuse it.
    id: () => false,
  }),
);

/** Members that hold values, not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);
/** Members that hold schemas by names of the author's. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** The first keyword that no validator could prepare, in words; undefined where all of them are sound. */
export function findUnsound(root: JsonSchema): string | undefined {
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as unknown[]));
    if (!isJsonObject(next)) continue;
    for (const [name, value] of Object.entries(next)) {
      if (KEYWORDS.get(name)?.(value) === false || !isFound(name, value, root)) return name;
      if (!DATA.has(name)) open.push(...(NAMED.has(name) ? Object.values(value as JsonObject) : [value ?? false]));
    }
  }
  return undefined;
}

/** Schemas elsewhere are fetched by nobody. */
function isFound(name: string, value: unknown, root: JsonSchema): boolean {
  if (name !== '$ref') return true;
  if (typeof value !== 'string') return false;
  return value.startsWith('#/') || value === '#' ? isSchema(lookUpPointer(value, root)) : hasOwnNames(root);
}

function hasOwnNames(root: JsonSchema): boolean {
  return /"\$(?:id|anchor)":/.test(JSON.stringify(root));
}
