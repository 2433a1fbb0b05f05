import { describe, expect, it } from 'vitest';
import { backOff } from '../../../src/upstream/back-off.js';

describe('backOff', () => {
  it('tries at once, then soon, then ever more rarely, up to half a minute', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 8, 20, 1_000].map((failures) => backOff(failures, 3, () => 0.5));
    expect(pauses).toEqual([0, 100, 100, 100, 200, 400, 3_200, 30_000, 30_000]);
  });

  it('spreads the pauses by a tenth each way', () => {
    expect([backOff(1, 3, () => 0), backOff(1, 3, () => 0.999_999)]).toEqual([90, 110]);
  });
});
