import { describe, expect, it } from 'vitest';
import { estimateTree } from '../../../../src/base/json/measure.js';

const COUNT = 10_000;
const list = (item: string): Buffer => Buffer.from(`[${Array(COUNT).fill(item).join()}]`);
const listOf = (create: (index: number) => string): Buffer =>
  Buffer.from(`[${Array.from({ length: COUNT }, (_, index) => create(index)).join()}]`);

describe('estimateTree', () => {
  // What V8 takes for each on a machine of 64 bits: an object without members 64 bytes, a list 40, an object with one 40.
  it.each([
    ['{}', 64],
    ['[]', 40],
    ['{"a":1}', 40],
    ['1', 8],
    ['[1]', 64],
    ['[[[[[1]]]]]', 288],
    ['{"a":1.5}', 56],
    ['{"a":{}}', 96],
    ['"é"', 32],
  ])('is at least what a list of %s takes', (item, bytes) => {
    expect(estimateTree([list(item)])).toBeGreaterThanOrEqual(COUNT * bytes);
  });

  it('is at least what objects take of which each has another name: 184 bytes each', () => {
    expect(estimateTree([listOf((index) => `{"n${index}":1}`)])).toBeGreaterThanOrEqual(COUNT * 184);
  });

  it('is at most four times what records with the same names take: 86 bytes each', () => {
    const records = listOf((index) => `{"id":${index},"name":"row ${index}","done":true}`);
    expect(estimateTree([records])).toBeLessThan(COUNT * 4 * 86);
  });

  it('doubles the characters of a text in which one is no Latin letter', () => {
    const plain = Buffer.from(JSON.stringify('x'.repeat(COUNT)));
    const wide = Buffer.from(JSON.stringify(`${'x'.repeat(COUNT - 1)}ж`));
    expect(estimateTree([wide])).toBeGreaterThan(1.9 * estimateTree([plain]));
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
