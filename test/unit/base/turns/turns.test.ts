import { describe, expect, it } from 'vitest';
import { runInTurns, type Sliced, Turns } from '../../../../src/base/turns/turns.js';

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

  it('run work that does not stop at once, and each slice of work that stops in a turn of its own', async () => {
    const { turns, step } = aLoop();
    function* work(slices: number): Sliced<string> {
      for (let slice = 1; slice < slices; slice += 1) yield;
      return 'done';
    }
    expect(runInTurns(work(1), 'a', turns)).toBe('done');
    expect(turns.enter('a')).toBeUndefined();
    const answers = ['a', 'b', 'c'].map((lane) => runInTurns(work(3), lane, turns));
    // The first slices have filled this turn.
    expect(turns.enter('d')).toBeInstanceOf(Promise);
    let taken = 0;
    while (await step()) taken += 1;
    expect(await Promise.all(answers)).toEqual(['done', 'done', 'done']);
    expect(taken).toBeGreaterThanOrEqual(6);
  });
});
