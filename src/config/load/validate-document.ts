import { isJsonObject, type JsonObject, type JsonSchema } from '../../base/json/json.js';
import { type JsonPath, valueAt } from '../../base/json/json-path.js';
import { suggestName } from '../../base/lib/names.js';
import type { Input, Setting, Settings } from '../schema/setting.js';
import type { Diagnostics } from './diagnostics.js';
import { FORMATS, findFaults, type SchemaFault } from './find-faults.js';
import { explainForeign } from './foreign-members.js';

/**
 * Checks a document against its schema, reports every fault, and returns the document without the faulty parts, so that
 * later steps may rely on the type and find further faults.
 * @param known the sections and settings of the main file
 */
export function validateDocument<S extends Setting>(
  schema: S,
  document: unknown,
  diagnostics: Diagnostics,
  known: Settings,
): Input<S> {
  const sound = structuredClone(isJsonObject(document) ? document : {});
  for (const fault of findFaults(document, schema)) noteFault(fault, { document, sound, known }, diagnostics);
  return sound;
}

function noteFault(
  fault: SchemaFault,
  { document, sound, known }: { readonly document: unknown; readonly sound: JsonObject; readonly known: Settings },
  diagnostics: Diagnostics,
): void {
  const path = fault.key === undefined ? fault.path : [...fault.path, fault.key];
  const foreign = explainForeign(fault, document, known);
  const isFirst = removeAt(sound, path);
  if (foreign !== undefined) {
    if (isFirst) diagnostics.warning(path, foreign);
    return;
  }
  if (diagnostics.has(path)) return;
  const explain = EXPLANATIONS[fault.keyword];
  const { message, suggestion } = explain === undefined ? { message: 'is not valid' } : explain(fault, known);
  diagnostics.problem(path, message, suggestion);
}

/** Removes from a document the deepest object member on a path; false where it has gone already. */
function removeAt(document: JsonObject, path: JsonPath): boolean {
  const end = path.findLastIndex((step) => typeof step === 'string');
  const holder = valueAt(document, path.slice(0, end));
  const key = path[end];
  if (!isJsonObject(holder) || key === undefined || !Object.hasOwn(holder, key)) return false;
  delete holder[key];
  return true;
}

interface Explanation {
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** Explains the failure of each schema keyword to an operator. Never shows a string: it may be an interpolated secret. */
const EXPLANATIONS: Readonly<Record<string, (fault: SchemaFault, known: Settings) => Explanation>> = {
  additionalProperties: ({ schema, key = '' }, sections) => {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const known = Object.keys(properties).filter((name) => valueAt(properties, [name, 'deprecated']) !== true);
    const suggestion =
      placesWithin(properties, key) ??
      suggestName(key, known) ??
      placesOutside(schema, key, sections) ??
      `known keys: ${known.join(', ')}`;
    return { message: `unknown key '${key}'`, suggestion };
  },
  required: ({ schema, key = '' }) => ({ message: `missing; expected ${describe(schema, key)}` }),
  type: ({ schema, data }) => ({ message: `expected ${nameType(schema['type'])}, got ${typeOf(data)}` }),
  enum: ({ schema, data }) => {
    const allowed = Array.isArray(schema['enum']) ? schema['enum'] : [];
    return {
      message: `expected ${nameValues(allowed)}`,
      suggestion: suggestName(String(data), allowed.map(String)),
    };
  },
  minimum: explainRange,
  maximum: explainRange,
  exclusiveMinimum: ({ schema, data }) => ({
    message: `expected more than ${schema['exclusiveMinimum']}, got ${data}`,
  }),
  pattern: ({ schema }) => ({ message: `expected text that matches ${schema['pattern']}` }),
  format: ({ schema, data }) => FORMATS[String(schema['format'])]?.(String(data)) ?? { message: 'is not valid' },
  minLength: () => ({ message: 'expected text, got an empty string' }),
  maxLength: ({ schema }) => ({ message: `expected at most ${schema['maxLength']} characters` }),
  minItems: ({ schema }) => ({ message: `expected at least ${schema['minItems']} entry` }),
  minProperties: ({ schema }) => ({ message: `expected at least ${schema['minProperties']} entry` }),
  maxItems: ({ schema }) => ({ message: `expected at most ${schema['maxItems']} entries` }),
};

/** Where a key belongs that stands one level too high. */
function placesWithin(sections: JsonObject, key: string): string | undefined {
  const owners = Object.keys(sections).filter((name) => valueAt(sections, [name, 'properties', key]) !== undefined);
  return owners.length > 0 ? `did you mean ${owners.map((name) => `'${name}.${key}'`).join(' or ')}?` : undefined;
}

/** Where a key of a section belongs that stands one level too low, or is another section's. */
function placesOutside(section: JsonSchema, key: string, known: Settings): string | undefined {
  const [name] = Object.entries(known).find(([, schema]) => schema === section) ?? [];
  if (name === undefined) return undefined;
  if (Object.hasOwn(known, key)) return `did you mean '${key}', outside of '${name}'?`;
  return placesWithin(known, key);
}

function explainRange({ schema, data }: SchemaFault): Explanation {
  const { minimum, maximum } = schema;
  const bounds = [
    minimum === undefined ? [] : `at least ${minimum}`,
    maximum === undefined ? [] : `at most ${maximum}`,
  ];
  return { message: `expected ${bounds.flat().join(' and ')}, got ${data}` };
}

function describe(owner: JsonSchema, key: string): string {
  const schema = valueAt(owner, ['properties', key]);
  if (!isJsonObject(schema)) return 'a value';
  return Array.isArray(schema['enum']) ? nameValues(schema['enum']) : nameType(schema['type']);
}

function nameValues(values: readonly unknown[]): string {
  return `one of ${values.map((value) => `'${value}'`).join(', ')}`;
}

function nameType(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names.map((name) => (name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`)).join(' or ');
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return nameType(Array.isArray(value) ? 'array' : typeof value);
}
