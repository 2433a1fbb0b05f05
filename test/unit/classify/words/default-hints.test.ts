import { expect, it } from 'vitest';
import { buildTestCatalog } from '../../../support/build-test-catalog.js';

const DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
const ADDITIVE = { readOnlyHint: false, destructiveHint: false };

const dangersOf = (hints: Readonly<Record<string, object>>): Readonly<Record<string, string>> => {
  const tools = Object.entries(hints).map(([name, annotations]) => ({
    name,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    annotations,
  }));
  return Object.fromEntries(
    buildTestCatalog({ excel: tools }).operations.map(({ tool, classification }) => [
      tool,
      classification.danger.level,
    ]),
  );
};

it('default hints on all tools of a server say nothing about any of them', () => {
  const dangers = dangersOf({ read_sheet: DEFAULTS, copy_sheet: DEFAULTS, apply_style: DEFAULTS });
  expect(dangers).toEqual({ read_sheet: 'safe', copy_sheet: 'reversible', apply_style: 'reversible' });
});

it('default hints count where a tool of the server carries others', () => {
  const dangers = dangersOf({ read_sheet: { readOnlyHint: true }, copy_sheet: ADDITIVE, apply_style: DEFAULTS });
  expect(dangers).toEqual({ read_sheet: 'safe', copy_sheet: 'reversible', apply_style: 'destructive' });
});

it('a destructive hint says nothing on a server that gives it to what only adds, sends or clicks', () => {
  const hints = { readOnlyHint: false, destructiveHint: true };
  const given = { create_page: hints, add_comment: hints, set_title: hints, delete_page: hints, replace_page: hints };
  expect(dangersOf({ list_pages: { readOnlyHint: true }, ...given })).toEqual({
    list_pages: 'safe',
    create_page: 'reversible',
    add_comment: 'reversible',
    set_title: 'reversible',
    delete_page: 'destructive',
    replace_page: 'destructive',
  });
});

it('a destructive hint counts where the tools that add are called additive', () => {
  const hints = { readOnlyHint: false, destructiveHint: true };
  const dangers = dangersOf({ create_page: ADDITIVE, add_comment: ADDITIVE, set_title: hints });
  expect(dangers).toEqual({ create_page: 'reversible', add_comment: 'reversible', set_title: 'destructive' });
});
