import { describe, expect, it } from 'vitest';
import { createWarnedOnce, deprecationWarning, slowOperationWarning } from '../../../src/pipeline/warnings.js';
import { anOperation } from '../../support/an-operation.js';

describe('slowOperationWarning', () => {
  it('names the duration and the threshold', () => {
    const warning = slowOperationWarning(anOperation(), 2_300.4, 2_000);
    expect(warning).toMatchObject({
      code: 'PERFORMANCE_SLOW_QUERY_WARNING',
      details: { operation: 'get_item', duration_ms: 2_300, threshold_ms: 2_000 },
    });
    expect(warning?.message).toContain("'get_item' took 2300 ms");
  });

  it('is undefined up to the threshold', () => {
    expect(slowOperationWarning(anOperation(), 2_000, 2_000)).toBeUndefined();
  });
});

describe('deprecationWarning', () => {
  it('names the operation, its date of removal and its replacement', () => {
    const deprecated = { replacement: 'get_thing', removalDate: '2027-01-31', note: 'Things are items.' };
    expect(deprecationWarning(anOperation({ deprecated }))).toEqual({
      code: 'DEPRECATION_WARNING',
      message:
        "Operation 'get_item' is deprecated and will be removed on '2027-01-31'. Use 'get_thing' instead. Things are items.",
      details: {
        type: 'operation',
        deprecated_item: 'get_item',
        replacement: 'get_thing',
        removal_date: '2027-01-31',
      },
      severity: 'medium',
    });
  });

  it('leaves out what the operator did not configure', () => {
    expect(deprecationWarning(anOperation({ deprecated: {} }))).toMatchObject({
      message: "Operation 'get_item' is deprecated",
      details: { type: 'operation', deprecated_item: 'get_item' },
    });
    expect(deprecationWarning(anOperation())).toBeUndefined();
  });
});

describe('createWarnedOnce', () => {
  it('warns each session once about a subject, and again after the session has ended', () => {
    const warnedOnce = createWarnedOnce();
    expect([
      warnedOnce.isFirstWarning('a', 'x'),
      warnedOnce.isFirstWarning('a', 'x'),
      warnedOnce.isFirstWarning('a', 'y'),
    ]).toEqual([true, false, true]);
    expect(warnedOnce.isFirstWarning('b', 'x')).toBe(true);
    warnedOnce.endSession('a');
    warnedOnce.endSession('unknown');
    expect([warnedOnce.isFirstWarning('a', 'x'), warnedOnce.isFirstWarning('b', 'x')]).toEqual([true, false]);
  });

  it('forgets the oldest sessions when it remembers too many subjects', () => {
    const warnedOnce = createWarnedOnce(3);
    for (const subject of ['x', 'y']) warnedOnce.isFirstWarning('a', subject);
    warnedOnce.isFirstWarning('b', 'x');
    warnedOnce.isFirstWarning('c', 'x');
    expect([warnedOnce.isFirstWarning('b', 'x'), warnedOnce.isFirstWarning('c', 'x')]).toEqual([false, false]);
    expect(warnedOnce.isFirstWarning('a', 'x')).toBe(true);
  });
});
