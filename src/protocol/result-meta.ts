import { exactTextOf, withExactText, writeExactMembers } from './exact-result.js';
import { isJsonObject, type JsonObject } from './json.js';
import { OWN_META_PREFIX } from './result.js';
import { RELATED_TASK } from './task.js';

/** What MCP says in `_meta` of who answers and of the task that is answered: to its clients the gateway is the server, with tasks of its own. */
const OF_THE_SERVER: ReadonlySet<string> = new Set(['io.modelcontextprotocol/serverInfo', RELATED_TASK]);

/**
 * A server's result without the members of its `_meta` that only the gateway gives: no server may forge them. The same result where
 * there are none. Numbers keep their digits.
 */
export function withoutForgedMeta(result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  if (!isJsonObject(meta)) return result;
  const names = Object.keys(meta).filter((name) => name.startsWith(OWN_META_PREFIX) || OF_THE_SERVER.has(name));
  if (names.length === 0) return result;
  const others = { ...meta };
  for (const name of names) delete others[name];
  const { _meta: _all, ...rest } = result;
  if (Object.keys(others).length === 0) return rest;
  const changed = { ...rest, _meta: others };
  if (exactTextOf(result, '_meta') === undefined) return changed;
  return withExactText(changed, '_meta', `{${writeExactMembers(others)}}`);
}
