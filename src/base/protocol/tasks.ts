/** What something that goes on without a request that waits for it is doing, in MCP's words. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The member of `_meta` that says which task a message belongs to (2025-11-25). */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

const ENDS: ReadonlySet<unknown> = new Set<TaskStatus>(['completed', 'failed', 'cancelled']);

/** Whether it has ended: such a status never changes again. */
export function isTerminal(status: unknown): boolean {
  return ENDS.has(status);
}

/** The extension of 2026-07-28 by which servers answer calls with tasks. Up to 2025-11-25 tasks are a capability. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
