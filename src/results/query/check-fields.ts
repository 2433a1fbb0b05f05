import { isJsonObject } from '../../base/json/json.js';
import { similarity } from '../../base/lib/names.js';
import { cleanName, quoteValue, quoteValues } from '../../base/lib/text.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Warning } from '../../base/protocol/result.js';
import { COMPUTED, createFieldReader, findComputed, isScalar, parsePath, SCALAR, writePath } from './fields.js';
import { pathsOf } from './parts.js';
import type { CollectionQuery, FieldPath } from './result-types.js';
import type { SelectionSource } from './select-fields.js';

const MAX_REPORTED = 30;

/** The similarity below which a name is not suggested. */
const LIKELY = 0.5;

/**
 * The warning of fields that no item has, where no schema declares them: an optional field may be in none today, so that a question about
 * it is answered, and a misspelt one is told from it by the names beside it.
 *
 * @param seen names of fields that items of earlier answers had
 */
export function warnOfFields(
  query: CollectionQuery,
  known: KnownFields,
  seen: readonly string[] = [],
): readonly Warning[] {
  const isKnown = (path: FieldPath): boolean => {
    const name = writePath(path);
    return query.declared?.includes(name) === true || known.has(path) || seen.includes(name);
  };
  const unknown = [
    ...new Set(
      pathsOf(query)
        .filter((path) => !isKnown(path))
        .map(writePath),
    ),
  ];
  if (unknown.length === 0) return [];
  const { listed, reported, nearest } = compareNames(unknown, [...new Set([...known.names(), ...seen])]);
  const valid = nearest.length === 0 ? 'No answer has shown any fields' : `Seen: ${quoteValues(nearest)}`;
  const key = known.keyOf(reported);
  const filter = key === undefined ? undefined : { [key]: reported.length === 1 ? reported[0] : { in: reported } };
  const hint =
    filter === undefined ? '' : `. Items with this ${quoteValue(key)} are found by ${JSON.stringify({ filter })}`;
  return [
    {
      code: 'VALIDATION_UNKNOWN_FIELD_WARNING',
      message: `No item has ${listed}. ${valid}${hint}`,
      details: { unknown_fields: reported, seen_fields: nearest.slice(0, MAX_REPORTED) },
      severity: 'medium',
    },
  ];
}

/** The refusal of fields that the operation's output schema does not declare, whatever its answers hold (collection querying, 2.2). */
export function refuseFields(
  unknown: readonly string[],
  declared: readonly string[],
  operation: string,
): OperationError {
  const { listed, reported, nearest } = compareNames(unknown, declared);
  return new OperationError(
    'VALIDATION_UNKNOWN_FIELD',
    `Unknown field(s) for operation '${operation}': ${listed}. Valid: ${quoteValues(nearest)}`,
    { operation, unknown_fields: reported, valid_fields: nearest.slice(0, MAX_REPORTED) },
  );
}

/** Unknown names as they are reported, each with what was probably meant, and the known ones, the nearest first. */
function compareNames(
  unknown: readonly string[],
  known: readonly string[],
): { readonly listed: string; readonly reported: readonly string[]; readonly nearest: readonly string[] } {
  const reported = unknown.slice(0, MAX_REPORTED);
  const listed = reported.map((name) => {
    const [nearest] = nearestFields([name], known);
    const inside = known.find((path) => path.endsWith(`.${name}`));
    const meant = nearest !== undefined && similarity(name, nearest) > LIKELY ? nearest : inside;
    return meant !== undefined ? `${quoteValue(name)} (did you mean ${quoteValue(meant)}?)` : quoteValue(name);
  });
  return { listed: listed.join(', '), reported, nearest: nearestFields(unknown, known) };
}

/** What a sample of items has, for the warnings of later answers: the names that a query may use. */
export function namesOfFields(items: readonly unknown[]): readonly string[] {
  const sample = items.slice(0, SAMPLE_ITEMS);
  return [...new Set([...topFields(sample), ...nestedFields(sample)])].slice(0, MAX_NAMES);
}

/** Nested fields are searched in this many items and levels; top-level ones in all items. */
const SAMPLE_ITEMS = 200;
const SAMPLE_DEPTH = 3;
const LIST_SAMPLE = 10;

/** Names that are compared with a misspelt one. */
const MAX_NAMES = 500;

/** Which fields a query over some items may name. */
interface KnownFields {
  /** Whether any item has the field, even if it is null, or it is computed. */
  has(path: FieldPath): boolean;
  /** Paths to show, the top-level ones first: at most 500. */
  names(): readonly string[];
  /** The field by whose value items have all of these names, as in a list of settings with `key` and `value`. */
  keyOf(names: readonly string[]): string | undefined;
}

/** Gathers names only on demand, because most queries name fields that the first item has. */
export function findKnownFields(items: readonly unknown[], source: SelectionSource): KnownFields {
  const has = (path: FieldPath): boolean => {
    if (isComputed(path, source.computed)) return true;
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

/** `_computed` alone means all of them. */
export function isComputed(path: FieldPath, computed: SelectionSource['computed']): boolean {
  return (
    findComputed(path, computed) !== undefined || (path[0] === COMPUTED && path.length === 1 && computed.length > 0)
  );
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
