import { expect, it } from 'vitest';
import { buildTestCatalog } from '../../support/build-test-catalog.js';

const DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

const dangersOf = (hints: readonly object[]): readonly string[] => {
  const names = ['read_sheet', 'copy_sheet', 'create_table'];
  const tools = names.map((name, index) => ({ name, inputSchema: { type: 'object' }, annotations: hints[index] }));
  return buildTestCatalog({ excel: tools })
    .operations.map(({ classification }) => classification.danger.level)
    .sort();
};

it('default hints on all tools of a server say nothing about any of them', () => {
  expect(dangersOf([DEFAULTS, DEFAULTS, DEFAULTS])).toEqual(['reversible', 'reversible', 'safe']);
});

it('default hints count as soon as one tool of the server carries others', () => {
  const other = { ...DEFAULTS, readOnlyHint: true };
  expect(dangersOf([other, DEFAULTS, DEFAULTS])).toEqual(['destructive', 'destructive', 'safe']);
});
