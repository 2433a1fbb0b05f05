import { jsonTypeOf } from '../../catalog/schema/json-type.js';
import { readSchema } from '../../catalog/schema/schema-shape.js';
import { isJsonObject, type JsonSchema } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import type { FieldPath } from '../collection-query.js';
import { digitsOf } from '../desk/exact-numbers.js';
import type { ItemField } from '../result-desk.js';

/** A model reads the list whole, and beyond so many names it is told to look. */
const MAX_FIELDS = 40;

/** So many items tell of what the others are made. */
const SAMPLE = 20;

/** A name that a path can hold and a reader can copy; others are data rather than fields. */
const FIELD_NAME = /^[A-Za-z_$@][\w$@-]{0,63}$/;

/** The fields of a collection's items, as far as the operation's output schema describes them, with one level inside. */
export function describedFields({ outputSchema: root }: Operation, path: FieldPath): readonly ItemField[] {
  if (root === undefined) return [];
  const list = path.reduce<JsonSchema | undefined>((schema, name) => memberSchema(schema, name, root), root);
  const shape = list === undefined ? undefined : readSchema(list, root).shape;
  if (shape?.kind !== 'array' || shape.items === undefined) return [];
  const outer = fieldsOf(shape.items, root);
  return outer
    .flatMap(({ name, type, schema }) => [{ name, type }, ...innerFields(name, schema, root)])
    .slice(0, MAX_FIELDS);
}

/** The fields of the first items, by name, with the type of the first value that is not null. */
export function seenFields(items: readonly unknown[]): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  for (const item of items.slice(0, SAMPLE).filter(isJsonObject)) {
    for (const name of Object.keys(item).filter((key) => FIELD_NAME.test(key))) {
      if (seen.get(name) !== undefined && seen.get(name) !== 'any') continue;
      if (seen.size >= MAX_FIELDS && !seen.has(name)) continue;
      seen.set(name, typeOf(item[name]));
    }
  }
  return seen;
}

function typeOf(value: unknown): string {
  if (value === null) return 'any';
  return typeof value === 'string' && digitsOf(value) !== undefined ? 'number' : jsonTypeOf(value);
}

interface DescribedField extends ItemField {
  readonly schema: JsonSchema;
}

function innerFields(name: string, schema: JsonSchema, root: JsonSchema): readonly ItemField[] {
  return fieldsOf(schema, root).map((inner) => ({ name: `${name}.${inner.name}`, type: inner.type }));
}

function fieldsOf(schema: JsonSchema, root: JsonSchema): readonly DescribedField[] {
  const { shape } = readSchema(schema, root);
  if (shape.kind !== 'object') return [];
  return shape.fields
    .filter(({ name }) => FIELD_NAME.test(name))
    .map((field) => ({ name: field.name, type: typeName(field.schema, root), schema: field.schema }));
}

function typeName(schema: JsonSchema, root: JsonSchema): string {
  const { shape } = readSchema(schema, root);
  if (shape.kind === 'scalar') return shape.type;
  return shape.kind === 'array' ? 'array' : shape.kind === 'union' ? 'any' : 'object';
}

function memberSchema(schema: JsonSchema | undefined, name: string, root: JsonSchema): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const { shape } = readSchema(schema, root);
  return shape.kind === 'object' ? shape.fields.find((field) => field.name === name)?.schema : undefined;
}
