import { isJsonObject } from '../protocol/json.js';

/** Integers of 64 bits end here; what is bigger is a measurement and good as it is. */
const MAX_ID = 2 ** 64;

/**
 * Where a value holds an integer that was rounded when it was read (an id of 64 bits), outside of what a change replaces:
 * written back it would be another number. Undefined where there is none.
 */
export function findInexactNumber(value: unknown, change: unknown, path: string): string | undefined {
  if (typeof value === 'number') return isRounded(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const isChanged = isJsonObject(change) && Object.hasOwn(change, name);
    const next = isChanged ? change[name] : undefined;
    if (isChanged && !isJsonObject(next)) continue;
    const found = findInexactNumber(member, next, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRounded(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < MAX_ID;
}
