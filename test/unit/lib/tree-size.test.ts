import { describe, expect, it } from 'vitest';
import { estimateTree } from '../../../src/lib/tree-size.js';

const list = (item: string): Buffer => Buffer.from(`[${Array(10_000).fill(item).join()}]`);

describe('estimateTree', () => {
  // What V8 takes for each on a machine of 64 bits: an object without members 64 bytes, a list 40, an object with one 40.
  it.each([
    ['{}', 64],
    ['[]', 40],
    ['{"a":1}', 40],
    ['1', 8],
    ['"é"', 32],
  ])('is at least what a list of %s takes', (item, bytes) => {
    expect(estimateTree([list(item)])).toBeGreaterThanOrEqual(10_000 * bytes);
  });

  it('counts JSON within a text, which is spelled with escapes', () => {
    const text = list('{"a":1}').toString();
    expect(estimateTree([Buffer.from(JSON.stringify(text))])).toBeGreaterThanOrEqual(estimateTree([Buffer.from(text)]));
  });

  it('is the same for a text in pieces', () => {
    const text = list('{"a":[1]}');
    expect(estimateTree([text.subarray(0, 777), text.subarray(777)])).toBe(estimateTree([text]));
  });
});
