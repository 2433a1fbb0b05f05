import { isJsonObject } from '../json.js';

/** Elements that one look at a list may cost. */
export const MAX_ELEMENTS = 10_000;

/**
 * The value at a path of own members. Through a list the path means each of its elements: then it is one list of all values
 * that are there and not null. Null where there is nothing, and where more elements stand on the way than are looked at.
 */
export function readField(item: unknown, path: readonly string[]): unknown {
  let value = item;
  for (const [step, key] of path.entries()) {
    if (Array.isArray(value)) return readEach(value, path.slice(step));
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return null;
    value = value[key];
  }
  return value ?? null;
}

/** Level by level, so that no nesting of the data can exhaust the stack. */
function readEach(list: readonly unknown[], path: readonly string[]): readonly unknown[] | null {
  let values = list;
  for (const key of path) {
    if (values.length > MAX_ELEMENTS) return null;
    const found = values.map((value) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : null));
    if (countElements(found) > MAX_ELEMENTS) return null;
    values = found.flat().filter((value) => value !== null);
  }
  return values;
}

function countElements(values: readonly unknown[]): number {
  return values.reduce((sum: number, value) => sum + (Array.isArray(value) ? value.length : 1), 0);
}
