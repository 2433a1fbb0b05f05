import { describe, expect, it } from 'vitest';
import { PacedQueue, Turns } from '../../../../src/base/turns/turns.js';

/** A queue of numbers whose turns have room for ten, and whose event loop is a list: each step is one turn. */
function aQueue(handle: (item: number) => unknown) {
  const scheduled: (() => void)[] = [];
  const shared = new Turns({ perTurn: 10, schedule: (work) => scheduled.push(work), now: () => 0 });
  const events: string[] = [];
  const faults: unknown[] = [];
  const queue = new PacedQueue<number>({
    handle,
    costOf: () => 1,
    lane: 'a',
    source: { pause: () => events.push('pause'), resume: () => events.push('resume') },
    onFault: (fault) => faults.push(fault),
    shared,
  });
  const step = async (): Promise<void> => {
    scheduled.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, step, events, faults };
}

const NUMBERS = Array.from({ length: 25 }, (_, index) => index);

describe('a paced queue', () => {
  it('handles at once what the turn has room for, and the rest in later turns, while its source waits', async () => {
    const handled: number[] = [];
    const { queue, step, events } = aQueue((item) => void handled.push(item));
    for (const item of NUMBERS) queue.push(item);
    expect(handled).toEqual(NUMBERS.slice(0, 10));
    expect(events).toEqual(['pause']);
    await step();
    expect(handled).toEqual(NUMBERS.slice(0, 20));
    expect(events).toEqual(['pause']);
    await step();
    expect(handled).toEqual(NUMBERS);
    expect(events).toEqual(['pause', 'resume']);
    expect(queue.empty()).toBeUndefined();
  });

  it('takes no more of what gives many than the turn has room for', async () => {
    const handled: number[] = [];
    let given = 0;
    function* giveMany(): Generator<number> {
      for (; given < 25; given += 1) yield given;
    }
    const { queue, step, events } = aQueue((item) => void handled.push(item));
    queue.pushAll(giveMany());
    queue.push(25);
    expect(handled).toEqual(NUMBERS.slice(0, 10));
    expect(given).toBeLessThanOrEqual(10);
    await step();
    await step();
    expect(handled).toEqual([...NUMBERS, 25]);
    expect(events).toEqual(['pause', 'resume']);
  });

  it('waits for what takes longer before it handles the next, and says when it is empty', async () => {
    const handled: number[] = [];
    let end = (): void => undefined;
    const { queue, step } = aQueue((item) => {
      handled.push(item);
      if (item !== 0) return undefined;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    queue.push(0);
    queue.push(1);
    const empty = queue.empty();
    await step();
    expect(handled).toEqual([0]);
    end();
    await empty;
    expect(handled).toEqual([0, 1]);
  });

  it('counts work beside it, handles what follows a fault, and forgets what is cleared', async () => {
    const handled: number[] = [];
    const { queue, step, events, faults } = aQueue((item) => {
      if (item === 1) throw new Error('one');
      handled.push(item);
    });
    queue.push(1);
    queue.push(2);
    expect(faults).toEqual([new Error('one')]);
    queue.spend(10);
    expect(events).toEqual(['pause']);
    queue.push(3);
    queue.clear();
    await step();
    expect(handled).toEqual([2]);
    expect(events).toEqual(['pause', 'resume']);
  });
});
