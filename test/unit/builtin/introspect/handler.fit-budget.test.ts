import { describe, expect, it } from 'vitest';
import { countAffordable } from '../../../../src/builtin/introspect/handler.js';

const ITEM = { text: 'x'.repeat(339) };

describe('countAffordable', () => {
  it('takes as many as the budget holds', () => {
    expect(countAffordable([ITEM, ITEM, ITEM], 250)).toBe(2);
    expect(countAffordable([ITEM, ITEM, ITEM], 10_000)).toBe(3);
  });

  it('takes one that costs more than everything, and none of none', () => {
    expect(countAffordable([ITEM, ITEM], 1)).toBe(1);
    expect(countAffordable([], 1)).toBe(0);
  });
});
