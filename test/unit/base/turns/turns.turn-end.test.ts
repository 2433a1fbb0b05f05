import { describe, expect, it } from 'vitest';
import { TurnEnd } from '../../../../src/base/turns/turns.js';

/** A turn's end whose event loop is a list: each entry is one turn. */
function aLoop() {
  const scheduled: (() => void)[] = [];
  const turnEnd = new TurnEnd((work) => scheduled.push(work));
  return { turnEnd, scheduled };
}

function fail(fault: unknown): void {
  throw fault;
}

describe('the end of a turn', () => {
  it('gives what a work throws to that work alone, and does the others', () => {
    const { turnEnd, scheduled } = aLoop();
    const done: number[] = [];
    const faults: unknown[] = [];
    turnEnd.add(() => done.push(1), fail);
    turnEnd.add(
      () => {
        throw new Error('broken');
      },
      (fault) => faults.push(fault),
    );
    turnEnd.add(() => done.push(3), fail);
    scheduled.shift()?.();
    expect(done).toEqual([1, 3]);
    expect(faults).toEqual([new Error('broken')]);
  });

  it('does what came in the turn in its order, and is scheduled once for all of it', () => {
    const { turnEnd, scheduled } = aLoop();
    const done: number[] = [];
    for (const number of [1, 2, 3]) turnEnd.add(() => done.push(number), fail);
    expect(done).toEqual([]);
    expect(scheduled).toHaveLength(1);
    scheduled.shift()?.();
    expect(done).toEqual([1, 2, 3]);
  });

  it('leaves what comes while it ends to the next turn', () => {
    const { turnEnd, scheduled } = aLoop();
    const done: string[] = [];
    turnEnd.add(() => {
      done.push('first');
      turnEnd.add(() => done.push('second'), fail);
    }, fail);
    scheduled.shift()?.();
    expect(done).toEqual(['first']);
    scheduled.shift()?.();
    expect(done).toEqual(['first', 'second']);
    expect(scheduled).toHaveLength(0);
  });
});
