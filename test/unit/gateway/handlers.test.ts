import { expect, it } from 'vitest';
import { findOperation } from '../../../src/catalog/catalog.js';
import { anUpstream, aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

const GROUPED = aTool('issue_write', {
  type: 'object',
  properties: { method: { type: 'string', enum: ['create', 'delete'] } },
  required: ['method'],
});

const catalog = buildTestCatalog(
  {
    one: [aTool('getItem'), aTool('fetchAll'), GROUPED],
    two: [aTool('getItem'), aTool('only_here')],
  },
  { upstreams: [anUpstream('one', { curation: [{ pattern: 'fetchAll', rename: 'list_items' }] })] },
);

it.each([
  ['one', 'one__get_item', 'one__get_item'],
  ['one', 'get_item', 'one__get_item'],
  ['two', 'get_item', 'two__get_item'],
  ['one', 'getItem', 'one__get_item'],
  ['one', 'list_items', 'one__list_items'],
  ['one', 'fetchAll', 'one__list_items'],
  ['one', 'two__get_item', undefined],
  ['one', 'only_here', undefined],
  ['one', 'create_issue', 'one__create_issue'],
  ['one', 'issue_write', undefined],
  ['one', 'nothing', undefined],
])('in upstream %s, the configured name %s means the operation %s', (upstream, name, expected) => {
  expect(findOperation(catalog, upstream, name)?.qualifiedName).toBe(expected);
});
