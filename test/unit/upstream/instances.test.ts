import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import { Instances } from '../../../src/upstream/instances.js';
import { waitFor } from '../../support/patience.js';

interface Opened {
  readonly number: number;
}

/** Instances over connections that are only numbers, with a clock of their own. */
function openInstances(bounds: { readonly max?: number; readonly idleSeconds?: number; readonly spare?: number }) {
  const clock = { now: 0 };
  const ended: number[] = [];
  const closing: (() => void)[] = [];
  let count = 0;
  const instances = new Instances<Opened>({
    bounds: { max: 2, idleSeconds: 0, spare: 0, ...bounds },
    open: () => {
      count += 1;
      return { number: count };
    },
    close: () => new Promise((resolve) => closing.push(resolve)),
    onEnd: ({ number }) => void ended.push(number),
    now: () => clock.now,
  });
  const enter = (owner: string, cancellation = new Cancellation()) =>
    instances.enter(owner, { cancellation, timeoutMs: 10_000 });
  const use = async (owner: string): Promise<number> => {
    const instance = await enter(owner);
    instances.leave(instance);
    return instance.connection.number;
  };
  const finishClosing = (): void => {
    for (const finish of closing.splice(0)) finish();
  };
  return { instances, enter, use, ended, clock, finishClosing, opened: () => count };
}

describe('the connections of an isolated upstream', () => {
  it('belong to one owner each, who finds the same one again', async () => {
    const { use } = openInstances({});
    expect([await use('a'), await use('b'), await use('a')]).toEqual([1, 2, 1]);
  });

  it('are one for the calls that an owner makes at the same time', async () => {
    const { use, opened } = openInstances({});
    expect(await Promise.all([use('a'), use('a'), use('a')])).toEqual([1, 1, 1]);
    expect(opened()).toBe(1);
  });

  it('are no more than their bound: one more owner is refused, and hears when it can come', async () => {
    const { use, clock } = openInstances({});
    await use('a');
    await use('b');
    clock.now = 20_000;
    await expect(use('c')).rejects.toMatchObject({
      kind: 'full',
      maxInstances: 2,
      freeMs: 60_000,
      retryAfterMs: 40_000,
    });
  });

  it('end for another owner when they were unused for a minute, the longest unused first, and never with a call in flight', async () => {
    const { instances, enter, use, clock, ended, finishClosing } = openInstances({});
    const busy = await enter('a');
    await use('b');
    clock.now = 60_000;
    const third = use('c');
    await waitFor(() => expect(ended).toEqual([2]));
    finishClosing();
    expect(await third).toBe(3);
    clock.now = 120_000;
    const held = await enter('c');
    await expect(use('b')).rejects.toMatchObject({ kind: 'full' });
    instances.leave(busy);
    instances.leave(held);
  });

  it('are counted until nothing is left of them', async () => {
    const { instances, use, finishClosing, opened } = openInstances({});
    await use('a');
    await use('b');
    instances.end('a');
    const third = use('c');
    await Promise.resolve();
    expect(opened()).toBe(2);
    finishClosing();
    expect(await third).toBe(3);
  });

  it('are not begun for a call that was cancelled while it waited', async () => {
    const { instances, use, enter, opened } = openInstances({ max: 1 });
    await use('a');
    instances.end('a');
    const cancellation = new Cancellation();
    const waiting = enter('b', cancellation);
    cancellation.cancel('the session has ended');
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(enter('b', cancellation)).rejects.toMatchObject({ kind: 'cancelled' });
    expect(opened()).toBe(1);
  });

  it('are taken over from those that wait ready, which are replaced', async () => {
    const { instances, use, opened } = openInstances({ max: 4, spare: 1 });
    instances.adopt({ number: 0 });
    expect(opened()).toBe(0);
    expect(await use('a')).toBe(0);
    expect(opened()).toBe(1);
    expect(await use('b')).toBe(1);
    expect(instances.running()).toHaveLength(3);
  });

  it('are given to no second owner when the first has ended', async () => {
    const { instances, use, finishClosing } = openInstances({});
    expect(await use('a')).toBe(1);
    instances.end('a');
    finishClosing();
    expect([await use('b'), await use('a')]).toEqual([2, 3]);
  });
});
