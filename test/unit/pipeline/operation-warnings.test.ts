import { describe, expect, it } from 'vitest';
import { createWarnedOnce, deprecationWarning, slowOperationWarning } from '../../../src/pipeline/warnings.js';
import { anOperation } from '../../support/an-operation.js';

describe('slowOperationWarning', () => {
  it('says how long it took and how long is long', () => {
    const warning = slowOperationWarning(anOperation(), 2_300.4, 2_000);
    expect(warning).toMatchObject({
      code: 'PERFORMANCE_SLOW_QUERY_WARNING',
      details: { operation: 'get_item', duration_ms: 2_300, threshold_ms: 2_000 },
    });
    expect(warning?.message).toContain("'get_item' took 2300 ms");
  });

  it('is silent up to the threshold', () => {
    expect(slowOperationWarning(anOperation(), 2_000, 2_000)).toBeUndefined();
  });
});

describe('deprecationWarning', () => {
  it('says what goes, when, and what to use instead', () => {
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

  it('leaves out what the operator did not say', () => {
    expect(deprecationWarning(anOperation({ deprecated: {} }))).toMatchObject({
      message: "Operation 'get_item' is deprecated",
      details: { type: 'operation', deprecated_item: 'get_item' },
    });
    expect(deprecationWarning(anOperation())).toBeUndefined();
  });
});

describe('createToldOnce', () => {
  it('tells a session once, every session, and a session that came back again', () => {
    const told = createWarnedOnce();
    expect([told.isFirstWarning('a', 'x'), told.isFirstWarning('a', 'x'), told.isFirstWarning('a', 'y')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(told.isFirstWarning('b', 'x')).toBe(true);
    told.endSession('a');
    told.endSession('nobody');
    expect([told.isFirstWarning('a', 'x'), told.isFirstWarning('b', 'x')]).toEqual([true, false]);
  });

  it('forgets the sessions that began first when there is too much to remember', () => {
    const told = createWarnedOnce(3);
    for (const subject of ['x', 'y']) told.isFirstWarning('a', subject);
    told.isFirstWarning('b', 'x');
    told.isFirstWarning('c', 'x');
    expect([told.isFirstWarning('b', 'x'), told.isFirstWarning('c', 'x')]).toEqual([false, false]);
    expect(told.isFirstWarning('a', 'x')).toBe(true);
  });
});
