import { describe, expect, it } from 'vitest';
import { describeDocument } from '../../../../src/catalog/search/search-index.js';
import { fakeOperation } from '../endpoint/fake-catalog.js';

describe('reading an operation for searches', () => {
  it('reads no more of a name than of a description', () => {
    const operation = fakeOperation('create_note', { required: ['x y '.repeat(100_000)] });
    expect(describeDocument(operation).document.parameters.length).toBeLessThan(1_500);
  });
});
