import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { reportLines } from '../../../../src/upstream/transport/open-transport.js';

describe('reportLines', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('bounds the rate and says how much it left out', () => {
    const seen: Observation[] = [];
    const report = reportLines('upstream-stderr', 'one', (observation) => seen.push(observation));
    vi.advanceTimersByTime(1);
    for (let at = 0; at < 250; at += 1) report(`line ${at}`);
    expect(seen).toHaveLength(200);
    vi.advanceTimersByTime(1_001);
    report('later');
    expect(seen.slice(200)).toEqual([
      { kind: 'upstream-stderr', upstream: 'one', line: '(50 more lines were left out)' },
      { kind: 'upstream-stderr', upstream: 'one', line: 'later' },
    ]);
  });

  it('shortens long lines', () => {
    const seen: Observation[] = [];
    reportLines('upstream-noise', 'one', (observation) => seen.push(observation))('x'.repeat(5_000));
    expect(seen).toEqual([{ kind: 'upstream-noise', upstream: 'one', line: `${'x'.repeat(2_000)} [...]` }]);
  });
});
