import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from './json.js';

/**
 * The canonical text of a JSON value: members sorted by name in the order of UTF-16 code units, no white space, strings and
 * numbers as JSON.stringify writes them (RFC 8785, https://www.rfc-editor.org/rfc/rfc8785). A list keeps its order, because
 * it is not known here which lists are sets.
 */
export function canonicalJson(value: unknown): string {
  if (isScalar(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value))
    return value.every(isScalar) ? JSON.stringify(value) : `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  const object = value as JsonObject;
  for (const name of Object.keys(object).sort()) {
    const member = object[name];
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/**
 * SHA-256 of the canonical text, in base64url: equal for equal values, without revealing them.
 * @param text the canonical text, where it has been written
 */
export function digest(value: unknown, text = canonicalJson(value)): string {
  return createHash('sha256').update(text).digest('base64url');
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
