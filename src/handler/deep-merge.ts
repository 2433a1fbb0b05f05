import { isJsonObject } from '../protocol/json.js';

/**
 * A value with a change laid over it (specification, section 4.5.1; the same as RFC 7396): members of objects one by one, null
 * removes a member, and everything else, lists included, replaces what was there.
 */
export function deepMerge(current: unknown, change: unknown): unknown {
  if (!isJsonObject(change)) return change;
  const base = isJsonObject(current) ? current : {};
  const names = new Set([...Object.keys(base), ...Object.keys(change)]);
  const members = [...names].flatMap((name): readonly [string, unknown][] => {
    const there = Object.hasOwn(base, name) ? base[name] : undefined;
    if (!Object.hasOwn(change, name)) return [[name, there]];
    return change[name] === null ? [] : [[name, deepMerge(there, change[name])]];
  });
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return Object.fromEntries(members);
}
