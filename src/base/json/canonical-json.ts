import { createHash } from 'node:crypto';
import { isJsonObject } from './json.js';

/**
 * The canonical text of a JSON value: members sorted by name in the order of UTF-16 code units, no white space, strings and
 * numbers as JSON.stringify writes them (RFC 8785, https://www.rfc-editor.org/rfc/rfc8785). A list keeps its order, because
 * it is not known here which lists are sets.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical text, in base64url: equal for equal values, without revealing them. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}

/** Deeper than any real schema, and shallow enough for recursion. */
const MAX_SCHEMA_DEPTH = 200;

/** Lists that JSON Schema treats as sets: a server may send them in another order each time it starts. */
const SCHEMA_SETS: ReadonlySet<string> = new Set(['required', 'enum', 'type']);

/**
 * A JSON Schema in canonical form: members sorted by name, and sets of strings sorted.
 * @throws RangeError for a value that is nested more than 200 levels deep
 */
export function canonicalizeSchema(value: unknown, key = '', depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_SCHEMA_DEPTH) throw new RangeError('nested too deeply');
  if (Array.isArray(value)) {
    const isSet = SCHEMA_SETS.has(key) && value.every((item) => typeof item === 'string');
    return isSet ? value.toSorted() : value.map((item) => canonicalizeSchema(item, '', depth + 1));
  }
  if (!isJsonObject(value)) return value;
  const members = Object.keys(value).sort();
  // `fromEntries` defines members, so that `__proto__` becomes an ordinary member.
  return Object.fromEntries(members.map((name) => [name, canonicalizeSchema(value[name], name, depth + 1)]));
}

/** The text of the canonical form: equal for equal schemas. */
export function canonicalSchemaJson(value: unknown): string {
  return JSON.stringify(canonicalizeSchema(value)) ?? 'null';
}
