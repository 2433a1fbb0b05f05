import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/base/protocol/caller.js';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import type { Wait } from '../../../src/upstream/calls-in-progress.js';
import { CallsInProgress } from '../../../src/upstream/calls-in-progress.js';
import { A_CALLER, anUpstream, behaviourServer, openPool, said, textOf } from './opened-pool.js';

/** A wait of a session: of a client, or of whoever connects from an address. */
function waitOf(session: string, who: Partial<Caller> = {}, cancellation = new Cancellation()) {
  return { caller: { ...A_CALLER, sessionId: session, ...who }, timeoutMs: 60_000, cancellation };
}

describe('calls in progress', () => {
  it('admits up to the limit and hands places on in order', async () => {
    const limit = new CallsInProgress(1);
    expect([limit.tryEnter(), limit.tryEnter()]).toEqual([true, false]);
    const order: string[] = [];
    const first = limit.enter(waitOf('s')).then(() => order.push('first'));
    const second = limit.enter(waitOf('s')).then(() => order.push('second'));
    expect(limit.stats()).toEqual({ inFlight: 1, waiting: 2 });
    limit.leave();
    await first;
    expect(limit.tryEnter()).toBe(false);
    limit.leave();
    await second;
    expect(order).toEqual(['first', 'second']);
    limit.leave();
    expect(limit.tryEnter()).toBe(true);
  });

  it('gives each client its turn, however many calls another one has waiting in however many sessions', async () => {
    const limit = new CallsInProgress(1);
    limit.tryEnter();
    const order: string[] = [];
    const enter = (name: string, wait: Wait): void => void limit.enter(wait).then(() => order.push(name));
    for (let call = 0; call < 200; call += 1) enter('flood', waitOf(`flood-${call % 50}`, { peer: '192.0.2.1' }));
    enter('user', waitOf('u1', { user: 'corp:ann', peer: '192.0.2.1' }));
    enter('user again', waitOf('u2', { user: 'corp:ann' }));
    enter('other address', waitOf('o', { peer: '192.0.2.2' }));
    for (let turn = 0; turn < 6; turn += 1) {
      limit.leave();
      await Promise.resolve();
    }
    expect(order).toEqual(['flood', 'user', 'other address', 'flood', 'user again', 'flood']);
    // Nobody waits on until it is refused, in the middle of another test.
    while (limit.stats().waiting > 0) limit.leave();
  });

  it('refuses the newest call of the client with most of them when as many wait as may', async () => {
    const limit = new CallsInProgress(1, { max: 3 });
    limit.tryEnter();
    const flood = [1, 2, 3].map(() => limit.enter(waitOf('flood', { client: 'flood' })));
    await expect(limit.enter(waitOf('flood', { client: 'flood' }))).rejects.toMatchObject({ kind: 'busy' });
    const other = limit.enter(waitOf('other', { client: 'other' }));
    await expect(flood[2]).rejects.toMatchObject({ kind: 'busy', maxWaiting: 3 });
    for (let turn = 0; turn < 3; turn += 1) limit.leave();
    await Promise.all([flood[0], flood[1], other]);
    expect(limit.stats()).toEqual({ inFlight: 1, waiting: 0 });
  });

  it('lets go of those who are cancelled or out of time, without losing a place', async () => {
    const limit = new CallsInProgress(1, { max: 10, waitMs: 1 });
    limit.tryEnter();
    const cancellation = new Cancellation();
    const cancelled = limit.enter(waitOf('s', {}, cancellation));
    cancellation.cancel('gone');
    await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(limit.enter(waitOf('s'))).rejects.toMatchObject({ kind: 'timeout', undelivered: true });
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

  it('refuses a call beyond those that wait, and says when to send it again', async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { maxConcurrency: 1, queue: { max: 0 } }));
    const held = opened.call('hold', { key: 'a' });
    await opened.observed(said('holding a'));
    expect(opened.pool.statuses()[0]).toMatchObject({ calls: { inFlight: 1, waiting: 0 } });
    await expect(opened.call('echo')).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { upstream: 'one', reason: 'queue_full', outcome: 'not_run', retry_after_seconds: 1 },
    });
    const stopped = Promise.allSettled([held]);
    await opened.pool.close();
    await stopped;
  });

  it('is degraded and refuses calls at once after as many in a row got no answer, until it is asked anew', async () => {
    const circuit = { failures: 2, openSeconds: 600 };
    await using opened = openPool(anUpstream(behaviourServer(), { circuit }));
    await opened.settled;
    for (const key of ['a', 'b']) {
      const held = opened.call('hold', { key }, { timeoutMs: 20 });
      await expect(held).rejects.toMatchObject({ details: { reason: 'timeout' } });
    }
    const [status] = opened.pool.statuses();
    expect(status).toMatchObject({ state: 'degraded', circuit: 'open', problem: expect.stringContaining('no answer') });
    expect(Date.parse(status?.until ?? '')).toBeGreaterThan(Date.now());
    const details = { reason: 'unavailable', outcome: 'not_run', retry_after_ms: expect.closeTo(600_000, -6) };
    await expect(opened.call('echo')).rejects.toMatchObject({ details });
    opened.pool.restart('one');
    await opened.until(() => opened.pool.statuses()[0]?.restarts === 1);
    expect(textOf(await opened.call('echo', { a: 1 }))).toBe('{"a":1}');
    expect(opened.pool.statuses()[0]).toMatchObject({ state: 'ready', circuit: 'closed' });
  });

  it("uses the upstream's own time-out where a call brings none", async () => {
    await using opened = openPool(anUpstream(behaviourServer(), { timeoutMs: 300 }));
    await opened.settled;
    await expect(opened.call('hold', { key: 'x' })).rejects.toMatchObject({ details: { reason: 'timeout' } });
    expect(textOf(await opened.call('cancelled', {}, { timeoutMs: 30_000 }))).toBe('["x"]');
  });
});
