import { describe, expect, it } from 'vitest';
import { buildInSteps, describeDocument } from '../../../../src/catalog/search/search-index.js';
import { SEARCH_SETTINGS } from '../../../../src/catalog/search/settings.js';
import { fakeOperation } from '../endpoint/fake-catalog.js';

function countSteps(work: Iterator<void, unknown, void>): number {
  for (let steps = 1; ; steps += 1) if (work.next().done === true) return steps;
}

describe('reading an operation for searches', () => {
  it('reads no more of a name than of a description', () => {
    const operation = fakeOperation('create_note', { required: ['x y '.repeat(100_000)] });
    expect(describeDocument(operation).document.parameters.length).toBeLessThan(1_500);
  });
});

describe('building the index of a catalog', () => {
  it('stops after each operation and each stem that is looked up in advance', () => {
    const operations = Array.from({ length: 500 }, (_, id) => fakeOperation(`list_thing_${id}`));
    const stems = Array.from({ length: 200 }, (_, id) => `stem${id}`);
    expect(countSteps(buildInSteps(operations, SEARCH_SETTINGS, stems))).toBeGreaterThan(700);
  });
});
