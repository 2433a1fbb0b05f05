import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backOff, RetryPacer } from '../../../src/upstream/retries.js';

describe('backOff', () => {
  it('tries at once, then soon, then ever more rarely, up to half a minute', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 8, 20, 1_000].map((failures) => backOff(failures, 3, () => 0.5));
    expect(pauses).toEqual([0, 100, 100, 100, 200, 400, 3_200, 30_000, 30_000]);
  });

  it('spreads the pauses by a tenth each way', () => {
    expect([backOff(1, 3, () => 0), backOff(1, 3, () => 0.999_999)]).toEqual([90, 110]);
  });
});

describe('RetryPacer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('tries at once after a good connection, and patiently after that', () => {
    const pacer = new RetryPacer();
    pacer.disconnected(60_000, true);
    expect([pacer.failures, pacer.pauseMs]).toEqual([0, 0]);
    for (let failures = 1; failures <= 30; failures += 1) {
      pacer.failed(5);
      expect(pacer.pauseMs).toBeLessThanOrEqual(110);
    }
    pacer.failed(5);
    expect(pacer.pauseMs).toBeGreaterThan(110);
  });

  it('counts a connection that hardly lived as a failure', () => {
    const pacer = new RetryPacer();
    pacer.disconnected(50, true);
    expect(pacer.failures).toBe(1);
    expect(pacer.pauseMs).toBeGreaterThan(0);
  });

  it('rests until the pause is over', async () => {
    const pacer = new RetryPacer();
    pacer.failed(5);
    const pause = pacer.pause();
    await vi.advanceTimersByTimeAsync(110);
    await pause;
    expect(pacer.remainingMs).toBe(0);
  });

  it('lets a waiting call end a long pause, as soon as the failed attempt is old enough', async () => {
    const pacer = new RetryPacer();
    for (let failures = 0; failures < 12; failures += 1) pacer.failed(1_000);
    let rested = false;
    const pause = pacer.pause().then(() => {
      rested = true;
    });
    await vi.advanceTimersByTimeAsync(900);
    pacer.retryNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(rested).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    await pause;
  });

  it('does not start anew for a connection that ends at once, however often', () => {
    const pacer = new RetryPacer();
    pacer.disconnected(60_000, true);
    const pauses = Array.from({ length: 8 }, () => {
      pacer.disconnected(50, false);
      return pacer.pauseMs;
    });
    expect(pauses.at(-1)).toBeGreaterThan(1_000);
  });

  it('makes the pauses of a server longer that crashes again and again after some seconds', async () => {
    const pacer = new RetryPacer();
    const pauses: number[] = [];
    for (let crash = 1; crash <= 10; crash += 1) {
      pacer.disconnected(5_000, true);
      pauses.push(pacer.pauseMs);
      await vi.advanceTimersByTimeAsync(pacer.pauseMs + 5_000);
    }
    expect(pauses.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(pauses[4]).toBeGreaterThan(500);
    expect(pauses[9]).toBeGreaterThan(20_000);
    expect(pacer.looping).toBe(true);
  });

  it('ends a crash loop once the server has run for a healthy span', () => {
    const pacer = new RetryPacer();
    for (let crash = 1; crash <= 8; crash += 1) pacer.disconnected(5_000, true);
    pacer.disconnected(61_000, true);
    expect([pacer.looping, pacer.pauseMs]).toEqual([false, 0]);
  });

  it('does not take sessions that end for crashes', () => {
    const pacer = new RetryPacer();
    for (let ended = 1; ended <= 20; ended += 1) pacer.disconnected(5_000, false);
    expect([pacer.looping, pacer.pauseMs]).toEqual([false, 0]);
  });
});
