import { expect, it } from 'vitest';
import { Pauses } from '../../../../src/base/pauses/pauses.js';

/** How often a loop pauses over so many steps of so many milliseconds each. */
function countPauses(steps: number, ms: number): number {
  let clock = 0;
  const pauses = new Pauses(() => clock);
  let count = 0;
  for (let step = 0; step < steps; step += 1) {
    clock += ms;
    if (pauses.due() !== undefined) count += 1;
  }
  return count;
}

it('a loop that is soon done makes no pause', () => {
  expect(countPauses(7, 1)).toBe(0);
  expect(countPauses(8, 1)).toBe(1);
});

it('loops that go on at the same time have a turn of the event loop each', async () => {
  const turns: number[] = [];
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const loop = async (): Promise<void> => {
    let clock = 0;
    const pauses = new Pauses(() => clock);
    for (let step = 0; step < 3; step += 1) {
      clock += 10;
      await pauses.due();
      turns.push(turn);
    }
  };
  await Promise.all([loop(), loop(), loop()]);
  isDone = true;
  expect(new Set(turns).size).toBe(9);
});
