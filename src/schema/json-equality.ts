import { canonicalJson } from '../lib/canonical-json.js';
import { isJsonObject } from '../protocol/json.js';

/** A text that equal JSON values share and no others: 1 and 1.0 are equal, and so are members in another order. */
export function identityOf(value: unknown): string {
  // `JSON.stringify` writes -0 as 0.
  return typeof value === 'object' ? canonicalJson(value) : (JSON.stringify(value) ?? '');
}

/** Whether two JSON values are equal; ends at the first difference. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}
