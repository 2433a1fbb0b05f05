import { exactTextOf, withExactText, writeExactMembers } from './exact-result.js';
import { isJsonObject, type JsonObject } from './json.js';
import { OWN_META_PREFIX } from './result.js';

/** A server's result without the members of its `_meta` that only the gateway gives: no server may forge them. */
export function withoutForgedMeta(result: JsonObject): JsonObject {
  return withoutMeta(result, (name) => name.startsWith(OWN_META_PREFIX));
}

/** A result without some members of its `_meta`: the same one where there are none. Numbers keep their digits. */
export function withoutMeta(result: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  const { _meta: meta } = result;
  if (!isJsonObject(meta)) return result;
  const names = Object.keys(meta).filter(isLeftOut);
  if (names.length === 0) return result;
  const others = { ...meta };
  for (const name of names) delete others[name];
  const { _meta: _all, ...rest } = result;
  if (Object.keys(others).length === 0) return rest;
  const changed = { ...rest, _meta: others };
  if (exactTextOf(result, '_meta') === undefined) return changed;
  return withExactText(changed, '_meta', `{${writeExactMembers(others)}}`);
}
