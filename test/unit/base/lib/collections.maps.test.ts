import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BriefMap, BriefSet } from '../../../../src/base/lib/collections.js';

const key = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.string({ maxLength: 3 }));

describe('BriefMap', () => {
  it('holds what a Map holds, whatever enters and leaves', () => {
    const step = fc.record({ key, enters: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const brief = new BriefMap<string | number, object>();
        const model = new Map<string | number, object>();
        for (const { key, enters } of steps) {
          expect(brief.get(key)).toBe(model.get(key));
          if (enters && !model.has(key)) {
            const value = {};
            brief.add(key, value);
            model.set(key, value);
          } else if (!enters) {
            expect(brief.take(key)).toBe(model.get(key));
            model.delete(key);
          }
          expect(brief.size).toBe(model.size);
        }
        expect(new Map(brief.entries().map(({ key, value }) => [key, value]))).toEqual(model);
        expect(new Set(brief.values())).toEqual(new Set(model.values()));
      }),
    );
  });

  it('keeps the number 1 and the text "1" apart', () => {
    const brief = new BriefMap<string | number, string>();
    brief.add(1, 'number');
    brief.add('1', 'text');
    expect([brief.take(1), brief.take('1')]).toEqual(['number', 'text']);
  });

  it('is empty after it was cleared', () => {
    const brief = new BriefMap<number, string>();
    brief.add(1, 'one');
    brief.clear();
    expect([brief.size, brief.get(1), brief.values()]).toEqual([0, undefined, []]);
  });
});

describe('BriefSet', () => {
  it('removes the value whose number it is given, though another is equal to it', () => {
    const set = new BriefSet<string>();
    const first = set.enter('same');
    set.enter('same');
    set.take(first);
    set.take(first);
    expect(set.values()).toEqual(['same']);
  });
});
