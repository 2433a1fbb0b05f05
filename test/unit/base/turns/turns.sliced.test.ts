import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inTime,
  mapInSteps,
  runAtOnce,
  runInSlices,
  type Sliced,
  sortInSteps,
} from '../../../../src/base/turns/turns.js';

/** How often work stops, and its result. */
function count<T>(work: Sliced<T>): { readonly stops: number; readonly result: T } {
  for (let stops = 0; ; stops += 1) {
    const step = work.next();
    if (step.done === true) return { stops, result: step.value };
  }
}

describe('inTime', () => {
  it('stops where the steps have taken the time of a slice together, and gives their result', () => {
    let clock = 0;
    const work = mapInSteps(Array.from({ length: 100 }), (_, index) => {
      clock += 1;
      return index;
    });
    const { stops, result } = count(inTime(work, () => clock));
    expect(stops).toBe(12);
    expect(result).toHaveLength(100);
  });

  it('counts the time of a slice from its begin, not that of other work between slices', () => {
    let clock = 0;
    const work = inTime(
      mapInSteps([1, 2, 3, 4], () => {
        clock += 5;
      }),
      () => clock,
    );
    let stops = 0;
    for (; work.next().done !== true; stops += 1) clock += 1_000;
    expect(stops).toBe(2);
  });
});

describe('runInSlices', () => {
  /** How often it pauses for work of so many slices. */
  const pausesOf = async (slices: number): Promise<number> => {
    let pauses = 0;
    const work = function* (): Sliced<void> {
      for (let slice = 1; slice < slices; slice += 1) yield;
    };
    await runInSlices(work(), async () => {
      pauses += 1;
    });
    return pauses;
  };

  it('gives what follows work of several slices a turn of its own', async () => {
    expect(await pausesOf(3)).toBe(3);
  });

  it('does not pause for work of one slice', async () => {
    expect(await pausesOf(1)).toBe(0);
  });
});

describe('sortInSteps', () => {
  const byNumber = (a: readonly [number, number], b: readonly [number, number]): number => a[0] - b[0];

  it('sorts as the language does, equal items in their order', () => {
    const lists = fc.array(fc.nat(300), { maxLength: 3_000, size: 'max' });
    fc.assert(
      fc.property(lists, (numbers) => {
        const items = numbers.map((number, index) => [number, index] as const);
        expect(runAtOnce(sortInSteps(items, byNumber))).toEqual(items.toSorted(byNumber));
      }),
      { numRuns: 50 },
    );
  });

  it('compares a bounded number of items between two stops, however many there are', () => {
    let compared = 0;
    let most = 0;
    const items = Array.from({ length: 40_000 }, (_, index) => [(index * 7_919) % 40_009, index] as const);
    const work = sortInSteps(items, (a, b) => {
      compared += 1;
      return byNumber(a, b);
    });
    while (work.next().done !== true) {
      most = Math.max(most, compared);
      compared = 0;
    }
    expect(most).toBeLessThan(10_000);
  });
});
