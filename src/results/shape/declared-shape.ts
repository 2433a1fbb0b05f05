import type { JsonSchema } from '../../base/json/json.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../../base/protocol/operation.js';
import { LEXICON } from '../../classify/words/lexicon.js';
import { splitWords } from '../../classify/words/vocabulary.js';
import { readFurtherMembers } from '../../schema/further-members.js';
import { type ObjectField, type ReadSchema, readSchema } from '../../schema/schema-shape.js';
import { SCALAR, writePath } from '../query/fields.js';
import { CONTROLLED, type FieldPath, type ItemField, type ResultShape } from '../query/result-types.js';
import { findListPlace, type Member } from './locate-list.js';

/** Operation families that give collections (companion document "collection querying", section 1). */
const FAMILIES = new Set(['list', 'search', 'query', 'find']);

/** Families whose word may follow a topic: `hosting_list_orders`, `epics_search`; in `saved_query` it names a thing. */
const TRAILING_FAMILIES = new Set(['list', 'search']);

const OBJECT: ResultShape = { kind: 'object' };

/** Whether an operation's answers are examined: those of READs are that give what upstreams gave, and lists that are declared. */
export function isReadable({ upstream, classification, primitive, collection }: Operation): boolean {
  const isExamined = upstream !== GATEWAY_SOURCE || primitive !== undefined || collection !== undefined;
  return isExamined && classification.category === CONTROLLED;
}

/**
 * The shape of an operation's answers as its operator declares it, else by its output schema, else by the family that its
 * name belongs to. Undefined where none of these says, and for everything but READs of upstreams.
 */
export function declaredShape(operation: Operation): ResultShape | undefined {
  return isReadable(operation) ? findShape(operation) : undefined;
}

/** Whether operator or output schema leave no room for a list, be it one in a text, in the answers of a READ. */
export function holdsNoList({ collection, outputSchema }: Operation): boolean {
  if (collection === null) return true;
  if (collection !== undefined || outputSchema === undefined) return false;
  const { shape } = readSchema(outputSchema, outputSchema);
  return shape.kind === 'object' && shape.fields.length > 0 && membersOf(shape.fields, outputSchema).every(isScalar);
}

function isScalar({ holds, inside }: Member): boolean {
  return holds === 'other' || (holds === 'object' && inside().length > 0 && inside().every(isScalar));
}

function findShape({ collection, outputSchema, qualifiedName }: Operation): ResultShape | undefined {
  if (collection === null) return OBJECT;
  if (collection !== undefined) return { kind: 'collection', path: collection, evidence: 'the operator says so' };
  const isNamedSo = belongsToFamily(qualifiedName.slice(qualifiedName.indexOf(QUALIFIER) + 1));
  const described = outputSchema === undefined ? undefined : readOutputSchema(outputSchema, isNamedSo);
  if (described !== undefined) return described;
  return isNamedSo ? { kind: 'collection', path: null, evidence: 'its name' } : undefined;
}

/** Whether a family's word comes first, or after words that are not verbs. */
function belongsToFamily(name: string): boolean {
  const words = splitWords(name);
  const index = words.findIndex((word) => FAMILIES.has(word));
  if (index <= 0) return index === 0;
  const isTopic = words.slice(0, index).every((word) => LEXICON.get(word)?.nounness !== 'never');
  return isTopic && TRAILING_FAMILIES.has(words[index] ?? '');
}

/** Undefined where the schema does not say, as one that describes a text alone, or anything. */
function readOutputSchema(root: JsonSchema, isNamedSo: boolean): ResultShape | undefined {
  const { shape } = readSchema(root, root);
  const evidence = 'its output schema';
  if (shape.kind === 'array') return { kind: 'collection', path: [], evidence };
  if (shape.kind !== 'object') return undefined;
  const members = membersOf(shape.fields, root);
  const place = findListPlace(members);
  if (place !== undefined && (place.isWhole || isNamedSo)) return { kind: 'collection', path: place.path, evidence };
  const isText = members.length === 1 && members[0]?.holds === 'text';
  return isText || members.some(isOpen) ? undefined : OBJECT;
}

function membersOf(fields: readonly ObjectField[], root: JsonSchema): readonly Member[] {
  return fields.map(({ name, schema }) => {
    const read = readSchema(schema, root);
    return {
      name,
      holds: kindOf(read, root),
      inside: () => (read.shape.kind === 'object' ? membersOf(read.shape.fields, root) : []),
    };
  });
}

function kindOf({ shape }: ReadSchema, root: JsonSchema): Member['holds'] {
  switch (shape.kind) {
    case 'array':
      return holdsScalars(shape.items, root) ? 'values' : 'rows';
    case 'object':
      return 'object';
    case 'scalar':
      return shape.type === 'string' ? 'text' : shape.type === 'any' ? 'unknown' : 'other';
    default:
      return 'unknown';
  }
}

function holdsScalars(items: JsonSchema | undefined, root: JsonSchema): boolean {
  if (items === undefined) return false;
  const { shape } = readSchema(items, root);
  return shape.kind === 'array' || (shape.kind === 'scalar' && shape.type !== 'any');
}

function isOpen({ holds, inside }: Member): boolean {
  return holds === 'unknown' || (holds === 'object' && inside().length === 0);
}

/** A model reads the whole list of names, so it is bounded. */
const MAX_FIELDS = 40;

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

/**
 * Whether the output schema declares a field of the list's items. A schema that names fields and does not say that others may come is held
 * to know all of them; undefined where it says nothing.
 */
export function declaresField(
  { outputSchema: root }: Operation,
  shape: ResultShape | undefined,
  field: FieldPath,
): boolean | undefined {
  if (root === undefined || shape?.kind !== 'collection') return undefined;
  const schema = shape.path?.reduce<JsonSchema | undefined>((outer, name) => memberSchema(outer, name, root), root);
  return schema === undefined ? undefined : declaresAt(schema, root, field, MOST_STEPS);
}

/** Through lists of lists and references to themselves. */
const MOST_STEPS = 64;

function declaresAt(schema: JsonSchema, root: JsonSchema, path: FieldPath, steps: number): boolean | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  const { shape } = readSchema(schema, root);
  if (steps === 0 || shape.kind === 'map') return undefined;
  if (shape.kind === 'array') return shape.items && declaresAt(shape.items, root, path, steps - 1);
  if (shape.kind === 'scalar') return shape.type === 'any' ? undefined : writePath(path) === SCALAR;
  if (shape.kind === 'union') {
    const verdicts = shape.branches.map((branch) => declaresAt(branch, root, path, steps - 1));
    return verdicts.includes(true) || (verdicts.includes(undefined) ? undefined : false);
  }
  // A name may have dots in it.
  if (shape.fields.some(({ name }) => name === writePath(path))) return true;
  const member = shape.fields.find(({ name }) => name === key);
  if (member !== undefined) return declaresAt(member.schema, root, rest, steps - 1);
  return shape.fields.length === 0 || readFurtherMembers(schema, root).taken === true ? undefined : false;
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
