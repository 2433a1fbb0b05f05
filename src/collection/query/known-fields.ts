import { cleanName } from '../../catalog/clean-text.js';
import { similarity } from '../../catalog/nearest-name.js';
import { isJsonObject } from '../../protocol/json.js';
import type { FieldPath } from '../collection-query.js';
import { parsePath, writePath } from './field-path.js';
import { COMPUTED, createFieldReader, findComputed, isScalar, SCALAR } from './field-reader.js';
import { STANDARD_PRESETS } from './preset-fields.js';
import type { SelectionSource } from './select-fields.js';

/** Nested fields are looked for in these many items, and these many levels deep; top-level ones in all items. */
const SAMPLE = 200;
const DEPTH = 3;
const LIST_SAMPLE = 10;

/** As many as are worth comparing with a misspelt one. */
const MAX_NAMES = 500;

/** Which fields and presets a query over some items may name. */
export interface KnownFields {
  /** Whether any item has the field, be it null; true of every field where there are no items. */
  has(path: FieldPath): boolean;
  /** Paths to show, the top-level ones first: at most 500. */
  names(): readonly string[];
  readonly presets: readonly string[];
}

/** Nothing is gathered before it is asked for, since most queries name fields that the first item has. */
export function findKnownFields(items: readonly unknown[], source: SelectionSource): KnownFields {
  const has = (path: FieldPath): boolean => {
    if (items.length === 0 || findComputed(path, source.computed) !== undefined) return true;
    if (path[0] === COMPUTED && path.length === 1 && source.computed.length > 0) return true;
    const read = createFieldReader(path, source);
    return items.some((item) => read(item).length > 0);
  };
  const derived = source.computed.map(({ name }) => `${COMPUTED}.${name}`);
  return {
    has,
    names: () => [...new Set([...topFields(items), ...derived, ...nestedFields(items)])].slice(0, MAX_NAMES),
    presets: [...new Set([...STANDARD_PRESETS, ...source.presets.keys()])],
  };
}

/** Known names, those most like any of the unknown ones first. */
export function nearestFields(unknown: readonly string[], known: readonly string[]): readonly string[] {
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
  for (const item of items.slice(0, SAMPLE)) gatherNames(item, [], DEPTH, names);
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
      // A name that cannot be written as a path, or would be cleaned of something, is no good to whoever copies it.
      if (parsePath(name) !== undefined && cleanName(name) === name) names.add(name);
      gatherNames(value[key], path, levels - 1, names);
    }
  }
}
