import { carryExactNumbers } from './exact-result.js';
import { isJsonObject } from './json.js';

/** What is nested more deeply stays as it is. */
const DEEPEST = 64;

/**
 * A JSON value without members that are null, at every level: servers in languages without `undefined` write null for what is absent,
 * and no member that MCP defines may be null. Items of lists stay. The same value where there are none.
 */
export function withoutNulls<T>(value: T): T {
  return strip(value, DEEPEST) as T;
}

function strip(value: unknown, levels: number): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => strip(item, levels - 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const before = Object.entries(value);
  const after = before.flatMap(([name, member]) =>
    member === null ? [] : [[name, strip(member, levels - 1)] as const],
  );
  const isSame = after.length === before.length && after.every(([, member], index) => member === before[index]?.[1]);
  return isSame ? value : carryExactNumbers(value, Object.fromEntries(after), (text) => text);
}
