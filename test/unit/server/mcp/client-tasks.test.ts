import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ClientTasks } from '../../../../src/server/mcp/client-tasks.js';
import type { ResumableCall } from '../../../../src/server/mcp/resumable-call.js';

/** A call of a session that goes on until it is ended. */
function callOf(sessionId: string) {
  const ends: string[] = [];
  const call = {
    caller: { sessionId, clientName: 'test', transport: 'http' },
    questions: new Map(),
    ended: undefined,
    changed: () => new Promise<void>(() => undefined),
    end: (reason: string) => void ends.push(reason),
  };
  return { call: call as unknown as ResumableCall, ends };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a session has so many tasks at most, and all sessions together', () => {
  const tasks = new ClientTasks({ perSession: 2, all: 3 });
  const added = ['a', 'a', 'a', 'b', 'b'].map((session) => tasks.add(callOf(session).call) !== undefined);
  expect(added).toEqual([true, true, false, true, false]);
  tasks.endSession('a');
  expect(tasks.size).toBe(1);
  expect(tasks.add(callOf('b').call)).toBeDefined();
});

it.each([
  ['what the client wants', 5_000, 5_000],
  ['a second at least', 1, 1_000],
  ['an hour at most', 7_200_000, 3_600_000],
  ['an hour where the client wants nothing', undefined, 3_600_000],
])('a task is kept for %s, and its call ends with it', (_name, wanted, kept) => {
  const tasks = new ClientTasks();
  const { call, ends } = callOf('a');
  const task = tasks.add(call, wanted);
  expect(task?.ttlMs).toBe(kept);
  vi.advanceTimersByTime(kept - 1);
  expect([tasks.size, ends]).toEqual([1, []]);
  vi.advanceTimersByTime(1);
  expect([tasks.size, ends]).toEqual([0, ['the task was kept as long as it may be']]);
});

it('a task is found by its own session alone', () => {
  const tasks = new ClientTasks();
  const { call } = callOf('a');
  const task = tasks.add(call);
  expect(tasks.find(task?.id, call.caller)).toBe(task);
  expect(tasks.find(task?.id, callOf('b').call.caller)).toBeUndefined();
});
