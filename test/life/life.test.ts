import { describe, expect, it } from 'vitest';
import { live } from './life.js';

const { LIFE_RUNS, LIFE_SEED, LIFE_STEPS, LIFE_LANES, LIFE_WITHOUT, LIFE_ALL, LIFE_SHRINK_SECONDS } = process.env;

const RUNS = Number(LIFE_RUNS ?? 24);

describe('the life of a gateway', () => {
  it('locks nobody out, loses and doubles no call and tells the truth, whatever servers and clients do', {
    timeout: 0,
  }, async () => {
    const { failures, ...figures } = await live({
      runs: RUNS,
      seed: Number(LIFE_SEED ?? 20_261_121),
      steps: Number(LIFE_STEPS ?? 24),
      lanes: Number(LIFE_LANES ?? 6),
      isGoingOn: LIFE_ALL !== undefined,
      shrinkMs: 1_000 * Number(LIFE_SHRINK_SECONDS ?? 120),
      without: LIFE_WITHOUT?.split(',') ?? [],
      log: (text) => console.log(text),
    });
    console.log(JSON.stringify(figures));
    expect(failures.map(({ seed, text }) => `seed ${seed}:\n${text}`)).toEqual([]);
  });
});
