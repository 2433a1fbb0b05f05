import { expect, it } from 'vitest';
import { chooseHits } from '../../../../../src/gateway/builtin/introspect/filter.js';
import { fakeOperation } from '../../../catalog/endpoint/fake-catalog.js';

it('shows operations of one name together, where the best of them is, and no weak hits', () => {
  const hits = [
    { operation: fakeOperation('files__move_file', { upstream: 'files' }), score: 10 },
    { operation: fakeOperation('move_directory', { upstream: 'files' }), score: 9 },
    { operation: fakeOperation('disk__move_file', { upstream: 'disk' }), score: 8 },
    { operation: fakeOperation('rename_branch', { upstream: 'git' }), score: 5 },
  ];
  expect(chooseHits(hits).map(({ name }) => name)).toEqual(['files__move_file', 'disk__move_file', 'move_directory']);
  expect(chooseHits([])).toEqual([]);
});
