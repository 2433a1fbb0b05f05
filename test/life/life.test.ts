import { describe, expect, it } from 'vitest';
import { live } from './life.js';

const { LIFE_RUNS, LIFE_SEED, LIFE_STEPS, LIFE_LANES, LIFE_WITHOUT, LIFE_ALL, LIFE_SHRINK_SECONDS } = process.env;

const SEEDS = (LIFE_SEED ?? '20261121').split(',').map(Number);
const NEXT = Array.from({ length: Number(LIFE_RUNS ?? 12) }, (_, index) => (SEEDS[0] ?? 0) + index);

describe('the life of a gateway', () => {
  it('locks nobody out, loses and doubles no call and tells the truth, whatever servers and clients do', {
    timeout: 0,
  }, async () => {
    const { failures, ...figures } = await live({
      seeds: SEEDS.length > 1 ? SEEDS : NEXT,
      steps: Number(LIFE_STEPS ?? 24),
      lanes: Number(LIFE_LANES ?? 6),
      isGoingOn: LIFE_ALL !== undefined,
      shrinkMs: 1_000 * Number(LIFE_SHRINK_SECONDS ?? 120),
      without: LIFE_WITHOUT?.split(',') ?? [],
      log: (text) => console.log(text),
    });
    console.log(JSON.stringify({ ...figures, failed: failures.map(({ seed, kind }) => [seed, kind]) }));
    expect(failures.map(({ seed, text }) => `seed ${seed}:\n${text}`)).toEqual([]);
  });
});
