import { splitWords } from '../../catalog/classify/split-words.js';
import { LEXICON } from '../../catalog/classify/verbs.js';
import type { ObjectField } from '../../catalog/schema/object-fields.js';
import { type ReadSchema, readSchema } from '../../catalog/schema/schema-shape.js';
import type { JsonSchema } from '../../protocol/json.js';
import { GATEWAY_SOURCE, type Operation, QUALIFIER } from '../../protocol/operation.js';
import { CONTROLLED } from '../collection-query.js';
import type { ResultShape } from '../result-desk.js';
import { findListPlace, type Member } from './find-list-place.js';

/** Operation families that give collections (companion document "collection querying", section 1). */
const FAMILIES = new Set(['list', 'search', 'query', 'find']);

/** Those whose word may stand behind a topic: `hosting_list_orders`, `epics_search`; a query behind one is a thing. */
const TRAILING_FAMILIES = new Set(['list', 'search']);

const OBJECT: ResultShape = { kind: 'object' };

/** Operations never change. */
const shapes = new WeakMap<Operation, { readonly shape: ResultShape | undefined }>();

/** Whether an operation's answers are looked at: READs of upstreams are. */
export function isReadable({ upstream, classification }: Operation): boolean {
  return upstream !== GATEWAY_SOURCE && classification.category === CONTROLLED;
}

/**
 * What an operation's answers are by what is said of it: by the operator, else by its output schema, else by the family that
 * its name belongs to. Undefined where nothing tells, and for whatever is not a READ of an upstream.
 */
export function declaredShape(operation: Operation): ResultShape | undefined {
  const known = shapes.get(operation);
  if (known !== undefined) return known.shape;
  const shape = isReadable(operation) ? findShape(operation) : undefined;
  shapes.set(operation, { shape });
  return shape;
}

function findShape({ collection, outputSchema, qualifiedName }: Operation): ResultShape | undefined {
  if (collection === null) return OBJECT;
  if (collection !== undefined) return { kind: 'collection', path: collection, evidence: 'the operator says so' };
  const isNamedSo = belongsToFamily(qualifiedName.slice(qualifiedName.indexOf(QUALIFIER) + 1));
  const described = outputSchema === undefined ? undefined : readOutputSchema(outputSchema, isNamedSo);
  if (described !== undefined) return described;
  return isNamedSo ? { kind: 'collection', path: null, evidence: 'its name' } : undefined;
}

/** A family's word in front, or behind words that are no verbs. */
function belongsToFamily(name: string): boolean {
  const words = splitWords(name);
  const index = words.findIndex((word) => FAMILIES.has(word));
  if (index <= 0) return index === 0;
  const isTopic = words.slice(0, index).every((word) => LEXICON.get(word)?.nounness !== 'never');
  return isTopic && TRAILING_FAMILIES.has(words[index] ?? '');
}

/** Undefined where the schema leaves open what comes, as one of a mere text or of anything does. */
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
