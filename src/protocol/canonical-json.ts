import { createHash } from 'node:crypto';
import { isJsonObject } from './json.js';

/**
 * The one text that all spellings of a JSON value share: members by name in the order of UTF-16 code units, no white space,
 * texts and numbers as JSON.stringify writes them (RFC 8785, https://www.rfc-editor.org/rfc/rfc8785). A list keeps its order:
 * what is a set to its reader cannot be known here.
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

/** SHA-256 of the canonical text, in base64url: equal for equal values, and tells nothing of them. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}
