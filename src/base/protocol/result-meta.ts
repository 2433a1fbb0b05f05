import { exactTextOf, withExactText, writeExactMembers } from '../json/exact-result.js';
import { isJsonObject, type JsonObject } from '../json/json.js';
import { OWN_META_PREFIX } from './result.js';

/** What something that goes on without a request that waits for it is doing, in MCP's words. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The member of `_meta` that says which task a message belongs to (2025-11-25). */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

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

const ENDS: ReadonlySet<unknown> = new Set<TaskStatus>(['completed', 'failed', 'cancelled']);

/** Whether it has ended: such a status never changes again. */
export function isTerminal(status: unknown): boolean {
  return ENDS.has(status);
}

/** The extension of 2026-07-28 by which servers answer calls with tasks. Up to 2025-11-25 tasks are a capability. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
