import { expect, it } from 'vitest';
import { diffCatalogs } from '../../../src/catalog/build-catalog.js';
import { anUpstream, aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

it('nothing differs from itself', () => {
  const catalog = buildTestCatalog({ a: [aTool('x')] });
  expect(diffCatalogs(catalog, catalog)).toEqual({ added: [], removed: [], changed: [] });
});

it('a second owner takes the bare name away and adds two qualified ones', () => {
  const before = buildTestCatalog({ a: [aTool('search')] });
  const after = buildTestCatalog({ a: [aTool('search')], b: [aTool('search')] });
  expect(diffCatalogs(before, after)).toEqual({ added: ['a__search', 'b__search'], removed: ['search'], changed: [] });
});

it('a name that calls another upstream has changed', () => {
  const before = buildTestCatalog({ a: [aTool('search')] });
  const after = buildTestCatalog({ b: [aTool('search')] });
  expect(diffCatalogs(before, after)).toEqual({ added: [], removed: [], changed: ['search'] });
});

it('a name that calls another tool of the same upstream has changed, qualified too', () => {
  const tools = { a: [aTool('x'), aTool('y')] };
  const before = buildTestCatalog(tools, {
    upstreams: [anUpstream('a', { curation: [{ pattern: 'x', rename: 'z' }] })],
  });
  const after = buildTestCatalog(tools, {
    upstreams: [anUpstream('a', { curation: [{ pattern: 'y', rename: 'z' }] })],
  });
  expect(diffCatalogs(before, after)).toEqual({ added: ['x'], removed: ['y'], changed: ['a__z', 'z'] });
});
