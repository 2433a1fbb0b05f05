import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HandlerOutcome, OperationHandler } from '../../../../src/base/protocol/call.js';
import { createRecordBench, resultOf } from './record-bench.js';

const MEMBERS = ['priority', 'owner', 'color', 'size'] as const;

/** Each call reaches the server, and its answer the caller, when the scheduler says so. */
const unordered =
  (scheduler: fc.Scheduler) =>
  (inner: OperationHandler): OperationHandler =>
  async (call): Promise<HandlerOutcome> => {
    await scheduler.schedule(Promise.resolve(), `to ${call.operation.tool}`);
    const outcome = await inner(call);
    await scheduler.schedule(Promise.resolve(), `from ${call.operation.tool}`);
    return outcome;
  };

it('no update of a member is lost, however many come at the same time in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.record({ member: fc.constantFrom(...MEMBERS), value: fc.nat(9).map(String) }), {
        minLength: 2,
        maxLength: 6,
      }),
      async (scheduler, changes) => {
        const { server, update } = createRecordBench({ wrap: unordered(scheduler) });
        const outcomes = changes.map(({ member, value }) => update({ settings: { [member]: value } }));
        await scheduler.waitFor(Promise.all(outcomes));
        for (const outcome of outcomes) expect(resultOf(await outcome).isError).toBeUndefined();
        // They are written in the order in which they came.
        const expected = Object.fromEntries(changes.map(({ member, value }) => [member, value]));
        expect(server.records.get('r1')?.['settings']).toMatchObject(expected);
      },
    ),
    { numRuns: 50 },
  );
});
