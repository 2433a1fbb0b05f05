import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packList } from '../../../../src/results/stored/packed-list.js';

describe('packList', () => {
  it('returns every item, as a value and as text', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (items) => {
        const packed = packList(items);
        const texts = items.map((item) => JSON.stringify(item));
        expect(packed).toHaveLength(items.length);
        expect(items.map((_, index) => packed.textAt(index))).toEqual(texts);
        expect(items.map((_, index) => packed.valueAt(index))).toEqual(texts.map((text) => JSON.parse(text)));
      }),
    );
  });

  it.each([
    { items: [], bytes: 0 },
    { items: ['é', 12], bytes: 4 + 2 + 2 * 4 },
    { items: [{ a: null }], bytes: 10 + 4 },
  ])('takes $bytes bytes for $items', ({ items, bytes }) => {
    expect(packList(items).bytes).toBe(bytes);
  });

  it('packs texts as they are written', () => {
    expect(packList([1], () => '{"a": 1}').textAt(0)).toBe('{"a": 1}');
  });

  it('keeps characters whole where a block of memory is full', () => {
    const texts = Array.from({ length: 3_000 }, (_, index) => `"${'€'.repeat(index)}"`);
    const packed = packList(texts, String);
    expect(texts.every((text, index) => packed.textAt(index) === text)).toBe(true);
  });

  it('writes a value that JSON cannot write as null', () => {
    expect(packList([undefined, 1]).valueAt(0)).toBeNull();
  });

  it.each([-1, 1, 0.5])('throws for item %s of a list of one', (index) => {
    expect(() => packList(['a']).textAt(index)).toThrow(RangeError);
  });
});
