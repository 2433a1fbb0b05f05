import { expect, it } from 'vitest';
import { bindArguments } from '../../../../src/catalog/arguments/bind-arguments.js';
import { aTool, buildTestOperation } from '../../../support/build-test-catalog.js';

const EDIT = buildTestOperation(
  aTool('edit_file', {
    type: 'object',
    properties: { path: { type: 'string' }, text: { type: 'string' }, dryRun: { type: 'boolean' } },
    required: ['path', 'text'],
  }),
);

it('a switch of an update is accepted beside input and inside it, and is no identifier', () => {
  const sent = { ok: true, arguments: { path: 'a', text: 'b', dryRun: true } };
  expect(bindArguments(EDIT, { path: 'a', input: { text: 'b' }, dry_run: true })).toEqual(sent);
  expect(bindArguments(EDIT, { path: 'a', input: { text: 'b', dry_run: true } })).toEqual(sent);
  expect(EDIT.identifiers).toEqual(['path']);
});

it('a switch given in both places is refused', () => {
  const bound = bindArguments(EDIT, { path: 'a', input: { text: 'b', dry_run: true }, dry_run: false });
  expect(bound.ok).toBe(false);
});
