import { isJsonObject } from '../../base/json/json.js';
import { similarity } from '../../base/lib/names.js';
import { cleanName, quoteValue, quoteValues } from '../../base/lib/text.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { COMPUTED, createFieldReader, findComputed, isScalar, parsePath, SCALAR, writePath } from './fields.js';
import { pathsOf } from './parts.js';
import type { CollectionQuery, FieldPath } from './result-types.js';
import type { SelectionSource } from './select-fields.js';

const MAX_REPORTED = 30;

/** The similarity below which a name is not suggested. */
const LIKELY = 0.5;

/** Throws VALIDATION_UNKNOWN_FIELD for fields that no item has. A field that only some items have is known, and so is one that is declared. */
export function checkFields(query: CollectionQuery, known: KnownFields, operation: string): void {
  const unknown = new Set<string>();
  for (const path of pathsOf(query)) {
    if (!known.has(path)) unknown.add(writePath(path));
  }
  if (unknown.size > 0) throw unknownFields([...unknown], known, operation);
}

function unknownFields(unknown: readonly string[], { names, keyOf }: KnownFields, operation: string): OperationError {
  const known = names();
  const nearest = nearestFields(unknown, known);
  const reported = unknown.slice(0, MAX_REPORTED);
  const listed = reported.map((name) => {
    const [nearest] = nearestFields([name], known);
    const inside = known.find((path) => path.endsWith(`.${name}`));
    const meant = nearest !== undefined && similarity(name, nearest) > LIKELY ? nearest : inside;
    return meant !== undefined ? `${quoteValue(name)} (did you mean ${quoteValue(meant)}?)` : quoteValue(name);
  });
  const valid = nearest.length === 0 ? 'The items have no fields' : `Valid: ${quoteValues(nearest)}`;
  const key = keyOf(reported);
  const filter = key === undefined ? undefined : { [key]: reported.length === 1 ? reported[0] : { in: reported } };
  const hint =
    filter === undefined ? '' : `. Items with this ${quoteValue(key)} are found by ${JSON.stringify({ filter })}`;
  return new OperationError(
    'VALIDATION_UNKNOWN_FIELD',
    `Unknown field(s) for operation '${operation}': ${listed.join(', ')}. ${valid}${hint}`,
    { operation, unknown_fields: reported, valid_fields: nearest.slice(0, MAX_REPORTED) },
  );
}

/** Nested fields are searched in this many items and levels; top-level ones in all items. */
const SAMPLE_ITEMS = 200;
const SAMPLE_DEPTH = 3;
const LIST_SAMPLE = 10;

/** Names that are compared with a misspelt one. */
const MAX_NAMES = 500;

/** Which fields a query over some items may name. */
interface KnownFields {
  /** Whether any item has the field, even if it is null, or could have it as declared; true of every field where there are no items. */
  has(path: FieldPath): boolean;
  /** Paths to show, the top-level ones first: at most 500. */
  names(): readonly string[];
  /** The field by whose value items have all of these names, as in a list of settings with `key` and `value`. */
  keyOf(names: readonly string[]): string | undefined;
}

/** Gathers names only on demand, because most queries name fields that the first item has. */
export function findKnownFields(items: readonly unknown[], source: SelectionSource): KnownFields {
  const has = (path: FieldPath): boolean => {
    if (items.length === 0 || findComputed(path, source.computed) !== undefined) return true;
    if (path[0] === COMPUTED && path.length === 1 && source.computed.length > 0) return true;
    if (source.declared?.includes(writePath(path)) === true) return true;
    const read = createFieldReader(path, source);
    return items.some((item) => read(item).length > 0);
  };
  const derived = source.computed.map(({ name }) => `${COMPUTED}.${name}`);
  return {
    has,
    names: () => [...new Set([...topFields(items), ...derived, ...nestedFields(items)])].slice(0, MAX_NAMES),
    keyOf: (names) => findKey(items.slice(0, MAX_NAMES), names),
  };
}

function findKey(items: readonly unknown[], names: readonly string[]): string | undefined {
  const [first] = names;
  const item = items.find((each) => isJsonObject(each) && Object.values(each).includes(first));
  if (!isJsonObject(item)) return undefined;
  return Object.keys(item).find((key) => {
    if (item[key] !== first || parsePath(key)?.length !== 1 || cleanName(key) !== key) return false;
    const values = new Set(items.map((each) => (isJsonObject(each) ? each[key] : undefined)));
    return names.every((name) => values.has(name));
  });
}

/** Known names, those most like any of the unknown ones first. */
function nearestFields(unknown: readonly string[], known: readonly string[]): readonly string[] {
  const likeness = (name: string): number => Math.max(...unknown.map((other) => similarity(other, name)));
  return known
    .map((name) => ({ name, score: likeness(name) }))
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name);
}

function topFields(items: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const item of items) {
    if (names.size >= MAX_NAMES) break;
    if (isScalar(item)) names.add(SCALAR);
    else gatherNames(item, [], 1, names);
  }
  return names;
}

function nestedFields(items: readonly unknown[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const item of items.slice(0, SAMPLE_ITEMS)) gatherNames(item, [], SAMPLE_DEPTH, names);
  return names;
}

function gatherNames(value: unknown, parent: FieldPath, levels: number, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const element of value.slice(0, LIST_SAMPLE)) {
      if (isJsonObject(element)) gatherNames(element, parent, levels, names);
    }
  } else if (isJsonObject(value) && levels > 0 && names.size < MAX_NAMES) {
    for (const key of Object.keys(value)) {
      const path = [...parent, key];
      const name = writePath(path);
      // Callers copy these names, so a name that is not a path, or that cleaning changes, is left out.
      if (parsePath(name) !== undefined && cleanName(name) === name) names.add(name);
      gatherNames(value[key], path, levels - 1, names);
    }
  }
}
