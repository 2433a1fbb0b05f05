import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { followReference } from './schema-shape.js';

/** What an object schema says of members that it does not name. */
export interface FurtherMembers {
  /** Whether it takes them; undefined where no keyword says it. */
  readonly taken: boolean | undefined;
  /** Those that it takes: by a pattern of their names where it gives one, each of this schema. */
  readonly forms: readonly FurtherForm[];
}

export interface FurtherForm {
  /** A regular expression as written; absent for any name. */
  readonly pattern?: string;
  readonly schema: JsonSchema;
}

const SILENT: FurtherMembers = { taken: undefined, forms: [] };
const CLOSED: FurtherMembers = { taken: false, forms: [] };

/** Compositions nested deeper say nothing here. */
const MAX_DEPTH = 8;
/** More forms are not listed. */
const MOST_FORMS = 16;

/**
 * Reads the keywords that speak of members without a name: `additionalProperties`, `unevaluatedProperties`, `patternProperties` and
 * `propertyNames`. Each part of an `allOf` can close the whole; one alternative that takes more opens it. Values, and which names in
 * particular, are for the validator to judge.
 */
export function readFurtherMembers(schema: JsonSchema, root: JsonSchema = schema): FurtherMembers {
  return read(schema, root, 0);
}

function read(schema: JsonSchema, root: JsonSchema, depth: number): FurtherMembers {
  if (depth > MAX_DEPTH) return SILENT;
  const target = '$ref' in schema ? followReference(schema, root) : undefined;
  const visit = (part: JsonSchema): FurtherMembers => read(part, root, depth + 1);
  const all = [
    readOwn(schema),
    ...(target === undefined || target === schema ? [] : [visit(target)]),
    ...objectsOf(schema['allOf']).map(visit),
  ];
  const alternatives = [...objectsOf(schema['anyOf']), ...objectsOf(schema['oneOf'])].map(visit);
  if (all.some(({ taken }) => taken === false)) return CLOSED;
  const isClosed = alternatives.length > 0 && alternatives.every(({ taken }) => taken === false);
  const forms = [...all, ...alternatives].flatMap((part) => part.forms);
  if (forms.length > 0) return { taken: true, forms: forms.slice(0, MOST_FORMS) };
  return isClosed ? CLOSED : SILENT;
}

function readOwn(schema: JsonSchema): FurtherMembers {
  const { patternProperties, additionalProperties, unevaluatedProperties, propertyNames } = schema;
  const patterns = Object.entries(isJsonObject(patternProperties) ? patternProperties : {}).flatMap(
    ([pattern, rule]): FurtherForm[] => (rule === false ? [] : [{ pattern, schema: isJsonObject(rule) ? rule : {} }]),
  );
  const rest = [additionalProperties, unevaluatedProperties].find(
    (rule) => typeof rule === 'boolean' || isJsonObject(rule),
  );
  if (rest === false && patterns.length === 0) return CLOSED;
  const names = isJsonObject(propertyNames) ? propertyNames : undefined;
  const isOpen = rest === true || isJsonObject(rest) || (rest === undefined && names !== undefined);
  const pattern = typeof names?.['pattern'] === 'string' ? { pattern: names['pattern'] } : {};
  const others = isOpen ? [{ ...pattern, schema: isJsonObject(rest) ? rest : {} }] : [];
  const forms = [...patterns, ...others];
  return forms.length > 0 ? { taken: true, forms } : SILENT;
}

function objectsOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
