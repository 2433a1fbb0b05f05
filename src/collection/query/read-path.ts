import type { FieldPath } from '../collection-query.js';
import { MAX_PATH_DEPTH, MAX_PATH_LENGTH, parsePath } from './field-path.js';
import { type ControlReading, typeFault, valueFault } from './query-fault.js';

/** A field's path from a caller's value; undefined, with the fault told, where it is none. */
export function readPath(value: unknown, param: string, { faults }: ControlReading): FieldPath | undefined {
  if (typeof value !== 'string') {
    faults.push(typeFault(param, 'string', value, 'Name a field, with dots for nested ones: "settings.theme"'));
    return undefined;
  }
  const path = parsePath(value);
  if (path === undefined) {
    const bounds = `at most ${MAX_PATH_DEPTH} keys and ${MAX_PATH_LENGTH} characters`;
    faults.push(valueFault(param, `a field path such as 'name' or 'settings.theme' of ${bounds}`, value));
  }
  return path;
}
