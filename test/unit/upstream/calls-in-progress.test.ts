import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../src/protocol/cancellation.js';
import { CallsInProgress } from '../../../src/upstream/connection.js';
import { anUpstream, behaviourServer, openPool, said, textOf } from './opened-pool.js';

describe('calls in progress', () => {
  it('admits up to the limit and hands places on in order', async () => {
    const limit = new CallsInProgress(1);
    expect([limit.tryEnter(), limit.tryEnter()]).toEqual([true, false]);
    const order: string[] = [];
    const first = limit.enter(60_000, new Cancellation()).then(() => order.push('first'));
    const second = limit.enter(60_000, new Cancellation()).then(() => order.push('second'));
    limit.leave();
    await first;
    expect(limit.tryEnter()).toBe(false);
    limit.leave();
    await second;
    expect(order).toEqual(['first', 'second']);
    limit.leave();
    expect(limit.tryEnter()).toBe(true);
  });

  it('lets go of those who are cancelled or out of time, without losing a place', async () => {
    const limit = new CallsInProgress(1);
    limit.tryEnter();
    const cancellation = new Cancellation();
    const cancelled = limit.enter(60_000, cancellation);
    cancellation.cancel('gone');
    await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(limit.enter(1, new Cancellation())).rejects.toMatchObject({ kind: 'timeout', undelivered: true });
    limit.leave();
    expect(limit.tryEnter()).toBe(true);
  });
});

describe('an upstream with a limit', () => {
  it('never has more calls in flight than that', async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { maxConcurrency: 2 }));
    const held = ['a', 'b', 'c'].map((key) => opened.call('hold', { key }, { retryable: false }));
    await opened.observed(said('holding b'));
    await expect(opened.call('echo', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      details: { reason: 'timeout', outcome: 'not_run' },
    });
    expect(opened.observations.some(said('holding c'))).toBe(false);
    const stopped = Promise.allSettled(held);
    await opened.pool.close();
    expect((await stopped).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it("uses the upstream's own time-out where a call brings none", async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { timeoutMs: 300 }));
    await opened.settled;
    await expect(opened.call('hold', { key: 'x' })).rejects.toMatchObject({ details: { reason: 'timeout' } });
    expect(textOf(await opened.call('cancelled', {}, { timeoutMs: 30_000 }))).toBe('["x"]');
  });
});
