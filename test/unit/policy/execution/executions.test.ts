import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Caller } from '../../../../src/base/protocol/caller.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import {
  describeExecution,
  EXECUTION_STATUSES,
  type Execution,
  type ExecutionStatus,
  isEnded,
  readUpdate,
  requireTransition,
} from '../../../../src/policy/execution/execution.js';
import { Executions } from '../../../../src/policy/execution/executions.js';
import { SharedExecutions } from '../../../../src/policy/execution/shared-executions.js';
import { MemoryStore } from '../../../../src/store/memory-store.js';

const BOUNDS = { perOwner: 4, all: 6, keptMs: 60_000 };

function open(store?: MemoryStore, now = Date.now): Executions {
  const onStoreFault = (cause: unknown): never => {
    throw cause;
  };
  const storeWorksForMs = (): number => Number.POSITIVE_INFINITY;
  const shared = store && new SharedExecutions({ store, storeWorksForMs, keptMs: BOUNDS.keptMs, onStoreFault, now });
  return new Executions({ bounds: BOUNDS, shared, ownerOf: ({ client, sessionId }) => client ?? sessionId, now });
}

const caller = (sessionId: string, client?: string): Caller => ({
  sessionId,
  clientName: 'test',
  transport: 'http',
  peer: sessionId,
  ...(client === undefined ? {} : { client }),
});

const CALL = { kind: 'call', subject: 'shop__export' } as const;

/** Specification 8.4.2, word for word. */
const SPECIFIED = new Set([
  'pending running',
  'pending cancelled',
  'running completed',
  'running failed',
  'running cancelled',
  'failed running',
]);

describe('executions', () => {
  it('change by the specified transitions alone, and leave an end only where a failed one may run again', () => {
    const step = fc.constantFrom<ExecutionStatus | 'cancel' | 'report' | 'endSession'>(
      ...EXECUTION_STATUSES,
      'cancel',
      'report',
      'endSession',
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 12 }), (supportsRetry, steps) => {
        const executions = open();
        const seen: Execution[] = [
          executions.begin(caller('s'), { ...CALL, work: supportsRetry ? { retry: () => undefined } : {} }),
        ];
        executions.onChanged((execution) => seen.push(execution));
        const [{ id }] = seen as [Execution];
        for (const each of steps) {
          try {
            if (each === 'cancel') executions.cancel(id, 'test');
            else if (each === 'report') executions.report(id, readUpdate({ progress: 1 }));
            else if (each === 'endSession') executions.endSession('s');
            else if (each === 'running' && seen.at(-1)?.status === 'failed') executions.retry(id);
            else executions.advance(id, each);
          } catch (error) {
            expect(error).toBeInstanceOf(OperationError);
            expect(error).toMatchObject({ code: 'CONFLICT_INVALID_STATE', details: { execution_id: id } });
          }
        }
        for (const [index, { status }] of seen.slice(1).entries()) {
          const before = seen[index]?.status ?? 'pending';
          if (before === status) expect(isEnded(status)).toBe(false);
          else expect(SPECIFIED).toContain(`${before} ${status}`);
          if (before === 'failed') expect(supportsRetry).toBe(true);
        }
      }),
    );
  });

  it('name the states from which the asked one could be taken', () => {
    const executions = open();
    const { id } = executions.begin(caller('s'), CALL);
    executions.cancel(id, 'test');

    expect(() => executions.advance(id, 'running')).toThrow(
      expect.objectContaining({ details: { execution_id: id, status: 'cancelled', allowed_from: ['pending'] } }),
    );
  });

  it('are found by their owner alone, in all sessions of a client', async () => {
    const executions = open();
    const { id } = executions.begin(caller('one', 'anna'), CALL);

    expect((await executions.get(id, caller('two', 'anna'))).id).toBe(id);
    expect(await executions.list(caller('one', 'bert'))).toEqual([]);
    await expect(executions.get(id, caller('one', 'bert'))).rejects.toMatchObject({
      code: 'NOT_FOUND_RESOURCE',
      details: { resource_type: 'execution', resource_id: id },
    });
  });

  it('end with the session that began them, and their work with them, once', () => {
    const executions = open();
    const ended: string[] = [];
    const { id } = executions.begin(caller('s'), { ...CALL, work: { cancel: (reason) => ended.push(reason) } });
    executions.advance(id, 'running');
    executions.endSession('other');
    expect(executions.active('s')).toHaveLength(1);

    executions.endSession('s');
    executions.endSession('s');

    expect(ended).toEqual(['Cancelled: the session has ended']);
    expect(executions.all()[0]).toMatchObject({ status: 'cancelled' });
  });

  it('are kept after their end, also for the next process, which cannot run them again', async () => {
    const store = new MemoryStore(Date.now);
    const before = open(store);
    const failed = before.begin(caller('s', 'anna'), { ...CALL, work: { retry: () => undefined } });
    before.advance(failed.id, 'running');
    before.advance(failed.id, 'failed', { error: { code: 'INTERNAL_ERROR', message: 'no' } });
    const running = before.begin(caller('s', 'anna'), CALL);
    before.advance(running.id, 'running');
    await before.close();

    const after = open(store);
    await after.open();

    const states = (await after.list(caller('t', 'anna'))).map(describeExecution);
    expect(states).toContainEqual(describeExecution(await before.get(failed.id, caller('s', 'anna'))));
    expect(states).toContainEqual(expect.objectContaining({ execution_id: running.id, status: 'cancelled' }));
    const known = await after.get(failed.id, caller('t', 'anna'));
    expect(() => requireTransition(known, 'running')).toThrow('cannot be run again');
  });

  it('of another gateway are seen and cancelled there, and end with their session wherever it ends', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = new MemoryStore(Date.now);
    const [here, there] = [open(store), open(store)];
    await Promise.all([here.open(), there.open()]);
    const cancelled: string[] = [];
    const begin = (name: string): string => {
      const { id } = here.begin(caller('s', 'anna'), { ...CALL, work: { cancel: () => cancelled.push(name) } });
      here.advance(id, 'running');
      return id;
    };
    const [one, two] = [begin('one'), begin('two')];
    await here.written(two);
    here.report(one, { message: 'half' });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await there.get(one, caller('t', 'anna'))).toMatchObject({
      status: 'running',
      progress: { message: 'half' },
    });
    expect(await there.list(caller('t', 'anna'))).toHaveLength(2);

    const cancelling = there.cancelAnywhere(one, 'test');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await cancelling).toMatchObject({ status: 'cancelled' });
    await expect(there.cancelAnywhere(one, 'test')).rejects.toMatchObject({ code: 'CONFLICT_INVALID_STATE' });
    there.endSessionElsewhere('s');
    await vi.advanceTimersByTimeAsync(2_000);

    expect(cancelled).toEqual(['one', 'two']);
    expect(await there.get(two, caller('t', 'anna'))).toMatchObject({ status: 'cancelled' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('of a gateway that is gone get an end, once: what ran has failed, and what was pending was never begun', async () => {
    const store = new MemoryStore(Date.now);
    const [before, after] = [open(store), open(store)];
    const running = before.begin(caller('s', 'anna'), CALL).id;
    before.advance(running, 'running');
    const pending = before.begin(caller('s', 'anna'), CALL).id;
    await Promise.all([before.written(running), before.written(pending)]);
    for (const id of [running, pending]) {
      const { version = 0, value = {} } = (await store.get('running_execution', id)) ?? {};
      const [machine] = String(value['holder']).split(' ');
      // A process that has been killed: numbers of processes do not go so far.
      await store.replace('running_execution', id, version, { ...value, holder: `${machine} 99999999 x` });
    }
    const ends: Execution[] = [];
    after.onChanged((execution) => ends.push(execution));

    await after.open();
    await after.everywhere();

    expect(ends).toHaveLength(2);
    expect(ends).toContainEqual(expect.objectContaining({ id: running, status: 'failed' }));
    expect(ends).toContainEqual(expect.objectContaining({ id: pending, status: 'cancelled' }));
    expect((await after.get(running, caller('t', 'anna'))).error?.message).toContain('Its gateway ended before it');
    await before.close();
  });

  it('that have ended make room for new ones, and those that run do not', () => {
    const executions = open();
    const ids = Array.from({ length: BOUNDS.perOwner }, () => executions.begin(caller('s'), CALL).id);
    expect(() => executions.begin(caller('s'), CALL)).toThrow(
      expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', details: expect.objectContaining({ remaining: 0 }) }),
    );
    executions.begin(caller('t'), CALL);
    executions.begin(caller('u'), CALL);
    expect(() => executions.begin(caller('v'), CALL)).toThrow('Too many executions');

    executions.cancel(ids[1] ?? '', 'test');
    executions.begin(caller('v'), CALL);

    expect(executions.all()).toHaveLength(BOUNDS.all);
    expect(executions.all().map(({ id }) => id)).not.toContain(ids[1]);
  });

  it('are bounded for an address, whose sessions neither keep another from beginning nor drop what it has', () => {
    const executions = open();
    const kept = executions.begin(caller('other'), CALL).id;
    executions.cancel(kept, 'test');
    const flood = (session: string) => executions.begin({ ...caller(session), peer: 'flood' }, CALL).id;
    const ended = flood('1');
    executions.cancel(ended, 'test');
    for (const session of ['2', '3', '4', '5']) flood(session);

    expect(() => flood('6')).toThrow('Too many executions');
    executions.begin(caller('third'), CALL);
    expect(executions.all().map(({ id }) => id)).toContain(kept);
    expect(executions.all().map(({ id }) => id)).not.toContain(ended);
  });

  it('make room in the largest share that has an end, where a larger one has none', () => {
    const executions = open();
    const [, ended] = [executions.begin(caller('a'), CALL).id, executions.begin(caller('b'), CALL).id];
    executions.cancel(ended, 'test');
    // The largest share runs, so that nothing of it can make room.
    while (executions.all().length < BOUNDS.all) executions.begin(caller('c'), CALL);
    executions.begin(caller('d'), CALL);
    expect(executions.all().map(({ id }) => id)).not.toContain(ended);
  });

  it('are dropped when they were kept as long as configured', () => {
    let now = 0;
    const executions = open(undefined, () => now);
    executions.cancel(executions.begin(caller('s'), CALL).id, 'test');
    now = BOUNDS.keptMs;

    expect(executions.all()).toEqual([]);
  });
});

it.each([
  [
    { progress: 1, total: 3 },
    { percentage: 33, current: 1, total: 3 },
  ],
  [
    { progress: 9, total: 3, message: 'almost' },
    { percentage: 100, current: 9, total: 3, message: 'almost' },
  ],
  [{ progress: 2 }, { message: 'Step 2' }],
  [{ progress: 2, total: 0, message: 'reading' }, { message: 'reading' }],
])('progress %j of an upstream is %j', (update, progress) => {
  expect(readUpdate(update)).toEqual(progress);
});
