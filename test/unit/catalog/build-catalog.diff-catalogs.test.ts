import { describe, expect, it } from 'vitest';
import { diffCatalogs } from '../../../src/catalog/build-catalog.js';
import { anUpstream, aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

describe('diffCatalogs', () => {
  it('finds no differences between a catalog and itself', () => {
    const catalog = buildTestCatalog({ a: [aTool('x')] });
    expect(diffCatalogs(catalog, catalog)).toEqual({ added: [], removed: [], changed: [] });
  });

  it('replaces a bare name by two qualified ones when a second upstream offers it', () => {
    const before = buildTestCatalog({ a: [aTool('search')] });
    const after = buildTestCatalog({ a: [aTool('search')], b: [aTool('search')] });
    expect(diffCatalogs(before, after)).toEqual({
      added: ['a__search', 'b__search'],
      removed: ['search'],
      changed: [],
    });
  });

  it('reports a name as changed that calls another upstream', () => {
    const before = buildTestCatalog({ a: [aTool('search')] });
    const after = buildTestCatalog({ b: [aTool('search')] });
    expect(diffCatalogs(before, after)).toEqual({ added: [], removed: [], changed: ['search'] });
  });

  it('reports a name as changed, bare and qualified, that calls another tool of the same upstream', () => {
    const tools = { a: [aTool('x'), aTool('y')] };
    const before = buildTestCatalog(tools, {
      upstreams: [anUpstream('a', { curation: [{ pattern: 'x', rename: 'z' }] })],
    });
    const after = buildTestCatalog(tools, {
      upstreams: [anUpstream('a', { curation: [{ pattern: 'y', rename: 'z' }] })],
    });
    expect(diffCatalogs(before, after)).toEqual({ added: ['x'], removed: ['y'], changed: ['a__z', 'z'] });
  });
});
