import { isJsonObject } from '../../protocol/json.js';

/** Deeper than any schema that people write, shallower than any stack. */
const MAX_DEPTH = 200;

/** Lists in which JSON Schema sees sets: a server may print them in another order each time it starts. */
const SETS: ReadonlySet<string> = new Set(['required', 'enum', 'type']);

/**
 * A JSON value in the one form that all its spellings share: members by name, sets of texts in order.
 * @throws RangeError for a value that is nested more than 200 levels deep
 */
export function canonicalize(value: unknown, key = '', depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
  if (Array.isArray(value)) {
    const isSet = SETS.has(key) && value.every((item) => typeof item === 'string');
    return isSet ? value.toSorted() : value.map((item) => canonicalize(item, '', depth + 1));
  }
  if (!isJsonObject(value)) return value;
  const members = Object.keys(value).sort();
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return Object.fromEntries(members.map((name) => [name, canonicalize(value[name], name, depth + 1)]));
}

/** Equal texts for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonicalize(value)) ?? 'null';
}
