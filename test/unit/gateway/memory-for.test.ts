import { describe, expect, it } from 'vitest';
import { memoryFor } from '../../../src/gateway/large-answers.js';

const BYTES = 3_000_000;
const fill = (one: string): Buffer => Buffer.from(one.repeat(Math.ceil(BYTES / one.length)).slice(0, BYTES));
const timesOf = (text: Buffer, isAsked = true): number => memoryFor([text], isAsked) / text.length;

describe('the memory that reading an answer takes', () => {
  it('is a few times its bytes where it is prose, and many times where it is short lines or cells', () => {
    expect(timesOf(fill('A line of a text that goes on and on. '))).toBeLessThan(6);
    expect(timesOf(fill('2026-04-15 INFO worker 7 took 961 ms for a request of a bicycle\\n'))).toBeLessThan(12);
    expect(timesOf(fill('099998898\\n'))).toBeGreaterThan(15);
    expect(timesOf(fill('96,96,5\\n'))).toBeGreaterThan(40);
    expect(timesOf(fill('ab\\n'))).toBeGreaterThan(30);
  });

  it('is estimated all over it, in whatever pieces it lies', () => {
    const prose = fill('A text that goes on and on. ');
    const mixed = [prose, fill('ab\\n'), prose];
    expect(memoryFor(mixed, true)).toBeGreaterThan(memoryFor([prose, prose, prose], true) * 2);
    const whole = memoryFor([Buffer.concat(mixed)], true);
    expect(Math.abs(memoryFor(mixed, true) - whole) / whole).toBeLessThan(0.1);
  });

  it('is less where nothing is asked of it', () => {
    expect(timesOf(fill('ab\\n'), false)).toBeLessThan(timesOf(fill('ab\\n')));
  });
});
