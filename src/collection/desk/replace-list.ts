import { isJsonObject } from '../../protocol/json.js';
import type { FieldPath } from '../collection-query.js';

/** The answer with other items at a path, everything else as it was. */
export function replaceList(data: unknown, path: FieldPath, items: readonly unknown[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return items;
  if (!isJsonObject(data)) return data;
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return Object.fromEntries(
    Object.entries(data).map(([name, member]) => [name, name === key ? replaceList(member, rest, items) : member]),
  );
}

/** What stands beside a list in its answer, if it is little: totals, cursors of the upstream's. */
export function besideList(
  data: unknown,
  path: FieldPath,
  maxLength: number,
): { readonly beside: object; readonly omitted: readonly string[] } {
  const [key] = path;
  if (key === undefined || !isJsonObject(data)) return { beside: {}, omitted: [] };
  const siblings = Object.entries(data).filter(([name]) => name !== key);
  const small = siblings.filter(([, value]) => (JSON.stringify(value) ?? '').length <= maxLength);
  const omitted = siblings
    .filter(([, value]) => (JSON.stringify(value) ?? '').length > maxLength)
    .map(([name]) => name);
  return { beside: small.length === 0 ? {} : { rest: Object.fromEntries(small) }, omitted };
}
