import { keepTextsOf } from './exact-result.js';
import { isJsonObject } from './json.js';

/** What is nested more deeply stays as it is. */
const DEEPEST = 64;

/**
 * A JSON value without members that are null, at every level: servers in languages without `undefined` write null for what is absent,
 * and no member that MCP defines may be null. Items of lists stay. The same value where there are none.
 *
 * @param exact members that hold values of somebody else's, in which null means something: they stay as they are
 */
export function withoutNulls<T>(value: T, exact: ReadonlySet<string> = NONE): T {
  return strip(value, exact, DEEPEST) as T;
}

const NONE: ReadonlySet<string> = new Set();

function strip(value: unknown, exact: ReadonlySet<string>, levels: number): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => strip(item, exact, levels - 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const before = Object.entries(value);
  const after = before.flatMap(([name, member]) =>
    exact.has(name)
      ? [[name, member] as const]
      : member === null
        ? []
        : [[name, strip(member, exact, levels - 1)] as const],
  );
  const isSame = after.length === before.length && after.every(([, member], index) => member === before[index]?.[1]);
  return isSame ? value : keepTextsOf(value, Object.fromEntries(after));
}
