import { describe, expect, it } from 'vitest';
import type { Warning } from '../../../../src/base/protocol/result.js';
import {
  createWarnedOnce,
  createWarnings,
  deprecationWarning,
  slowOperationWarning,
} from '../../../../src/gateway/pipeline/warnings.js';
import { anOperation } from '../../../support/an-operation.js';

function render(...warnings: readonly (Warning | undefined)[]): readonly Warning[] {
  const collected = createWarnings();
  for (const warning of warnings) collected.add(warning);
  return collected.render();
}

describe('createWarnings', () => {
  it('renders nothing when there are no warnings', () => {
    expect(render()).toEqual([]);
    expect(render(undefined)).toEqual([]);
  });

  it.each([
    [
      'code and message',
      { code: 'A', message: 'm', details: { n: 1 } },
      { code: 'A', message: 'm', details: { n: 2 } },
    ],
    [
      'code and details, in any order',
      { code: 'A', message: 'm', details: { n: 1, o: 2 } },
      { code: 'A', message: 'other', details: { o: 2, n: 1 } },
    ],
    ['code and message without details', { code: 'A', message: 'm' }, { code: 'A', message: 'm' }],
  ])('merges warnings with the same %s and counts them', (_what, first, second) => {
    expect(render(first, second)).toEqual([
      { ...first, details: { ...('details' in first ? first.details : {}), occurrence_count: 2 } },
    ]);
  });

  it.each([
    [
      { code: 'A', message: 'm' },
      { code: 'B', message: 'm' },
    ],
    [
      { code: 'A', message: 'm' },
      { code: 'A', message: 'n' },
    ],
    [
      { code: 'A', message: 'm', details: { n: 1 } },
      { code: 'A', message: 'o', details: { n: 2 } },
    ],
  ])('keeps different warnings separate: %j %j', (first, second) => {
    expect(render(first, second)).toEqual([first, second]);
  });

  it('adds up earlier occurrence counts', () => {
    const counted = { code: 'A', message: 'm', details: { occurrence_count: 3 } };
    expect(render(counted, { code: 'A', message: 'm' })[0]?.details).toEqual({ occurrence_count: 4 });
    expect(render(counted)).toEqual([counted]);
  });

  it('orders by severity and keeps the order within one severity', () => {
    const severities = ['low', 'high', undefined, 'medium', 'high'] as const;
    const warnings = severities.map((severity, n) => ({
      code: 'A',
      message: `${n}`,
      ...(severity === undefined ? {} : { severity }),
    }));
    expect(render(...warnings).map(({ message }) => message)).toEqual(['1', '4', '3', '0', '2']);
  });

  it('renders ten warnings, or nine and the number of the others', () => {
    const warnings = Array.from({ length: 15 }, (_, n): Warning => ({ code: 'A', message: `${n}`, severity: 'high' }));
    expect(render(...warnings.slice(0, 10))).toEqual(warnings.slice(0, 10));
    const capped = render(...warnings);
    expect(capped.slice(0, 9)).toEqual(warnings.slice(0, 9));
    expect(capped.slice(9)).toEqual([
      {
        code: 'VALIDATION_TRUNCATED_WARNING',
        message: expect.stringContaining('6 more'),
        details: { field: 'warnings', original_count: 15, truncated_count: 9, limit: 10 },
        severity: 'low',
      },
    ]);
  });
});

describe('slowOperationWarning', () => {
  it('names the duration and the threshold', () => {
    const warning = slowOperationWarning(anOperation(), 2_300.4, 2_000);
    expect(warning).toMatchObject({
      code: 'PERFORMANCE_SLOW_QUERY_WARNING',
      details: { operation: 'get_item', duration_ms: 2_300, threshold_ms: 2_000 },
    });
    expect(warning?.message).toBe('Operation took 2300ms (threshold: 2000ms)');
  });

  it.each([
    [3_999, 'low'],
    [4_000, 'medium'],
    [20_000, 'medium'],
    [20_001, 'high'],
  ])('is more severe the more the threshold was passed: %s ms is %s', (durationMs, severity) => {
    expect(slowOperationWarning(anOperation(), durationMs, 2_000)?.severity).toBe(severity);
  });

  it('is undefined up to the threshold', () => {
    expect(slowOperationWarning(anOperation(), 2_000, 2_000)).toBeUndefined();
  });
});

describe('deprecationWarning', () => {
  it('names the operation, its date of removal and its replacement', () => {
    const deprecated = { replacement: 'get_thing', removalDate: '2027-01-31', note: 'Things are items.' };
    expect(deprecationWarning(anOperation({ deprecated }), Date.parse('2026-12-31'))).toEqual({
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

  it.each([
    ['2027-01-31', 'medium'],
    ['2027-01-30', 'high'],
    ['2026-01-01', 'high'],
    ['next year', 'low'],
  ])('is more severe the sooner the removal is: %s is %s', (removalDate, severity) => {
    const now = Date.parse('2026-12-31');
    expect(deprecationWarning(anOperation({ deprecated: { removalDate } }), now)?.severity).toBe(severity);
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
