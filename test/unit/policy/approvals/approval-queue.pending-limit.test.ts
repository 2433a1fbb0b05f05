import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../../src/protocol/operation-error.js';
import { type ApprovalBench, createApprovalBench, fromSession, LIFETIME, OPERATOR, START } from './approval-bench.js';

/** Files so many requests at once; the ids of those that were taken, and the refusals. */
async function file(bench: ApprovalBench, count: number, session = 'session-1') {
  const requests = Array.from({ length: count }, () => bench.queue.request(fromSession(session)));
  const outcomes = await Promise.allSettled(requests);
  return {
    ids: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.id] : [])),
    refusals: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}

describe('the limit of requests that wait', () => {
  it('is 100 of a session', async () => {
    const bench = createApprovalBench();
    bench.time += 10_000;
    const { ids, refusals } = await file(bench, 120);
    expect(ids).toHaveLength(100);
    expect(refusals).toHaveLength(20);
    expect(refusals[0]).toBeInstanceOf(OperationError);
    expect(refusals[0]).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message:
        'Limit of 100 undecided requests reached: as many of this session wait for an operator. ' +
        'Have some decided, or try again in 890 seconds',
      details: { limit: 100, remaining: 0, resets_at: '2026-03-01T12:15:00.000Z', retry_after_seconds: 890 },
    });
    expect(bench.notified).toHaveLength(100);
    expect((await file(bench, 1, 'session-2')).ids).toHaveLength(1);
  });

  it('frees a place with each decision, and one alone', async () => {
    const bench = createApprovalBench();
    const { ids } = await file(bench, 100);
    const [first = '', second = ''] = ids;
    await bench.queue.decide(first, 'denied', OPERATOR);
    await bench.queue.decide(first, 'denied', OPERATOR);
    await bench.queue.decide(second, 'approved', OPERATOR);
    expect((await file(bench, 5)).ids).toHaveLength(2);
  });

  it('frees them all with the end of the session', async () => {
    const bench = createApprovalBench();
    await file(bench, 100);
    await bench.queue.endSession('session-1');
    expect((await file(bench, 120)).ids).toHaveLength(100);
  });

  it('holds over the edge of a window, and ends with what it counts', async () => {
    const bench = createApprovalBench();
    bench.time = START + LIFETIME * 1_000 - 1;
    const { ids } = await file(bench, 60);
    bench.time += 1;
    expect((await file(bench, 60)).ids).toHaveLength(40);
    await bench.queue.decide(ids[0]!, 'denied', OPERATOR);
    expect((await file(bench, 60)).ids).toHaveLength(1);
    bench.time = START + 2 * LIFETIME * 1_000;
    expect((await file(bench, 100)).ids).toHaveLength(59);
    bench.time = START + 4 * LIFETIME * 1_000;
    expect((await file(bench, 120)).ids).toHaveLength(100);
  });

  it('is 10,000 of all', async () => {
    const bench = createApprovalBench();
    for (let session = 0; session < 100; session += 1) await file(bench, 100, `session-${session}`);
    // More often than a session may ask: what is refused takes no place.
    for (let attempt = 0; attempt < 110; attempt += 1) {
      const { refusals } = await file(bench, 1, 'one more');
      expect(refusals).toMatchObject([{ message: expect.stringContaining('Limit of 10000 undecided requests') }]);
    }
    const [pending] = await bench.queue.list('pending');
    await bench.queue.decide(pending!.id, 'denied', OPERATOR);
    expect((await file(bench, 2, 'one more')).ids).toHaveLength(1);
  });
});
