import { describe, expect, it } from 'vitest';
import { searchOperations } from '../../../src/introspect/search-operations.js';
import { fakeCatalog, fakeOperation } from '../endpoint/fake-catalog.js';

const CATALOG = fakeCatalog([
  fakeOperation('search', { description: 'Looks for anything.' }),
  fakeOperation('search_code', { upstream: 'forge' }),
  fakeOperation('list_issues', { upstream: 'forge', description: 'Shows open tickets.' }),
  fakeOperation('list_files'),
  fakeOperation('read_file', { description: 'Reads one file; see also the issues of the file system.' }),
]);
const found = (text: string) => searchOperations(CATALOG, text).map(({ name }) => name);

describe('searchOperations', () => {
  it('puts an exact name first, bare or qualified', () => {
    expect(found('search')[0]).toBe('search');
    expect(found('forge__search_code')[0]).toBe('search_code');
  });

  it('puts a word of the name before a word of the description', () => {
    expect(found('issues')).toEqual(['list_issues', 'read_file']);
  });

  it('finds words of the description', () => {
    expect(found('tickets')).toEqual(['list_issues']);
  });

  it('finds the singular of a plural and the plural of a singular', () => {
    expect(found('issue')[0]).toBe('list_issues');
    expect(found('read files')[0]).toBe('read_file');
  });

  it('finds what an upstream serves', () => {
    expect(found('forge').toSorted()).toEqual(['list_issues', 'search_code']);
  });

  it('counts rare words more than common ones', () => {
    expect(found('list tickets')[0]).toBe('list_issues');
  });

  it('finds nothing for words that occur nowhere, and for no words', () => {
    expect(found('quux')).toEqual([]);
    expect(found(' ?! ')).toEqual([]);
  });
});
