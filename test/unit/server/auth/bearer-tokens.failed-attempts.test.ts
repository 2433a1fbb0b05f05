import { describe, expect, it } from 'vitest';
import { FailedAttempts } from '../../../../src/server/auth/bearer-tokens.js';

function attempts(failures: number) {
  const clock = { now: 5_000_000 };
  const failed = new FailedAttempts(() => clock.now);
  for (let count = 0; count < failures; count += 1) failed.note('192.0.2.1');
  return { failed, clock };
}

describe('failed attempts', () => {
  it('are allowed twenty times in a minute', () => {
    expect(attempts(19).failed.secondsToWait('192.0.2.1')).toBe(0);
    expect(attempts(20).failed.secondsToWait('192.0.2.1')).toBe(60);
  });

  it('are counted per address', () => {
    expect(attempts(20).failed.secondsToWait('192.0.2.2')).toBe(0);
  });

  it('are forgotten when the minute is over', () => {
    const { failed, clock } = attempts(20);
    clock.now += 59_001;
    expect(failed.secondsToWait('192.0.2.1')).toBe(1);
    clock.now += 999;
    expect(failed.secondsToWait('192.0.2.1')).toBe(0);
    failed.note('192.0.2.1');
    expect(failed.secondsToWait('192.0.2.1')).toBe(0);
  });

  it('are remembered for the latest thousand addresses', () => {
    const { failed } = attempts(20);
    for (let count = 0; count < 999; count += 1) failed.note(`198.51.100.${count}`);
    expect(failed.secondsToWait('192.0.2.1')).toBe(60);
    failed.note('203.0.113.1');
    expect(failed.secondsToWait('192.0.2.1')).toBe(0);
  });
});
