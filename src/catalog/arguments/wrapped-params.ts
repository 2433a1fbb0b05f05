import { parseCarried } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { ParameterScope } from '../../base/protocol/operation.js';

/** Of what a caller gave, only the first members are looked at: who gives more than this needs no example with all of it. */
export const MOST_MEMBERS = 100;

/**
 * The parameters in a member that is none: `params` in `params`, an UPDATE's `input`, what other protocols call `arguments`, or a JSON
 * string of these. Undefined for a parameter.
 */
export function unwrap(key: string, value: unknown, scope: ParameterScope): JsonObject | undefined {
  const { byName, hasInput } = scope;
  // Metadata begins with an underscore.
  if (key.startsWith('_') || (byName.has(key) && !(key === 'input' && hasInput))) return undefined;
  const members = parseObject(value);
  const isNamed = key === 'params' || key === 'input';
  const holds = (name: string): boolean => byName.has(name) || byName.has(toSnakeCase(name, 'param'));
  return isNamed || (members !== undefined && Object.keys(members).slice(0, MOST_MEMBERS).some(holds))
    ? members
    : undefined;
}

export function parseObject(value: unknown): JsonObject | undefined {
  const parsed = typeof value === 'string' ? parseText(value) : value;
  return isJsonObject(parsed) ? parsed : undefined;
}

/** The JSON in a text. A number that would be another one as a value stays a text, digit for digit. */
export function parseText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseCarried(value);
  } catch {
    // Not JSON after all: the caller meant a text.
    return value;
  }
}
