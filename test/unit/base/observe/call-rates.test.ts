import { describe, expect, it } from 'vitest';
import { createCallRates } from '../../../../src/base/observe/call-rates.js';
import type { Observation } from '../../../../src/base/observe/observation.js';

const call = (code: 'OK' | 'PERMISSION_DENIED' | 'INTERNAL_ERROR', durationMs: number): Observation => ({
  kind: 'call',
  operation: 'read',
  upstream: 'notes',
  category: 'READ',
  code,
  durationMs,
  sessionId: 's',
});

describe('rates of calls', () => {
  it('counts the calls of each span by how they ended, with their median and 95th percentile', () => {
    let now = 10_000_000;
    const rates = createCallRates(() => now);
    for (let index = 0; index < 90; index += 1) rates.observe(call('OK', 10));
    for (let index = 0; index < 10; index += 1) rates.observe(call('INTERNAL_ERROR', 900));
    now += 10_000;
    rates.observe(call('PERMISSION_DENIED', 0.1));
    rates.observe({ kind: 'notice', level: 'info', message: 'no call' });
    now += 4_000;
    const samples = rates.samples();
    expect(samples).toHaveLength(180);
    const [before, last] = samples.slice(-2);
    expect(before).toMatchObject({ at: 10_000_000, seconds: 10, ok: 90, refused: 0, failed: 10 });
    expect(before?.median).toBeGreaterThanOrEqual(10);
    expect(before?.median).toBeLessThan(15);
    expect(before?.p95).toBeGreaterThanOrEqual(900);
    expect(before?.p95).toBeLessThan(1_350);
    expect(last).toEqual({ at: 10_010_000, seconds: 4, ok: 0, refused: 1, failed: 0, median: 0.5, p95: 0.5 });
  });

  it('forgets what is older than half an hour', () => {
    let now = 10_000_000;
    const rates = createCallRates(() => now);
    rates.observe(call('OK', 1e9));
    expect(rates.samples().at(-1)?.p95).toBeGreaterThan(100_000);
    now += 1_800_000;
    expect(rates.samples().some(({ ok }) => ok > 0)).toBe(false);
  });
});
