import { expect, it } from 'vitest';
import { Breaker, Unavailable } from '../../../../src/server/auth/breaker.js';

function openBreaker() {
  const state = { now: 0, reports: [] as string[] };
  const breaker = new Breaker(
    () => state.now,
    (reason) => state.reports.push(reason),
  );
  return { state, breaker };
}

const fail = (): Promise<never> => Promise.reject(new Error('it broke'));

it('counts requests that fail together as one failure', async () => {
  const { state, breaker } = openBreaker();
  const failed = await Promise.allSettled(Array.from({ length: 10 }, () => breaker.run(fail)));
  expect(failed.map((each) => each.status === 'rejected' && each.reason.retryAfterSeconds)).toEqual(Array(10).fill(1));
  expect(state.reports).toEqual(['it broke']);
  state.now = 1_000;
  expect(await breaker.run(async () => 'well')).toBe('well');
});

it('lets one request find out whether a server that failed is well again, and refuses the others meanwhile', async () => {
  const { state, breaker } = openBreaker();
  await expect(breaker.run(fail)).rejects.toBeInstanceOf(Unavailable);
  state.now = 1_000;
  let answer = (_text: string): void => undefined;
  const first = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
  let asked = 0;
  const ask = async (): Promise<number> => {
    asked += 1;
    return asked;
  };
  await expect(breaker.run(ask)).rejects.toBeInstanceOf(Unavailable);
  expect(asked).toBe(0);
  answer('well');
  expect([await first, await breaker.run(ask)]).toEqual(['well', 1]);
});

it('waits twice as long after each failure in a row', async () => {
  const { state, breaker } = openBreaker();
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    await expect(breaker.run(fail)).rejects.toMatchObject({ retryAfterSeconds: seconds });
    state.now += seconds * 1_000;
  }
});
