import { describe, expect, it } from 'vitest';
import { countAffordable } from '../../../../src/builtin/introspect/handler.js';

const ITEM = { text: 'x'.repeat(339) };

describe('countAffordable', () => {
  it('counts as many items as the budget allows', () => {
    expect(countAffordable([ITEM, ITEM, ITEM], 250)).toBe(2);
    expect(countAffordable([ITEM, ITEM, ITEM], 10_000)).toBe(3);
  });

  it('counts one item that exceeds the budget, and none of an empty list', () => {
    expect(countAffordable([ITEM, ITEM], 1)).toBe(1);
    expect(countAffordable([], 1)).toBe(0);
  });
});
