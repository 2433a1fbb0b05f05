import { parameterScope } from '../../catalog/parameter-scope.js';
import { isJsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import { OPAQUE } from './match-value.js';

/**
 * Where a rule's key leads in bound arguments. Its first segment is a parameter's canonical name or the upstream's spelling, or a
 * further argument's name; the segments after it are the upstream's own. An UPDATE's `input.` may be written or left out.
 */
export function locateParameter(operation: Operation, key: string): readonly [name: string, ...path: string[]] {
  const { byName, hasInput } = parameterScope(operation);
  const [, inside] = /^input\.(.+)$/s.exec(key) ?? [];
  const path = inside !== undefined && (hasInput || !byName.has('input')) ? inside : key;
  const whole = byName.get(path);
  if (whole !== undefined) return [whole.upstreamName];
  const [name = path, ...rest] = path.split('.');
  return [byName.get(name)?.upstreamName ?? name, ...rest];
}

/** The values at a path, own members alone; of every element where it leads through a list. `undefined` where one is missing. */
export function readValues(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (Array.isArray(value)) {
    return value.length > 0 ? value.flatMap((element) => readValues(element, path)) : [undefined];
  }
  if (isJsonObject(value)) return Object.hasOwn(value, name) ? readValues(value[name], rest) : [undefined];
  // Some servers parse a text where they expect an object.
  return [typeof value === 'string' && value !== '' ? OPAQUE : undefined];
}
