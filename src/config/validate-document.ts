import { Ajv, type ErrorObject } from 'ajv';
import { type JsonPath, pathOfPointer, valueAt } from '../lib/json-path.js';
import { suggestName } from '../lib/names.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { GatewayDocument, UpstreamDocument } from './config-document.js';
import type { Diagnostics } from './diagnostics.js';
import { GATEWAY_SCHEMA } from './schema/gateway-schema.js';
import { UPSTREAM_SCHEMA } from './schema/upstream-schema.js';

interface Documents {
  readonly gateway: GatewayDocument;
  readonly upstream: UpstreamDocument;
}

// `addSchema` compiles at the first `getSchema`, so a gateway without upstream files compiles one schema. A test checks that
// the schemas are valid; doing so at every start would double the time.
const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  validateSchema: false,
  meta: false,
  // Optimising the code takes longer than checking one document.
  code: { optimize: false },
})
  .addSchema(GATEWAY_SCHEMA, 'gateway')
  .addSchema(UPSTREAM_SCHEMA, 'upstream');

/**
 * Checks a document against its schema, reports every fault, and returns the document without the faulty parts, so that
 * later steps may rely on the type and find further faults.
 */
export function validateDocument<K extends keyof Documents>(
  kind: K,
  document: unknown,
  diagnostics: Diagnostics,
): Documents[K] {
  const validate = ajv.getSchema(kind);
  if (validate === undefined) throw new Error(`no schema for ${kind} documents`);
  const sound = structuredClone(isJsonObject(document) ? document : {});
  if (!validate(document)) for (const error of validate.errors ?? []) noteError(error, document, sound, diagnostics);
  return sound as Documents[K];
}

/** Errors of these keywords only repeat another error: that of a key's name, or of a branch. */
const DERIVED_ERRORS: ReadonlySet<string> = new Set(['propertyNames', 'if']);

function noteError(error: ErrorObject, document: unknown, sound: JsonObject, diagnostics: Diagnostics): void {
  if (DERIVED_ERRORS.has(error.keyword)) return;
  const base = pathOfPointer(error.instancePath, document);
  const key: unknown = error.params['additionalProperty'] ?? error.params['missingProperty'] ?? error.propertyName;
  const path = typeof key === 'string' ? [...base, key] : base;
  removeAt(sound, path);
  if (diagnostics.has(path)) return;
  const explain = EXPLANATIONS[error.keyword];
  const { message, suggestion } = explain === undefined ? { message: error.message ?? 'is not valid' } : explain(error);
  diagnostics.problem(path, message, suggestion);
}

/** Removes from a document the deepest object member on a path. */
function removeAt(document: JsonObject, path: JsonPath): void {
  const end = path.findLastIndex((step) => typeof step === 'string');
  const holder = valueAt(document, path.slice(0, end));
  const key = path[end];
  if (isJsonObject(holder) && key !== undefined) delete holder[key];
}

interface Explanation {
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** Explains the failure of each schema keyword to an operator. Never shows a string: it may be an interpolated secret. */
const EXPLANATIONS: Readonly<Record<string, (error: ErrorObject) => Explanation>> = {
  additionalProperties: (error) => {
    const properties: Record<string, JsonObject> = error.parentSchema?.['properties'] ?? {};
    const known = Object.keys(properties).filter((name) => properties[name]?.['deprecated'] !== true);
    const key = String(error.params['additionalProperty']);
    return {
      message: `unknown key '${key}'`,
      suggestion: suggestName(key, known) ?? `known keys: ${known.join(', ')}`,
    };
  },
  required: (error) => ({ message: `missing; expected ${describe(error, error.params['missingProperty'])}` }),
  type: (error) => ({ message: `expected ${nameType(error.params['type'])}, got ${typeOf(error.data)}` }),
  enum: (error) => {
    const allowed: unknown[] = error.params['allowedValues'];
    return {
      message: `expected ${nameValues(allowed)}`,
      suggestion: suggestName(String(error.data), allowed.map(String)),
    };
  },
  minimum: explainRange,
  maximum: explainRange,
  exclusiveMinimum: (error) => ({ message: `expected more than ${error.params['limit']}, got ${error.data}` }),
  pattern: (error) => ({ message: `expected text that matches ${error.params['pattern']}` }),
  minLength: () => ({ message: 'expected text, got an empty string' }),
  maxLength: (error) => ({ message: `expected at most ${error.params['limit']} characters` }),
  minItems: (error) => ({ message: `expected at least ${error.params['limit']} entry` }),
  minProperties: (error) => ({ message: `expected at least ${error.params['limit']} entry` }),
};

function explainRange(error: ErrorObject): Explanation {
  const { minimum, maximum } = error.parentSchema ?? {};
  const bounds = [
    minimum === undefined ? [] : `at least ${minimum}`,
    maximum === undefined ? [] : `at most ${maximum}`,
  ];
  return { message: `expected ${bounds.flat().join(' and ')}, got ${error.data}` };
}

function describe(error: ErrorObject, key: unknown): string {
  const schema = valueAt(error.parentSchema, ['properties', String(key)]);
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
