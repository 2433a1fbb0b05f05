import { expect, it } from 'vitest';
import { visibleInputSchema } from '../../../src/catalog/grouped-tools/narrow-schema.js';
import { findForeignParameters } from '../../../src/classify/foreign-parameters.js';
import { aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

const text = (description: string) => ({ type: 'string', description });
const SCHEMA = {
  type: 'object',
  properties: {
    mode: { type: 'string', enum: ['list', 'create', 'delete', 'verify'] },
    path: text('Path to the repository.'),
    tag_name: text('Tag name for create/delete/verify operations.'),
    commit: text('Commit to tag (default: HEAD for create operation).'),
    overwrite: { type: 'boolean', description: 'Overwrite (create mode only; has no effect on list or delete).' },
    limit: text('For list mode: cap the number of tags. Use it to list few.'),
    note: text("Required for the 'create' action."),
    format: text('Format in list mode, and in verify.'),
  },
};
const foreignTo = (value: string) => findForeignParameters(SCHEMA, { parameter: 'mode', value });

it("finds what a parameter's own description binds to other values", () => {
  expect(foreignTo('list')).toEqual(['tag_name', 'overwrite']);
  expect(foreignTo('create')).toEqual(['limit', 'format']);
  expect(foreignTo('verify')).toEqual(['overwrite', 'limit']);
});

it('keeps what is required, and what names the value', () => {
  const strict = { ...SCHEMA, required: ['tag_name'] };
  expect(findForeignParameters(strict, { parameter: 'mode', value: 'list' })).toEqual(['overwrite']);
});

it('leaves them out of the operation and of the schema that callers see, so that a call with one is refused', () => {
  const catalog = buildTestCatalog({ git: [aTool('git_tag', SCHEMA, { description: 'Manage tags.' })] });
  const list = catalog.find('git__list_git_tag');
  expect(list?.parameters.map(({ name }) => name)).toEqual(expect.not.arrayContaining(['tag_name', 'overwrite']));
  const shown = list === undefined ? {} : visibleInputSchema(list);
  expect(Object.keys(shown['properties'] ?? {})).toEqual(['path', 'commit', 'limit', 'note', 'format']);
  expect(catalog.find('git__create_git_tag')?.parameters.map(({ name }) => name)).toContain('overwrite');
});
