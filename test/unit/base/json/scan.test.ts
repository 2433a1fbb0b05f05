import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNestedDeeper } from '../../../../src/base/json/scan.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('isNestedDeeper', () => {
  it('agrees with the depth of the parsed value, whatever the texts in it hold', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 8 },
        fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'a', '}') }),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.string({ unit: fc.constantFrom('[', '"', '\\') }), tie('node'), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 6 }), (given, levels) => {
        expect(isNestedDeeper(JSON.stringify(given, null, 20), levels)).toBe(depthOf(given) > levels);
      }),
    );
  });

  it('reads a text of a million levels without recursion', () => {
    expect(isNestedDeeper('['.repeat(1_000_000), 512)).toBe(true);
    expect(isNestedDeeper(`"${'['.repeat(1_000_000)}"`, 512)).toBe(false);
  });
});
