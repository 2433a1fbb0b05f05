import { describe, expect, it } from 'vitest';
import { PacedQueue, Turns } from '../../../../src/base/turns/turns.js';

/** Turns whose event loop is a list: each step is one turn. */
function aLoop(perTurn = 100) {
  const scheduled: (() => void)[] = [];
  let time = 0;
  const turns = new Turns({ perTurn, schedule: (work) => scheduled.push(work), now: () => time });
  const pass = (ms: number): void => {
    time += ms;
  };
  /** Runs one turn to its end; false where nothing was scheduled. */
  const step = async (): Promise<boolean> => {
    const work = scheduled.shift();
    work?.();
    await new Promise((resolve) => setImmediate(resolve));
    return work !== undefined;
  };
  return { turns, step, pass };
}

describe('the turns of the event loop', () => {
  it('have room until the work of one turn is done', () => {
    const { turns } = aLoop();
    turns.spend(99);
    expect(turns.enter('a')).toBeUndefined();
    turns.spend(1);
    expect(turns.enter('a')).toBeInstanceOf(Promise);
  });

  it('have room again in the next turn', async () => {
    const { turns, step } = aLoop();
    turns.spend(100);
    await step();
    expect(turns.enter('a')).toBeUndefined();
  });

  it('have no room after a time, whatever was counted in it', async () => {
    const { turns, step, pass } = aLoop();
    expect(turns.enter('a')).toBeUndefined();
    pass(9);
    expect(turns.enter('a')).toBeUndefined();
    pass(1);
    const waiting = turns.enter('a');
    expect(waiting).toBeInstanceOf(Promise);
    await step();
    await waiting;
    expect(turns.enter('a')).toBeUndefined();
    pass(10);
    expect(turns.enter('a')).toBeInstanceOf(Promise);
  });

  it('have no room for what begins beside others once these have taken a time that nobody counted', async () => {
    const { turns, step, pass } = aLoop();
    const ended: number[] = [];
    const work = async (index: number): Promise<void> => {
      await turns.enterAfterOthers('a');
      await Promise.resolve();
      pass(4);
      ended.push(index);
    };
    for (const index of [1, 2, 3, 4, 5]) void work(index);
    const after: number[] = [];
    while (await step()) after.push(ended.length);
    expect(ended).toEqual([1, 2, 3, 4, 5]);
    expect(after.slice(0, 2)).toEqual([3, 5]);
  });

  it('resume one that waits in each turn, lanes by turns', async () => {
    const { turns, step } = aLoop();
    const resumed: string[] = [];
    const wait = (lane: string, name: string) => turns.next(lane).then(() => resumed.push(name));
    for (const index of [1, 2, 3]) void wait('flood', `flood ${index}`);
    void wait('other', 'other');
    const after: number[] = [];
    while (await step()) after.push(resumed.length);
    expect(resumed).toEqual(['flood 1', 'other', 'flood 2', 'flood 3']);
    expect(after).toEqual([1, 2, 3, 4, 4]);
  });

  it('resume short calls one after another until the turn is full, and work that wants a turn of its own alone', async () => {
    const { turns, step } = aLoop();
    const resumed: string[] = [];
    const call = (name: string) =>
      turns.enter('calls')?.then(async () => {
        await undefined;
        turns.spend(40);
        resumed.push(name);
      });
    turns.spend(100);
    for (const name of ['a', 'b', 'c', 'd']) void call(name);
    const after: string[] = [];
    while (await step()) after.push(resumed.splice(0).join());
    expect(after).toEqual(['a,b,c', 'd', '']);

    turns.spend(100);
    for (const name of ['a', 'b']) void call(name);
    void turns.next('other').then(() => resumed.push('slice'));
    after.length = 0;
    while (await step()) after.push(resumed.splice(0).join());
    expect(after).toEqual(['a', 'slice', 'b', '']);
  });
});

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
