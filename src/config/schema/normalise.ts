import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Input, Inputs, Output, Outputs, Setting, Settings } from './setting.js';

/**
 * What the gateway gets of a setting: every default that its declaration has is filled in, at any depth, and what may be one or many is
 * a list. Nothing is checked: the value is valid, or its faults are reported and taken out.
 */
export function normalise<S extends Setting>(setting: S, value: Input<S> | undefined): Output<S> {
  return complete(value ?? (hasMembers(setting) ? {} : setting['default']), setting);
}

/** The same for members of an object that has others, too. */
export function normaliseAll<P extends Settings>(settings: P, values: Inputs<P>): Outputs<P> {
  return completeMembers(values, settings) as Outputs<P>;
}

function complete(value: unknown, schema: Setting): unknown {
  const { items, additionalProperties, type } = schema;
  if (isJsonObject(items) && Array.isArray(value)) return value.map((item) => complete(item, items));
  if (isJsonObject(items) && value !== undefined && Array.isArray(type)) return [complete(value, items)];
  if (!isJsonObject(value)) return value;
  if (hasMembers(schema)) return completeMembers(value, schema.properties);
  if (!isJsonObject(additionalProperties)) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, complete(member, additionalProperties)] as const,
  );
  return Object.fromEntries(members);
}

function completeMembers(value: JsonObject, members: Readonly<Record<string, Setting>>): JsonObject {
  const completed: JsonObject = {};
  for (const [name, schema] of Object.entries(members)) {
    const member = Object.hasOwn(value, name) ? complete(value[name], schema) : fallbackOf(schema);
    if (member !== undefined) completed[name] = member;
  }
  return completed;
}

/** What stands for a setting that is not given: its default, or an object with those of its members, where there are any. */
function fallbackOf(schema: Setting): unknown {
  if (schema['default'] !== undefined || !hasMembers(schema)) return schema['default'];
  const members = completeMembers({}, schema.properties);
  return Object.keys(members).length === 0 ? undefined : members;
}

function hasMembers(schema: Setting): schema is Setting & { readonly properties: Readonly<Record<string, Setting>> } {
  return isJsonObject(schema['properties']);
}
