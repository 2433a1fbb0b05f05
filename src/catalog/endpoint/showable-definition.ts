import { withoutNulls } from '../../base/json/absent-nulls.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { icons, meta, objectOf, only, type Reader, text } from '../../base/protocol/mend-members.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { findUnsound } from '../../schema/sound-schema.js';

const flag = only((value) => typeof value === 'boolean');

/** Members of a schema whose values are data, in which null is a value. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

/** A parameter's schema. `true` and `false` are schemas too, but clients want objects. */
const property: Reader = (value, path, odd) => {
  if (isJsonObject(value)) return value;
  odd.push(path);
  return value === false ? { not: {} } : {};
};

const properties: Reader = (value, path, odd) => {
  if (!isJsonObject(value)) return only(() => false)(value, path, odd);
  return objectOf(Object.fromEntries(Object.keys(value).map((name) => [name, property])))(value, path, odd);
};

/** One name is often written without its list. */
const required: Reader = (value, path, odd) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names = given.filter((name) => typeof name === 'string');
  if (Array.isArray(value) && names.length === value.length) return value;
  odd.push(path);
  return names.length === 0 ? undefined : names;
};

/** What a schema that may describe an object lacks is said: clients want `type: "object"`. */
const objectSchema: Reader = (value, path, odd) => {
  const schema: JsonObject = isJsonObject(value) ? withoutNulls(value, DATA) : {};
  const { type } = schema;
  const isRight = schema === value && type === 'object';
  if (!isRight) odd.push(path);
  const typed = type === 'object' ? schema : { ...schema, type: 'object' };
  return objectOf({ properties, required, $schema: text })(typed, path, odd);
};

/** Whether nothing but an object fits, or a type is not said. */
function mayBeObject({ type = 'object' }: JsonObject): boolean {
  return type === 'object' || type === null || (Array.isArray(type) && type.includes('object'));
}

/** Clients prepare these schemas when they read the list: one that cannot be prepared costs them all tools. */
const outputSchema: Reader = (value, path, odd) => {
  if (value === null) return undefined;
  const schema = isJsonObject(value) && mayBeObject(value) && Object.keys(value).length > 0 ? value : undefined;
  const kept = schema === undefined ? undefined : objectSchema(schema, path, odd);
  const unsound = isJsonObject(kept) ? findUnsound(kept) : '';
  if (unsound === undefined) return kept;
  odd.push(unsound === '' ? path : `${path} (${unsound})`);
  return undefined;
};

const readMembers = objectOf({
  title: text,
  description: text,
  inputSchema: objectSchema,
  outputSchema,
  annotations: objectOf({
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
  execution: objectOf({ taskSupport: only((value) => ['required', 'optional', 'forbidden'].includes(String(value))) }),
  icons,
  _meta: meta,
});

/** Members whose nulls are read where they stand: in a schema a null may be a value, and `_meta` is nobody's business here. */
const READ_APART: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema', '_meta']);

/**
 * A tool's definition as every client can read it, and the paths of what had to be mended or left out for that. Clients check the whole
 * list by MCP's schema and drop all of its tools for one member that is off it. What is null is absent.
 */
export function showableDefinition(raw: RawTool): { readonly definition: JsonObject; readonly odd: readonly string[] } {
  const odd: string[] = [];
  const given = withoutNulls(raw, READ_APART);
  const whole = given['inputSchema'] === undefined ? { ...given, inputSchema: null } : given;
  return { definition: readMembers(whole, '', odd) as JsonObject, odd: [...new Set(odd)] };
}
