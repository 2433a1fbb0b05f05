import type { JsonObject, JsonSchema } from '../protocol/json.js';

/** A list of texts that say something. */
export const TEXTS = { type: 'array', items: { type: 'string', minLength: 1 } };

/** An object that allows these keys and no others, each with its default where there is one. */
export function keysOf(properties: Record<string, JsonObject>, defaults: JsonObject = {}): JsonSchema {
  const entries = Object.entries(properties).map(([key, schema]) => [
    key,
    // The members of a section show their defaults themselves.
    key in defaults && !('properties' in schema) ? { ...schema, default: defaults[key] } : schema,
  ]);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(entries) };
}

/** The same with what it is for. */
export function section(
  description: string,
  properties: Record<string, JsonObject>,
  defaults: JsonObject = {},
): JsonSchema {
  return { ...keysOf(properties, defaults), description };
}

/** An integer within bounds. */
export function range(minimum: number, maximum: number, description: string): JsonSchema {
  return { type: 'integer', minimum, maximum, description };
}

/** One text or a list of them; a fault is told once, and of the one that was meant. */
export function oneOrMany(item: JsonSchema, description: string): JsonSchema {
  return { type: ['string', 'array'], minItems: 1, items: item, if: { type: 'array' }, else: item, description };
}
