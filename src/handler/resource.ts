import { type JsonPath, valueAt } from '../config/json-path.js';
import { digest } from '../protocol/canonical-json.js';
import type { JsonObject } from '../protocol/json.js';
import type { Parameter } from '../protocol/operation.js';
import { toSnakeCase } from '../protocol/snake-case.js';

/** Names the state of a resource: equal for equal states. */
export function versionOf(resource: JsonObject): string {
  return `v_${digest(resource)}`;
}

/** Whether a text can be a version at all. */
export function isVersion(text: string): boolean {
  return /^v_[A-Za-z0-9_-]{43}$/.test(text);
}

/** A dotted path, with indexes of lists: `items.0.settings`. */
export function parsePath(text: string): JsonPath {
  if (text === '') return [];
  return text.split('.').map((step) => (/^(?:0|[1-9]\d*)$/.test(step) ? Number(step) : step));
}

/** The field that a parameter changes: of the same name in either spelling, or of one that comes to the same. */
export function findField(resource: JsonObject, { name, upstreamName }: Parameter): string | undefined {
  const exact = [upstreamName, name].find((spelling) => Object.hasOwn(resource, spelling));
  return exact ?? Object.keys(resource).find((field) => toSnakeCase(field) === name);
}

/** The value of a field or dotted path; null where there is none, because null is how a field is removed. */
export function fieldOf(resource: JsonObject, field: string): unknown {
  const value = Object.hasOwn(resource, field) ? resource[field] : valueAt(resource, parsePath(field));
  return value ?? null;
}

/** Fields with their values, as details of an error show them. */
export function pickFields(resource: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, fieldOf(resource, field)]));
}

/** The fields whose values are not the same in both. */
export function changedFields(before: JsonObject, after: JsonObject, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => digest(fieldOf(before, field)) !== digest(fieldOf(after, field)));
}
